/**
 * The adapter of one provider: a wire of `@runproof/llm` behind `fetch`. The
 * key comes from the environment (or `.env`, which the host has read) and
 * goes into one header; a missing one is told when the first request needs
 * it, so that an editor can still start the agent and show the message.
 */
import { LlmError, wireNames, wires, type WireName } from '@runproof/llm'
import { number, record, strictObject, string, enum as oneOf, type ZodType } from 'zod'
import type { Host } from '../host.ts'
import { streamProvider, type Endpoint } from '../provider/stream.ts'
import type { Context } from '../services.ts'

export const name = 'provider'
export const inject: string[] = ['host', 'llm']

export type ProviderConfig = {
  wire: WireName
  /** Name the `llm` entry calls it by; default the wire's name. */
  provider?: string | undefined
  /** Base URL; the environment's `<PROVIDER>_BASE_URL` comes first, the wire's own last. */
  baseUrl?: string | undefined
  /** Environment variable that holds the key; default the wire's usual one. */
  apiKeyName?: string | undefined
  /** Longest silence of a stream in milliseconds. */
  idleMs: number
  /** More headers of every request. */
  headers: Record<string, string>
}

export const Config: ZodType<ProviderConfig> = strictObject({
  wire: oneOf(wireNames),
  provider: string().optional(),
  baseUrl: string().optional(),
  apiKeyName: string().optional(),
  idleMs: number().int().positive().default(300_000),
  headers: record(string(), string()).default({}),
})

/** Prefix of the environment names, and the header that carries the key. */
const accounts: Record<WireName, { prefix: string; keyHeader: (key: string) => [string, string] }> =
  {
    deepseek: { prefix: 'DEEPSEEK', keyHeader: bearer },
    'openai-chat': { prefix: 'OPENAI', keyHeader: bearer },
    'openai-responses': { prefix: 'OPENAI', keyHeader: bearer },
    anthropic: { prefix: 'ANTHROPIC', keyHeader: (key) => ['x-api-key', key] },
    gemini: { prefix: 'GEMINI', keyHeader: (key) => ['x-goog-api-key', key] },
  }

export function apply(ctx: Context, config: ProviderConfig): void {
  const { host, llm } = ctx
  if (host.mode === 'replay') {
    throw new TypeError(
      'a replay never talks to a provider; leave this entry out of its composition',
    )
  }
  const provider = config.provider ?? config.wire
  ctx.effect(() =>
    llm.register(provider, (call) => streamProvider(openEndpoint(host, config), call)),
  )
}

/** Read anew for each call: cheap, and the error for a missing key belongs to the call. */
function openEndpoint(host: Host, config: ProviderConfig): Endpoint {
  const wire = wires[config.wire]
  const { prefix, keyHeader } = accounts[config.wire]
  const keyName = config.apiKeyName ?? `${prefix}_API_KEY`
  const key = host.env[keyName]
  if (key === undefined || key === '') {
    throw new LlmError(
      `no key for ${config.wire}: set ${keyName} in the environment or in .env`,
      'MISSING_CREDENTIAL',
    )
  }
  // A header cannot hold it, and the error of `fetch` would show it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new LlmError(`${keyName} holds characters that no key has`, 'INVALID_CREDENTIAL')
  }
  host.secrets.add(key)
  return {
    wire,
    baseUrl: host.env[`${prefix}_BASE_URL`] || config.baseUrl || wire.baseUrl,
    headers: { ...config.headers, ...Object.fromEntries([keyHeader(key)]) },
    clock: host.clock,
    idleMs: config.idleMs,
    redact: (text) => host.secrets.redact(text),
  }
}

function bearer(key: string): [string, string] {
  return ['authorization', `Bearer ${key}`]
}
