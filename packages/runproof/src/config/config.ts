/**
 * What `runproof.yml` may say (docs/formats/runproof-yml.md) and what it means
 * once defaults are filled in. Its agents: `agent.ts`; reading it: `read.ts`.
 */
import { z } from 'zod'
import { agentSchema, type AgentConfig } from './agent.ts'

export type { AgentConfig, Limits, RecordConfig } from './agent.ts'
export type { ProviderConfig } from './provider.ts'

export type Config = {
  /** Absolute folder of `runproof.yml`; every relative path starts here. */
  root: string
  /** Absolute folders that hold scenarios. */
  scenarios: string[]
  agents: Record<string, AgentConfig>
}

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
