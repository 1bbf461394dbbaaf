/** Short spellings of ACP messages, as bare JSON-RPC or as lines of a transcript. */

type Message = Record<string, unknown>

export const request = (id: unknown, method: string, params: unknown = {}): Message => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
export const notify = (method: string, params: unknown): Message => ({
  jsonrpc: '2.0',
  method,
  params,
})
export const result = (id: unknown, value: unknown): Message => ({
  jsonrpc: '2.0',
  id,
  result: value,
})
export const failure = (id: unknown, code: number): Message => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: 'no' },
})

export const update = (kind: string, fields: Message = {}, sessionId = 's'): Message =>
  notify('session/update', { sessionId, update: { sessionUpdate: kind, ...fields } })
export const say = (text: string, sessionId?: string): Message =>
  update('agent_message_chunk', { content: { type: 'text', text } }, sessionId)
export const call = (toolCallId: string, status?: string, fields: Message = {}): Message =>
  update('tool_call', { toolCallId, ...(status === undefined ? {} : { status }), ...fields })
export const callUpdate = (
  toolCallId: string,
  status?: string | null,
  fields: Message = {},
): Message => update('tool_call_update', { toolCallId, status, ...fields })
export const ask = (id: unknown, toolCallId?: string, fields: Message = {}): Message =>
  request(id, 'session/request_permission', {
    sessionId: 's',
    options: [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'no', kind: 'reject_once' },
    ],
    ...(toolCallId === undefined ? {} : { toolCall: { toolCallId, ...fields } }),
  })
export const prompt = (id: unknown, sessionId = 's'): Message =>
  request(id, 'session/prompt', { sessionId, prompt: [] })
export const stop = (id: unknown, stopReason: unknown = 'end_turn'): Message =>
  result(id, { stopReason })
export const cancel = (sessionId = 's'): Message => notify('session/cancel', { sessionId })
export const allow = (id: unknown, optionId = 'yes'): Message =>
  result(id, { outcome: { outcome: 'selected', optionId } })
export const refuse = (id: unknown): Message => allow(id, 'no')
export const dismiss = (id: unknown): Message => result(id, { outcome: { outcome: 'cancelled' } })

export type Line = { t?: number; dir: string; m?: Message; raw?: string }

export const toAgent = (m: Message, t?: number): Line => ({
  dir: '>',
  m,
  ...(t === undefined ? {} : { t }),
})
export const toClient = (m: Message, t?: number): Line => ({
  dir: '<',
  m,
  ...(t === undefined ? {} : { t }),
})

const clientRequests = new Set([
  'session/prompt',
  'session/load',
  'session/resume',
  'session/cancel',
  '$/cancel_request',
  'session/list',
])

/** A two-sided transcript of these messages without times; answers to `ask` are the client's. */
export function twoSided(...messages: readonly Message[]): Line[] {
  const open = new Set<unknown>()
  return [request('i', 'initialize'), ...messages].map((message) => {
    const { id, method, result: value } = message
    if (typeof method === 'string') {
      const isClients = clientRequests.has(method) || method === 'initialize'
      if (!isClients && id !== undefined) open.add(id)
      return isClients ? toAgent(message) : toClient(message)
    }
    const isOutcome = typeof value === 'object' && value !== null && 'outcome' in value
    return isOutcome || (open.delete(id) && isOutcome) ? toAgent(message) : toClient(message)
  })
}
