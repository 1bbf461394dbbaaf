/** All guards over a set of scenarios; no agent runs. */
import type { Redactor } from '@runproof/replay/redact'
import type { Config } from '../config/config.ts'
import type { BrokenScenario, Scenario } from '../scenario/scenario.ts'
import { guardFiles } from './files.ts'
import { reportFor, type Finding } from './finding.ts'
import { guardGoldens } from './golden.ts'
import { guardLogs } from './log.ts'
import { guardMachinePaths } from './machine-path.ts'
import { guardNames } from './name.ts'
import { guardPins } from './pin.ts'
import { guardSecrets } from './secret.ts'
import { guardRecording } from './recording.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

export type GuardedScenario = (Omit<Scenario, 'agent'> & { agent: string | null }) | BrokenScenario

/**
 * Findings in the order of the scenarios, then those about several.
 * @param finder of secrets: `createSecretFinder(env)`.
 */
export async function runGuards(
  scenarios: readonly GuardedScenario[],
  agents: Config['agents'],
  finder: Redactor,
): Promise<Finding[]> {
  const snapshots: (Snapshot & { agentName: string | null })[] = []
  const broken: Finding[] = []
  for (const scenario of scenarios) {
    if ('problems' in scenario) {
      const report = reportFor(scenario)
      broken.push(
        ...scenario.problems.map((problem) => report('bad-input', 'input.json', null, problem)),
      )
      continue
    }
    const agent = scenario.agent === null ? null : (agents[scenario.agent] ?? null)
    snapshots.push({ ...(await readSnapshot(scenario, agent)), agentName: scenario.agent })
  }
  const byAgent = Map.groupBy(snapshots, ({ agentName }) => agentName)
  const guarded = await Promise.all(
    snapshots.map(async (snapshot) => [
      ...(await guardScenario(snapshot)),
      ...(await guardSecrets(snapshot, finder)),
    ]),
  )
  return [
    ...broken,
    ...guarded.flat(),
    ...[...byAgent.values()].flatMap(guardPins),
    ...guardNames(scenarios.map(({ folder }) => folder)),
  ]
}

/** The guards that need one folder only, but the one for secrets, which takes its time. */
export async function guardScenario(snapshot: Snapshot): Promise<Finding[]> {
  return [
    ...guardFiles(snapshot),
    ...guardLogs(snapshot),
    ...(await guardRecording(snapshot)),
    ...guardGoldens(snapshot),
    ...guardMachinePaths(snapshot),
  ]
}
