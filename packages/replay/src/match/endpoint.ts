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
  /**
   * `chat/completions`, `responses`, `messages`, `messages/count_tokens`,
   * `models/<model>:<method>`; of Azure `deployments/<model>/chat/completions`.
   */
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

/** Where the path says which model is asked, and the body may not. */
const deployment = /(?:^|\/)(deployments\/[^/]+\/)(?:chat\/completions|responses|messages)$/

/** Paths that end like an endpoint and are none: messages of a thread that OpenAI keeps. */
const otherApi = /(?:^|\/)threads\/[^/]+\/messages$/

/** The endpoint of a request, or null when no provider has it. */
export function endpointOf(method: string, path: string): Endpoint | null {
  if (method !== 'POST') return null
  const name = withoutQuery(path)
  const post = posts.find(({ suffix }) => name === suffix || name.endsWith(`/${suffix}`))
  if (post !== undefined) {
    if (otherApi.test(name)) return null
    const [, model = ''] = deployment.exec(name) ?? []
    return { family: post.family, name: model + post.suffix }
  }
  const [, model, call] = geminiCall.exec(name) ?? []
  if (model === undefined || call === undefined) return null
  // Without `alt=sse` the same call is answered with one JSON array.
  const isArray = call === 'streamGenerateContent' && !/[?&]alt=sse(?:&|$)/.test(path)
  return { family: 'gemini', name: `models/${model}:${call}${isArray ? '?alt=json' : ''}`, model }
}

/** Whether an endpoint counts tokens, which asks no model. */
export function isCount({ name }: Endpoint): boolean {
  return name === 'messages/count_tokens' || name.endsWith(':countTokens')
}

/** Whether a request asks a model for an answer; others list models, count tokens, look who is there. */
export function asksModel({ method, path }: { method: string; path: string }): boolean {
  const endpoint = endpointOf(method, path)
  return endpoint !== null && !isCount(endpoint)
}

export function withoutQuery(path: string): string {
  const end = path.indexOf('?')
  return end === -1 ? path : path.slice(0, end)
}
