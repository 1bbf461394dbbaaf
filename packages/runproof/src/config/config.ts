/**
 * What `runproof.yml` may say (docs/formats/runproof-yml.md) and what it means
 * once defaults are filled in. Reading the file: `read.ts`.
 */
import { z } from 'zod'
import type { NormaliseRule } from '../normalise/context.ts'

/** How long things may take, in milliseconds. */
export type Limits = {
  /** One step of the script. */
  stepMs: number
  /** The whole scenario, from spawn to the end of its last step. */
  totalMs: number
  /** From the end of stdin to the exit of the agent. */
  exitMs: number
}

/** What record mode changes: a real provider needs a key, and perhaps other words. */
export type RecordConfig = {
  /** Replaces `command` while recording. */
  command: string[] | null
  /** Added to `env` while recording. */
  env: Record<string, string>
  /** Names copied from the environment of `runproof record`, such as the provider's key. */
  passEnv: string[]
}

export type AgentConfig = {
  name: string
  /** Program and arguments; `{node}`, `{root}`, `{cwd}` and `{home}` are filled in. */
  command: string[]
  /** How the harness talks to it: ACP over stdio, or plain lines of JSON. */
  protocol: 'acp' | 'jsonl'
  /** Where a model stream is replayed: in the agent, at its provider, or there is none. */
  seam: 'session' | 'provider' | 'none'
  /** Variables beside the allow-list; the same placeholders. */
  env: Record<string, string>
  /** Working directory of the process; the same placeholders. */
  cwd: string
  /** How long an agent must be silent after a turn before the turn is taken for over. */
  quietMs: number
  limits: Limits
  record: RecordConfig
  /** What is volatile in this project beyond the built-in rules. */
  normalise: NormaliseRule[]
  /** Whether adjacent chunks of a message are one line in the goldens. */
  joinChunks: boolean
  /** Whether housekeeping updates are compared as state or in order. */
  housekeeping: 'state' | 'order'
  /** Rules of `runproof check` that this agent breaks on purpose. */
  rulesOff: string[]
}

export type Config = {
  /** Absolute folder of `runproof.yml`; every relative path starts here. */
  root: string
  /** Absolute folders that hold scenarios. */
  scenarios: string[]
  agents: Record<string, AgentConfig>
}

/** The quiet period of agents whose turns have no other end (contract). */
const providerQuietMs = 1_500
const limitMsMax = 3_600_000

const milliseconds = z.int().min(1).max(limitMsMax)
const words = z.array(z.string()).min(1)
const variables = z.record(z.string().min(1), z.string())

const ruleSchema = z
  .strictObject({
    path: z.string().min(1).optional(),
    match: z.string().min(1).optional(),
    token: z.string().min(1),
  })
  .refine((rule) => rule.path !== undefined || rule.match !== undefined, {
    message: 'needs "path", "match" or both',
  })
  .refine((rule) => rule.match === undefined || isPattern(rule.match), {
    message: '"match" is not a regular expression',
  })

const limitsSchema = z.strictObject({
  stepMs: milliseconds.default(30_000),
  totalMs: milliseconds.default(120_000),
  exitMs: milliseconds.default(5_000),
})

const recordSchema = z.strictObject({
  command: words.nullable().default(null),
  env: variables.default({}),
  passEnv: z.array(z.string().min(1)).default([]),
})

const agentSchema = z
  .strictObject({
    command: words,
    protocol: z.enum(['acp', 'jsonl']).default('acp'),
    seam: z.enum(['session', 'provider', 'none']).optional(),
    env: variables.default({}),
    cwd: z.string().min(1).default('{cwd}'),
    quietMs: z.int().min(0).max(limitMsMax).optional(),
    limits: limitsSchema.prefault({}),
    record: recordSchema.prefault({}),
    normalise: z.array(ruleSchema).default([]),
    joinChunks: z.boolean().default(false),
    housekeeping: z.enum(['state', 'order']).default('state'),
    rulesOff: z.array(z.string().regex(/^[A-Z]\d+$/)).default([]),
  })
  .transform(({ seam: written, quietMs, normalise, ...agent }) => {
    const seam = written ?? (agent.protocol === 'acp' ? 'session' : 'none')
    return {
      ...agent,
      seam,
      quietMs: quietMs ?? (seam === 'provider' ? providerQuietMs : 0),
      normalise: normalise.map(withoutAbsent),
    }
  })

const fileSchema = z
  .strictObject({
    version: z.literal(1),
    scenarios: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).default('scenarios'),
    agents: z.record(z.string().regex(/^[\w.-]+$/), agentSchema),
  })
  .transform(({ scenarios, agents }) => ({
    scenarios: [scenarios].flat(),
    agents: Object.fromEntries(
      Object.entries(agents).map(([name, agent]) => [name, { ...agent, name }]),
    ),
  }))

/** The file: what may be written in, what it means out. Schema: docs/formats/runproof-yml.schema.json. */
export const configSchema: z.ZodType<Omit<Config, 'root'>> = fileSchema

function withoutAbsent({ path, match, token }: z.output<typeof ruleSchema>): NormaliseRule {
  return { token, ...(path !== undefined && { path }), ...(match !== undefined && { match }) }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== ''
  } catch {
    return false
  }
}
