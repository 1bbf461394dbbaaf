/**
 * One prompt of a session and what the agent's messages say about its turn.
 *
 * Follows ACP protocol version 1. A `tool_call` announces a call; announced
 * again while open it is an update. An update of a call that nobody announced,
 * a status or kind the protocol has not, and a message without readable content
 * are told as `adapter.…` events, which make the claim `unknown`. A call that
 * says it goes on in the background is never told as finished.
 */
import { textAt, valueAt } from '../adapter.ts'
import type { Outcome } from '../envelope.ts'
import type { SessionTurn } from '../session-turn.ts'
import { isBackgroundCall, silentUpdates, toolStateOf } from './update.ts'

export type Prompt = {
  readonly turn: SessionTurn
  /** Id of the client's request; null while it is only inferred from the agent's side. */
  request: string | null
  /** Calls whose work goes on after they return. */
  readonly background: Set<string>
  /** Calls that nothing but an open question has named (question.ts). */
  readonly asked: Set<string>
  /** Calls that nothing but a question has named, whose answer was no. */
  readonly refused: Set<string>
  /** Set while the answer is there and the end not yet signed. */
  answer: { outcome: Outcome | null; timeMs: number } | null
}

export function createPrompt(turn: SessionTurn, request: string | null): Prompt {
  return {
    turn,
    request,
    background: new Set(),
    asked: new Set(),
    refused: new Set(),
    answer: null,
  }
}

/** Whether anything in the turn has named this call, be it a question alone. */
export function hasHeardOf({ turn, asked, refused }: Prompt, call: string): boolean {
  return turn.knows(call) || asked.has(call) || refused.has(call)
}

/** Tells an update of the turn, housekeeping excepted. */
export function tellUpdate(prompt: Prompt, update: unknown): void {
  const { turn } = prompt
  const kind = textAt(update, 'sessionUpdate')
  if (kind !== null && silentUpdates.has(kind)) return
  switch (kind) {
    case 'agent_message_chunk':
      return tellText(turn, valueAt(update, 'content'))
    case 'tool_call':
    case 'tool_call_update':
      return tellCall(prompt, update, kind === 'tool_call' ? 'announcement' : 'update')
    default:
      turn.emit('adapter.unsupported_event', { update: kind })
  }
}

/** Content that is not text is not part of the text to check, nor a fault. */
function tellText(turn: SessionTurn, content: unknown): void {
  const text = valueAt(content, 'text')
  if (valueAt(content, 'type') === 'text' && typeof text === 'string') turn.text(text)
  else if (textAt(content, 'type') === null || valueAt(content, 'type') === 'text') {
    turn.emit('adapter.unsupported_event', { update: 'agent_message_chunk' })
  }
}

/** Tells what a message says of a call. */
export function tellCall(prompt: Prompt, update: unknown, by: 'announcement' | 'update'): void {
  const { turn, background, asked, refused } = prompt
  const call = textAt(update, 'toolCallId')
  const stated = toolStateOf(update)
  if (call === null || stated === undefined) {
    turn.emit('adapter.unsupported_event', { update: 'tool_call' })
    return
  }
  if (by === 'update' && !hasHeardOf(prompt, call)) {
    turn.emit('adapter.unannounced_call', { call_id: call })
    return
  }
  asked.delete(call)
  refused.delete(call)
  if (isBackgroundCall(update)) background.add(call)
  const isNew = by === 'announcement' || !turn.knows(call)
  const state = stated ?? (isNew ? 'requested' : null)
  const isLaunch = state === 'returned' && background.has(call)
  if (state !== null) turn.call(call, isLaunch ? 'running' : state)
}
