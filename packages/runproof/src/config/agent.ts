/**
 * One agent of `runproof.yml` (docs/formats/runproof-yml.md): what may be
 * written, and what it means once its defaults are filled in. A preset says the
 * same things in the same words (`presets/preset.ts`).
 */
import { z } from 'zod'
import type { NormaliseRule } from '../normalise/context.ts'
import { programSchema, type Program } from '../presets/program.ts'
import { isPattern, providerSchema, type ProviderConfig } from './provider.ts'
import { commandSchema, variablesSchema } from './words.ts'

/** How long things may take, in milliseconds. */
export type Limits = {
  /** One step of the script. */
  stepMs: number
  /** The whole scenario, from spawn to the end of its last step. */
  totalMs: number
  /** From the end of stdin to the exit of the agent. */
  exitMs: number
  /** From its exit to that of its other processes. */
  settleMs: number
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
  /** The preset that it was made from. */
  preset: string | null
  /** What `{agent}` in its command stands for, and where to get it. */
  program: Program | null
  /** Program and arguments; placeholders are filled in (`placeholders.ts`). */
  command: string[]
  /** How the harness talks to it: ACP over stdio, or plain lines of JSON. */
  protocol: 'acp' | 'jsonl'
  /** Where a model stream is replayed: in the agent, at its provider, or there is none. */
  seam: 'session' | 'provider' | 'none'
  /** Only for seam `provider`. */
  provider: ProviderConfig | null
  /** Variables beside the allow-list; the same placeholders. */
  env: Record<string, string>
  /** Files written into the run's home before the agent starts, by path; the same placeholders. */
  files: Record<string, string>
  /** Working directory of the process; the same placeholders. */
  cwd: string
  /** How long an agent must be silent after a turn before the turn is taken for over. */
  quietMs: number
  /** What ends the process: the end of its stdin, as ACP wants it, or a signal. */
  endsBy: 'stdin' | 'signal'
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
  /** Whether its scenarios are left out, with a note, where it is not installed. */
  optional: boolean
}

/**
 * What changes with every release of an agent that is not ours, and says
 * nothing about a run. Its place in a golden stays.
 */
const releaseRules: readonly NormaliseRule[] = [
  { path: 'result.agentInfo.version', token: 'version' },
  { path: 'result.configOptions', token: 'options' },
  { path: 'result.models', token: 'models' },
  { path: 'params.update.configOptions', token: 'options' },
  { path: 'params.update.availableCommands', token: 'commands' },
]

/** The quiet period of agents whose turns have no other end (contract). */
const providerQuietMs = 1_500
const limitMsMax = 3_600_000

const milliseconds = z.int().min(1).max(limitMsMax)

/** Below the home: relative, and no way out of it. */
const homePath = z.string().regex(/^(?!.*(?:^|[\\/])\.\.(?:[\\/]|$))[^\\/:][^:\\]*$/, {
  message: 'is no path below the home, such as .config/agent.json',
})

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
  settleMs: milliseconds.default(300),
})

const recordSchema = z.strictObject({
  command: commandSchema.nullable().default(null),
  env: variablesSchema.default({}),
  passEnv: z.array(z.string().min(1)).default([]),
})

/** The keys of an agent as they are written. */
const keys = {
  preset: z.string().min(1).nullable().default(null),
  program: programSchema.nullable().default(null),
  command: commandSchema.optional(),
  protocol: z.enum(['acp', 'jsonl']).default('acp'),
  seam: z.enum(['session', 'provider', 'none']).optional(),
  provider: providerSchema.nullable().default(null),
  env: variablesSchema.default({}),
  files: z.record(homePath, z.string()).default({}),
  cwd: z.string().min(1).default('{cwd}'),
  quietMs: z.int().min(0).max(limitMsMax).optional(),
  endsBy: z.enum(['stdin', 'signal']).default('stdin'),
  limits: limitsSchema.prefault({}),
  record: recordSchema.prefault({}),
  normalise: z.array(ruleSchema).default([]),
  joinChunks: z.boolean().optional(),
  housekeeping: z.enum(['state', 'order']).default('state'),
  rulesOff: z.array(z.string().regex(/^[A-Z]\d+$/)).default([]),
  optional: z.boolean().default(false),
}

export const agentSchema: z.ZodType<Omit<AgentConfig, 'name'>> = z
  .strictObject(keys)
  .transform(({ command, seam: written, quietMs, joinChunks, normalise, ...agent }, context) => {
    // Not required in the schema: a preset brings it.
    if (command === undefined) {
      context.addIssue('needs "command" or "preset"')
      return z.NEVER
    }
    const isProvider = agent.provider !== null
    const seam =
      written ?? (isProvider ? 'provider' : agent.protocol === 'acp' ? 'session' : 'none')
    return {
      ...agent,
      command,
      seam,
      quietMs: quietMs ?? (seam === 'provider' ? providerQuietMs : 0),
      joinChunks: joinChunks ?? seam === 'provider',
      normalise: [...(seam === 'provider' ? releaseRules : []), ...normalise.map(withoutAbsent)],
    }
  })
  .refine(({ seam, provider }) => (seam === 'provider') === (provider !== null), {
    message: 'seam "provider" and "provider: {wire: …}" belong together',
  })

function withoutAbsent({ path, match, token }: z.output<typeof ruleSchema>): NormaliseRule {
  return { token, ...(path !== undefined && { path }), ...(match !== undefined && { match }) }
}
