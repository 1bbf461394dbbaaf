/**
 * Which call of which provider API a path is, whatever stands before it:
 * `/v1`, a gateway's own prefix, nothing. The name is what a request key holds
 * in place of the path, so that a recording made behind one base URL matches
 * behind another.
 */
import type { WireName } from '@runproof/llm'

/** Wires with the same requests. */
export type WireFamily = 'chat' | 'responses' | 'anthropic' | 'gemini'

export type Endpoint = {
  family: WireFamily
  /** `chat/completions`, `responses`, `messages`, `messages/count_tokens`, `models/<model>:<method>`. */
  name: string
  /** Of Gemini, whose path holds it. */
  model?: string
}

const families: Readonly<Record<WireName, WireFamily>> = {
  deepseek: 'chat',
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
}

export function isWireName(value: unknown): value is WireName {
  return typeof value === 'string' && Object.hasOwn(families, value)
}

/** All wires, for messages. */
export const wireList: string = Object.keys(families).join(', ')

export function familyOf(wire: WireName): WireFamily {
  return families[wire]
}

const posts: readonly { suffix: string; family: WireFamily }[] = [
  { suffix: 'chat/completions', family: 'chat' },
  { suffix: 'responses', family: 'responses' },
  { suffix: 'messages', family: 'anthropic' },
  { suffix: 'messages/count_tokens', family: 'anthropic' },
]

const geminiCall = /(?:^|\/)models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/

/** The endpoint of a request, or null when no provider has it. */
export function endpointOf(method: string, path: string): Endpoint | null {
  if (method !== 'POST') return null
  const name = withoutQuery(path)
  const post = posts.find(({ suffix }) => name === suffix || name.endsWith(`/${suffix}`))
  if (post !== undefined) return { family: post.family, name: post.suffix }
  const [, model, call] = geminiCall.exec(name) ?? []
  if (model === undefined || call === undefined) return null
  return { family: 'gemini', name: `models/${model}:${call}`, model }
}

export function withoutQuery(path: string): string {
  const end = path.indexOf('?')
  return end === -1 ? path : path.slice(0, end)
}
