/**
 * Session events → `session/update`s, the editor's view of a session.
 *
 * Follows the projection of the DeepSeek Harness: text and thought per delta,
 * a card per tool call, the plan, nothing else. One deliberate difference: a
 * call that needs approval is announced `pending` and becomes `in_progress`
 * when it is allowed. Pure: the same events give the same updates live and on
 * load. A batch must hold a `tool/call` together with its `approval/asked`;
 * a whole log is such a batch.
 */
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { asCoreEvent, type CoreEvent, type SessionEvent } from '@runproof/session-log'
import type { StreamChunk } from '@runproof/llm'
import { plainCard, showText, type Tool, type ToolCall } from '../tools/tool.ts'

/** Finds a tool by the name in a log; undefined for one this agent does not have. */
export type FindTool = (name: string) => Tool | undefined

export type Projector = {
  /** The updates of one batch of events, in order. */
  project(batch: readonly SessionEvent[]): SessionUpdate[]
}

type Announced = { call: ToolCall | null; approvalId: string | null }

/**
 * @param options.prompts whether the user's own messages are shown: on load, not live
 */
export function createProjector(findTool: FindTool, options: { prompts: boolean }): Projector {
  /** Calls without a result yet, by call id. */
  const open = new Map<string, Announced>()

  const announce = (
    { callId, name, arguments: text }: CoreEvent<'tool/call'>['data'],
    approvalId: string | null,
  ): SessionUpdate => {
    const opened = findTool(name)?.open(text)
    const call = opened === undefined || 'problem' in opened ? null : opened
    open.set(callId, { call, approvalId })
    const { title, kind, ...details } = call?.card ?? plainCard(name, text)
    const status = approvalId === null ? 'in_progress' : 'pending'
    return { sessionUpdate: 'tool_call', toolCallId: callId, title, kind, status, ...details }
  }

  const allow = (approvalId: string): SessionUpdate[] => {
    const found = [...open].find(([, announced]) => announced.approvalId === approvalId)
    if (found === undefined) return []
    return [{ sessionUpdate: 'tool_call_update', toolCallId: found[0], status: 'in_progress' }]
  }

  const settle = ({ callId, content, isError, meta }: CoreEvent<'tool/result'>['data']) => {
    const announced = open.get(callId)
    // The result of a call that never began: nothing on the screen to update.
    if (announced === undefined) return []
    open.delete(callId)
    const result = {
      text: content.map(({ text }) => text).join(''),
      isError,
      ...(meta !== undefined && { meta }),
    }
    const show = announced.call?.showResult ?? showText
    const status = isError ? ('failed' as const) : ('completed' as const)
    return [
      { sessionUpdate: 'tool_call_update' as const, toolCallId: callId, status, ...show(result) },
    ]
  }

  const projectEvent = (event: CoreEvent, batch: readonly SessionEvent[]): SessionUpdate[] => {
    switch (event.type) {
      case 'user/message':
        return options.prompts ? projectPrompt(event.data) : []
      case 'assistant/chunk':
        return projectChunk(event.data.chunk)
      case 'tool/call':
        return [announce(event.data, findApproval(event.data.callId, batch))]
      case 'approval/decided':
        return event.data.outcome === 'allowed-once' ? allow(event.data.id) : []
      case 'tool/result':
        return settle(event.data)
      case 'todo/write':
        return [{ sessionUpdate: 'plan', entries: event.data.todos.map(planEntry) }]
      default:
        return []
    }
  }

  return {
    project: (batch) =>
      batch.flatMap((event) => {
        const core = asCoreEvent(event)
        return core === undefined ? [] : projectEvent(core, batch)
      }),
  }
}

function projectPrompt({ content }: CoreEvent<'user/message'>['data']): SessionUpdate[] {
  return content.flatMap((block) =>
    block.type === 'text'
      ? [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: block.text } }]
      : [],
  )
}

function projectChunk(chunk: StreamChunk): SessionUpdate[] {
  switch (chunk.type) {
    case 'text-delta':
      return [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: chunk.text } }]
    case 'reasoning-delta':
      return [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: chunk.text } }]
    default:
      return []
  }
}

function findApproval(callId: string, batch: readonly SessionEvent[]): string | null {
  for (const event of batch) {
    const core = asCoreEvent(event)
    if (core?.type === 'approval/asked' && core.data.callId === callId) return core.data.id
  }
  return null
}

function planEntry({ content, status }: { content: string; status: string }) {
  const known = (['pending', 'in_progress', 'completed'] as const).find((one) => one === status)
  return { content, priority: 'medium' as const, status: known ?? ('pending' as const) }
}
