/** ACP messages for the tests, agent to client. */
import { isRecord } from '../../src/transcript/line.ts'

export type Message = Record<string, unknown>

export const response = (id: unknown, result: Message): Message => ({ jsonrpc: '2.0', id, result })

export const update = (sessionId: string, fields: Message): Message => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: fields },
})

export const chunk = (sessionId: string, text: string, more: Message = {}): Message =>
  update(sessionId, {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
    ...more,
  })

export const permission = (id: unknown, sessionId: string, toolCallId: string): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: { sessionId, toolCall: { toolCallId }, options: [] },
})

export function parse(line: string): Message {
  const value: unknown = JSON.parse(line)
  if (!isRecord(value)) throw new TypeError(`not an object: ${line}`)
  return value
}
