/** What every request of a session says beside its messages, and when the log must hear of it. */
import type { LlmTool } from '@runproof/llm'
import { asCoreEvent, type SessionEvent } from '@runproof/session-log'
import type { Tool } from '../tools/tool.ts'

/** Logged before the first request and before each one that it has changed for. */
export type RequestHeader = { config: { model: string }; system: string; tools: LlmTool[] }

export function createHeader(model: string, system: string, tools: readonly Tool[]): RequestHeader {
  return {
    config: { model },
    system,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  }
}

/** Why the header must be logged before the next request, or null when the log has it. */
export function findHeaderReason(
  events: readonly SessionEvent[],
  header: RequestHeader,
): 'initial' | 'change' | null {
  const last = events.findLast(({ type }) => type === 'request/header')
  const logged = last && asCoreEvent(last)
  if (logged?.type !== 'request/header') return 'initial'
  return JSON.stringify(logged.data.header) === JSON.stringify(header) ? null : 'change'
}
