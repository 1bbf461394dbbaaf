/**
 * A request body of any wire as the conversation it carries: who spoke, in
 * order. Only for session logs, whose requests no wire ever saw; recorded
 * requests are matched by their key.
 */
import { isObject } from '../object.ts'
import type { WireFamily } from '../match/endpoint.ts'
import { textIn } from '../match/lane.ts'

/**
 * `user`: a text from outside. `model`: all that the model said at one go.
 * `results`: what its calls gave.
 */
export type Spoken = { who: 'user'; text: string } | { who: 'model' } | { who: 'results' }

export function readConversation(family: WireFamily, body: unknown): Spoken[] {
  if (!isObject(body)) return []
  const { messages, input, contents } = body
  const list = family === 'responses' ? input : family === 'gemini' ? contents : messages
  if (typeof list === 'string') return [{ who: 'user', text: list }]
  const spoken = (Array.isArray(list) ? list : []).flatMap((item) =>
    isObject(item) ? readItem(item) : [],
  )
  // What the model said at one go may be several items: a text and its calls.
  return spoken.filter(({ who }, index) => who === 'user' || spoken[index - 1]?.who !== who)
}

function readItem(item: Record<string, unknown>): Spoken[] {
  const { role, type, content, parts } = item
  if (role === 'assistant' || role === 'model') return [{ who: 'model' }]
  if (role === 'tool') return [{ who: 'results' }]
  if (role === 'system' || role === 'developer') return []
  if (role === undefined && typeof type === 'string') {
    return [{ who: type.endsWith('_output') ? 'results' : 'model' }]
  }
  const pieces = parts ?? content
  const text = textIn(pieces)
  const hasResults = Array.isArray(pieces) && pieces.some((piece) => isResult(piece))
  return [
    ...(hasResults ? [{ who: 'results' as const }] : []),
    ...(text === '' ? [] : [{ who: 'user' as const, text }]),
  ]
}

function isResult(piece: unknown): boolean {
  return isObject(piece) && (piece.type === 'tool_result' || isObject(piece.functionResponse))
}
