/**
 * The adapter of one provider: a wire of `@runproof/llm` behind `fetch`. The
 * key comes from the environment or from `.env` and goes into one header; a
 * missing one is told when the first request needs it, so that an editor can
 * still start the agent and show the message.
 *
 * Invariant: a key of the environment goes only where the environment or the
 * composition says. The `.env` of a folder may be a stranger's, and an
 * endpoint in it gets no key but the one that stands beside it.
 */
import type { Wire, WireName } from '@runproof/llm'
import { LlmError } from '@runproof/llm/contract'
import { number, record, strictObject, string, type ZodType } from 'zod'
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

/** The one wire that is used is loaded, and where its key goes. `prefix` begins its environment names. */
type Account = {
  prefix: string
  keyHeader: (key: string) => [string, string]
  load: () => Promise<Wire>
}

const accounts: Record<WireName, Account> = {
  deepseek: {
    prefix: 'DEEPSEEK',
    keyHeader: bearer,
    load: async () => (await import('@runproof/llm/wire/deepseek')).deepseek,
  },
  'openai-chat': {
    prefix: 'OPENAI',
    keyHeader: bearer,
    load: async () => (await import('@runproof/llm/wire/openai-chat')).openAiChat,
  },
  'openai-responses': {
    prefix: 'OPENAI',
    keyHeader: bearer,
    load: async () => (await import('@runproof/llm/wire/openai-responses')).openAiResponses,
  },
  anthropic: {
    prefix: 'ANTHROPIC',
    keyHeader: (key) => ['x-api-key', key],
    load: async () => (await import('@runproof/llm/wire/anthropic')).anthropic,
  },
  gemini: {
    prefix: 'GEMINI',
    keyHeader: (key) => ['x-goog-api-key', key],
    load: async () => (await import('@runproof/llm/wire/gemini')).gemini,
  },
}

const wireName = string().refine(
  (value): value is WireName => Object.hasOwn(accounts, value),
  `must be one of ${Object.keys(accounts).join(', ')}`,
)

export const Config: ZodType<ProviderConfig> = strictObject({
  wire: wireName,
  provider: string().optional(),
  baseUrl: string().optional(),
  apiKeyName: string().optional(),
  idleMs: number().int().positive().default(300_000),
  headers: record(string(), string()).default({}),
})

export async function apply(ctx: Context, config: ProviderConfig): Promise<void> {
  const { host, llm } = ctx
  if (host.mode === 'replay') {
    throw new TypeError(
      'a replay never talks to a provider; leave this entry out of its composition',
    )
  }
  const wire = await accounts[config.wire].load()
  const provider = config.provider ?? config.wire
  const { baseUrlName, isIgnored } = readAccount(host, config)
  if (isIgnored) {
    ctx
      .logger(name)
      .warn(
        '%s of .env is not used: it goes with a key of .env only; set both in one place',
        baseUrlName,
      )
  }
  ctx.effect(() =>
    llm.register(provider, (call) => streamProvider(openEndpoint(host, config, wire), call)),
  )
}

/** Names and values of the account's variables. An empty variable is one that is not set. */
function readAccount({ env, folderEnv }: Host, { wire, apiKeyName }: ProviderConfig) {
  const { prefix } = accounts[wire]
  const keyName = apiKeyName ?? `${prefix}_API_KEY`
  const baseUrlName = `${prefix}_BASE_URL`
  const ownKey = env[keyName]
  const ownUrl = env[baseUrlName]
  const folderUrl = folderEnv[baseUrlName]
  return {
    keyName,
    baseUrlName,
    key: ownKey || folderEnv[keyName],
    baseUrl: ownUrl || (ownKey ? undefined : folderUrl),
    /** `.env` names an endpoint that would get a key of the environment. */
    isIgnored: Boolean(ownKey && folderUrl && !ownUrl),
  }
}

/** Read anew for each call: cheap, and the error for a missing key belongs to the call. */
function openEndpoint(host: Host, config: ProviderConfig, wire: Wire): Endpoint {
  const { keyHeader } = accounts[config.wire]
  const { keyName, key, baseUrl } = readAccount(host, config)
  if (!key) {
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
    baseUrl: checkBaseUrl(baseUrl || config.baseUrl || wire.baseUrl, config.wire),
    headers: { ...config.headers, ...Object.fromEntries([keyHeader(key)]) },
    clock: host.clock,
    idleMs: config.idleMs,
    redact: (text) => host.secrets.redact(text),
  }
}

/** `fetch` would repeat a URL it does not like, with the password in it. */
function checkBaseUrl(text: string, wire: WireName): string {
  const url = URL.parse(text)
  if (url === null) throw new LlmError(`the base URL for ${wire} is no URL`, 'INVALID_REQUEST')
  if (url.username === '' && url.password === '') return text
  throw new LlmError(
    `the base URL for ${wire} holds a user or a password; leave them out`,
    'INVALID_CREDENTIAL',
  )
}

function bearer(key: string): [string, string] {
  return ['authorization', `Bearer ${key}`]
}
