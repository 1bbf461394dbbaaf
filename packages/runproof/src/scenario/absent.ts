/**
 * Scenarios of optional agents that are not installed here: a project may hold
 * them for those who have the agent, and for its CI.
 */
import type { AgentConfig, Config } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import { locateAgent } from '../presets/locate.ts'
import { visible } from '../visible.ts'
import type { BrokenScenario, Scenario } from './scenario.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** What each optional agent lacks, by its name; those that can be started are not in it. */
export async function findAbsent(config: Config, env: Variables): Promise<Map<string, string>> {
  const optional = Object.values(config.agents).filter((agent) => agent.optional)
  const found = await Promise.all(
    optional.map(async (agent: AgentConfig) => {
      const located = await locateAgent(agent, config.root, env)
      return 'missing' in located ? [[agent.name, located.missing] as const] : []
    }),
  )
  return new Map(found.flat())
}

/**
 * The scenarios whose agents are here, and a line about those that are left out.
 * @throws RunproofError `environment` when none is left.
 */
export async function leaveOutAbsent(
  config: Config,
  scenarios: readonly (Scenario | BrokenScenario)[],
  env: Variables,
): Promise<{ scenarios: (Scenario | BrokenScenario)[]; leftOut: number; note: string | null }> {
  const absent = await findAbsent(config, env)
  const left = scenarios.filter((one) => !('agent' in one) || !absent.has(one.agent))
  const count = scenarios.length - left.length
  if (count === 0) return { scenarios: left, leftOut: count, note: null }
  const missing = [...absent].filter(([name]) =>
    scenarios.some((one) => 'agent' in one && one.agent === name),
  )
  if (left.length === 0) {
    throw new RunproofError('environment', missing.map(([, reason]) => reason).join('\n'))
  }
  const names = missing.map(([name]) => visible(name)).join(', ')
  const what = count === 1 ? 'a scenario' : `${count} scenarios`
  return {
    scenarios: left,
    leftOut: count,
    note: `left out ${what}: not installed here are ${names}; runproof doctor says how to get them`,
  }
}
