/**
 * The conversation as the model saw it, derived from the log.
 *
 * Follows the surface rule of the DeepSeek Harness: message events (user,
 * context, assistant, tool result) form the model's view in log order; an
 * event with `surfaceOp: {op: "replace", start, end}` takes the place of the
 * messages from event `start` to event `end` of that view, both included. All
 * other events say nothing to the model.
 *
 * The invariant of an event-sourced agent stands here too: deriving the
 * history from the log gives what the model was sent, for every request
 * (`compareHistory`).
 */
import type { LlmMessage } from '@runproof/llm'
import { asCoreEvent } from './event.ts'
import type { CoreEvent, SessionEvent } from './event.ts'

/** One request as it left the agent. */
export type SentRequest = { turn: number; step: number; messages: readonly LlmMessage[] }

/** Where log and request part; `index` is the first message that differs. */
export type HistoryIssue = { turn: number; step: number; index: number; message: string }

/** An event that puts a message into the model's view. */
export type MessageEvent = CoreEvent<
  'user/message' | 'context/message' | 'assistant/message' | 'tool/result'
>

export function isMessageEvent(event: SessionEvent): event is MessageEvent {
  switch (event.type) {
    case 'user/message':
    case 'context/message':
    case 'assistant/message':
    case 'tool/result':
      return true
    default:
      return false
  }
}

/**
 * Adds one event to the view. Returns false, and leaves the view alone, when
 * the event replaces messages that are not in it.
 */
export function applySurface(view: MessageEvent[], event: MessageEvent): boolean {
  const { surfaceOp } = event
  if (typeof surfaceOp !== 'object') {
    view.push(event)
    return true
  }
  const start = view.findIndex(({ seq }) => seq === surfaceOp.start)
  const end = view.findIndex(({ seq }) => seq === surfaceOp.end)
  if (start < 0 || end < start) return false
  view.splice(start, end - start + 1, event)
  return true
}

/**
 * The message events the model sees after these events, which are a log from
 * its beginning. Throws `TypeError` for a replacement of messages that are not
 * there; the reader lets none pass.
 */
export function deriveView(events: Iterable<SessionEvent>): MessageEvent[] {
  const view: MessageEvent[] = []
  for (const event of events) {
    if (isMessageEvent(event) && !applySurface(view, event)) {
      throw new TypeError(`event ${event.seq} replaces messages that are not in view`)
    }
  }
  return view
}

/**
 * The messages a request would carry after these events, which are a log from
 * its beginning. An assistant message without content says nothing and is
 * left out, unless its provider wants something of it back (a paused search).
 * Throws like `deriveView`.
 */
export function deriveHistory(events: readonly SessionEvent[]): LlmMessage[] {
  return deriveView(events).flatMap((event): LlmMessage[] => {
    switch (event.type) {
      case 'assistant/message': {
        const { content } = event.data
        const replayState = findReplayState(events, event)
        if (content.length === 0 && replayState === undefined) return []
        return [
          { role: 'assistant', content, ...(replayState === undefined ? {} : { replayState }) },
        ]
      }
      case 'tool/result': {
        const { callId, content, isError } = event.data
        return [{ role: 'tool', callId, content, isError }]
      }
      default:
        return [{ role: 'user', content: event.data.content }]
    }
  })
}

/**
 * What the provider wants back with this answer: it stands in the `finish`
 * chunk the answer was made of, and fits only an answer that kept all blocks.
 */
function findReplayState(
  events: readonly SessionEvent[],
  answer: CoreEvent<'assistant/message'>,
): unknown {
  const blocks = new Set<number>()
  for (const seq of answer.sourceEventSeqs ?? []) {
    const source = events[seq]
    const core = source === undefined ? undefined : asCoreEvent(source)
    if (core?.type !== 'assistant/chunk') continue
    const { chunk } = core.data
    if ('index' in chunk) blocks.add(chunk.index)
    if (chunk.type !== 'finish') continue
    return blocks.size === answer.data.content.length ? chunk.replayState : undefined
  }
  return undefined
}

/**
 * The events a request of this step had behind it: all before the model's
 * first sign of life in the step, or before its end. undefined when the log
 * has no such step.
 */
export function eventsBefore(
  events: readonly SessionEvent[],
  place: Place,
): readonly SessionEvent[] | undefined {
  const start = events.findIndex((event) => {
    const core = asCoreEvent(event)
    return core?.type === 'step/start' && isOf(core.data, place)
  })
  if (start < 0) return undefined
  const answer = events.slice(start).findIndex((event) => {
    const core = asCoreEvent(event)
    switch (core?.type) {
      case 'assistant/chunk':
      case 'assistant/message':
      case 'step/end':
        return isOf(core.data, place)
      default:
        return false
    }
  })
  return answer < 0 ? events : events.slice(0, start + answer)
}

type Place = { turn: number; step: number }

function isOf(data: Place, place: Place): boolean {
  return data.turn === place.turn && data.step === place.step
}

/**
 * Checks that the log derives each request that was sent. Empty when it
 * does; else one issue a request, at its first difference. Key order in
 * messages does not matter.
 */
export function compareHistory(
  events: readonly SessionEvent[],
  sent: Iterable<SentRequest>,
): HistoryIssue[] {
  const issues: HistoryIssue[] = []
  for (const { turn, step, messages } of sent) {
    const before = eventsBefore(events, { turn, step })
    if (before === undefined) {
      issues.push({ turn, step, index: 0, message: `the log has no turn ${turn} step ${step}` })
      continue
    }
    const derived = deriveHistory(before).map((message) => canonical(message))
    const given = messages.map((message) => canonical(message))
    const index = derived.findIndex((text, i) => text !== given[i])
    if (index < 0 && derived.length === given.length) continue
    const at = index < 0 ? derived.length : index
    const message = `turn ${turn} step ${step}: message ${at} was sent as ${given[at] ?? 'nothing'}, the log derives ${derived[at] ?? 'nothing'}`
    issues.push({ turn, step, index: at, message })
  }
  return issues
}

/** JSON with sorted keys and with the default of a tool message written out. */
function canonical(message: LlmMessage): string {
  const full = message.role === 'tool' ? { isError: false, ...message } : message
  return JSON.stringify(full, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
