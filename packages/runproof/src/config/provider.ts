/**
 * The `provider` of an agent in `runproof.yml`: how its model calls are found
 * again in a recording, and where they go while one is made.
 */
import type { WireName } from '@runproof/llm'
import { z } from 'zod'

/** Text in requests that differs from run to run, and the token that stands for it. */
type RequestMask = {
  /** A regular expression; with a group, only the group is replaced. */
  match: string
  token: string
}

/** Calls that a replay may leave unused: all that is given must hold. */
type OptionalCall = {
  /** A regular expression that the JSON of the last message matches. */
  lastMessage?: string
  /** Whether the request offers tools. */
  tools?: boolean
  /** Whether the answer has to fit a schema. */
  schema?: boolean
}

/** How an agent is told its provider over the protocol: the parameters of `providers/set`. */
export type ProviderSetting = {
  /** What the agent calls the provider; `providers/list` tells. */
  id: string
  /** What it speaks: `anthropic`, `openai` … */
  apiType: string
  /** With placeholders, as `headers`. */
  baseUrl: string
  headers: Record<string, string>
}

export type ProviderConfig = {
  wire: WireName
  /** Base URL of the real provider, without `/v1`: where `runproof record` sends what the agent asks. */
  upstream: string | null
  /** Variable of the environment of `runproof record` that holds the key; null: it needs none. */
  key: string | null
  /** Said after `initialize`; null: the agent learns its provider from its environment or files. */
  set: ProviderSetting | null
  mask: RequestMask[]
  optional: OptionalCall[]
  /** Hosts whose failed visits fail no scenario. */
  allowHosts: string[]
}

// Named here, so that reading a configuration loads no wire; the type keeps the list whole.
const wires = {
  deepseek: true,
  'openai-chat': true,
  'openai-responses': true,
  anthropic: true,
  gemini: true,
} satisfies Record<WireName, true>
const isWire = (name: string): name is WireName => Object.hasOwn(wires, name)

const pattern = z.string().min(1).refine(isPattern, { message: 'is not a regular expression' })
const host = z.string().regex(/^(\*?[^*:\s/]+|\[[0-9a-f:]+\])(?::\d+)?$/i, {
  message: 'is no name, address or *.suffix, with or without :port',
})
const token = z.string().regex(/^[A-Za-z][\w-]*$/)

const optionalCallSchema = z
  .strictObject({
    lastMessage: pattern.optional(),
    tools: z.boolean().optional(),
    schema: z.boolean().optional(),
  })
  .refine((call) => Object.values(call).some((value) => value !== undefined), {
    message: 'needs "lastMessage", "tools" or "schema"',
  })

const settingSchema: z.ZodType<ProviderSetting> = z.strictObject({
  id: z.string().min(1),
  apiType: z.string().min(1),
  baseUrl: z.string().min(1).default('{provider}'),
  headers: z.record(z.string(), z.string()).default({}),
})

export const providerSchema: z.ZodType<ProviderConfig> = z
  .strictObject({
    wire: z.enum(Object.keys(wires).filter(isWire)).optional(),
    upstream: z
      .url({
        protocol: /^https?$/,
        error: 'is no http or https address, such as https://api.example.com',
      })
      .nullable()
      .default(null),
    key: z.string().min(1).nullable().default(null),
    set: settingSchema.nullable().default(null),
    mask: z.array(z.strictObject({ match: pattern, token })).default([]),
    optional: z.array(optionalCallSchema).default([]),
    allowHosts: z.array(host).default([]),
  })
  .transform(({ wire, optional, ...provider }, context): ProviderConfig => {
    // Not required in the schema: a preset brings it.
    if (wire === undefined) {
      context.addIssue(`needs "wire": ${Object.keys(wires).join(', ')}`)
      return z.NEVER
    }
    return { ...provider, wire, optional: optional.map(withoutAbsent) }
  })

function withoutAbsent({
  lastMessage,
  tools,
  schema,
}: z.output<typeof optionalCallSchema>): OptionalCall {
  return {
    ...(lastMessage !== undefined && { lastMessage }),
    ...(tools !== undefined && { tools }),
    ...(schema !== undefined && { schema }),
  }
}

export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== ''
  } catch {
    return false
  }
}
