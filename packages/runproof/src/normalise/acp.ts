/**
 * What is volatile in the Agent Client Protocol, version 1, agent to client
 * (https://agentclientprotocol.com, schema of SDK 2.4.0; facts sheet section 5).
 */
import { isDeepStrictEqual } from 'node:util'
import { isRecord, type Message } from '../transcript/line.ts'
import type { Profile } from './profile.ts'

/** Updates that state a fact of the session rather than a step of a turn. */
const factKinds: ReadonlySet<string> = new Set([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'session_info_update',
  'usage_update',
])

const chunkKinds: ReadonlySet<string> = new Set([
  'agent_message_chunk',
  'agent_thought_chunk',
  'user_message_chunk',
])

function updateOf(message: Message): { kind: string; session: string; update: Message } | null {
  const { method, params } = message
  if (method !== 'session/update' || !isRecord(params) || !isRecord(params['update'])) return null
  const { update, sessionId } = params
  const kind = update['sessionUpdate']
  if (typeof kind !== 'string') return null
  return { kind, session: typeof sessionId === 'string' ? sessionId : '', update }
}

const isChunk = (message: Message): boolean => {
  const update = updateOf(message)
  return update !== null && chunkKinds.has(update.kind)
}

const isRequest = (message: Message): boolean => 'method' in message
const isMethod =
  (method: string) =>
  (message: Message): boolean =>
    message['method'] === method

const contentPaths = ['content', 'rawInput', 'rawOutput', 'title', 'entries', 'locations']

export const acpProfile: Profile = {
  fields: [
    { path: 'id', token: 'rpc:n', space: 'agent', when: isRequest },
    { path: 'id', token: 'rpc:n', space: 'client', when: (message) => !isRequest(message) },
    {
      path: 'params.requestId',
      token: 'rpc:n',
      space: 'agent',
      when: isMethod('$/cancel_request'),
    },
    {
      path: 'params.requestId',
      token: 'rpc:n',
      space: 'client',
      when: isMethod('elicitation/create'),
    },
    { path: 'result.sessionId', token: 'session:n' },
    { path: 'result.sessions[*].sessionId', token: 'session:n' },
    { path: 'params.sessionId', token: 'session:n' },
    { path: 'params.update.sessionId', token: 'session:n' },
    { path: 'params.update.messageId', token: 'message:n' },
    { path: 'params.update.compactionId', token: 'compaction:n' },
    { path: 'params.elicitationId', token: 'elicitation:n' },
    { path: 'params.update.updatedAt', token: 'time' },
    { path: 'result.sessions[*].updatedAt', token: 'time' },
  ],
  zones: [
    { path: 'params.update.content', zone: 'model', when: isChunk },
    ...contentPaths.map((key) => ({ path: `params.update.${key}`, zone: 'content' as const })),
    { path: 'params.toolCall', zone: 'content' },
    { path: 'params.content', zone: 'content' },
  ],
  keptKeys: ['toolCallId'],
  factOf(message) {
    const update = updateOf(message)
    if (update === null) return null
    const { kind, session } = update
    if (kind === 'notice') return { session, kind, all: true }
    // It says what is new only: a title stays when a time comes.
    if (kind === 'session_info_update')
      return { session, kind, after: (before) => withMembers(message, before) }
    return factKinds.has(kind) ? { session, kind } : null
  },
  chunkOf(message) {
    const { params } = message
    const found = updateOf(message)
    if (found === null || !chunkKinds.has(found.kind) || !isRecord(params)) return null
    const { update } = found
    const { content } = update
    if (!isRecord(content) || content['type'] !== 'text') return null
    if (typeof content['text'] !== 'string') return null
    return {
      text: content['text'],
      withText: (text) => ({
        ...message,
        params: { ...params, update: { ...update, content: { ...content, text } } },
      }),
    }
  },
  mergeOf(first, second) {
    const [before, after] = [updateOf(first), updateOf(second)]
    if (before === null || after?.kind !== 'tool_call_update') return null
    const { kind, session, update } = before
    // Of one call, and nothing that one says does the other say otherwise.
    const isSame =
      kind === after.kind &&
      session === after.session &&
      Object.keys(after.update).every(
        (key) => !(key in update) || isDeepStrictEqual(update[key], after.update[key]),
      )
    return isSame ? withMembers(second, first) : null
  },
}

/** The later of two updates, with those members of the earlier one that it has not. */
function withMembers(later: Message, earlier: Message): Message {
  const [before, after] = [updateOf(earlier), updateOf(later)]
  if (before === null || after === null || !isRecord(later['params'])) return later
  return { ...later, params: { ...later['params'], update: { ...before.update, ...after.update } } }
}
