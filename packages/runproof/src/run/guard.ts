/** What is wrong with scenario folders before anything runs: the guards, as failures. */
import { relative, sep } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Finding } from '../guard/finding.ts'
import { guardNames } from '../guard/name.ts'
import { guardPins } from '../guard/pin.ts'
import { createSecretFinder, guardSecrets } from '../guard/secret.ts'
import { readSnapshot, type Snapshot } from '../guard/snapshot.ts'
import { guardScenario } from '../guard/suite.ts'
import { scenarioFiles, type BrokenScenario, type Scenario } from '../scenario/scenario.ts'
import type { Selection } from '../scenario/select.ts'
import type { Failure } from './failure.ts'

/** Goldens that a first run makes; to have none yet is no reason not to run. */
const madeByRun: ReadonlySet<string> = new Set([scenarioFiles.stdout, scenarioFiles.progress])

/** Why the folder is refused; none: it may run. */
export async function guardFolder(snapshot: Snapshot): Promise<Failure[]> {
  const { folder } = snapshot
  const findings = await guardScenario(snapshot)
  return findings
    .filter((finding) => !isFirstRun(finding, folder) && !isShownByRun(finding))
    .map((finding) => failureOf(finding, folder))
}

/** Secrets in the folder, which make its run count for nothing. */
export async function findSecrets(
  snapshot: Snapshot,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Failure[]> {
  const findings = await guardSecrets(snapshot, await createSecretFinder(env))
  return findings.map((finding) => failureOf(finding, snapshot.folder))
}

/** Whether a class has one pin, and a name one folder, shows only on the whole; of a part nothing is said. */
export async function findRefusals(
  scenarios: readonly (Scenario | BrokenScenario)[],
  { scenarios: wanted = [], agent, filter, shard }: Selection,
  config: Config,
): Promise<Map<string, Failure[]>> {
  const isPart =
    wanted.length > 0 || agent !== undefined || filter !== undefined || shard !== undefined
  return isPart ? new Map() : guardTogether(scenarios, config)
}

/** What only shows when all scenarios are looked at together, by scenario folder. */
async function guardTogether(
  scenarios: readonly (Scenario | BrokenScenario)[],
  { agents }: Config,
): Promise<Map<string, Failure[]>> {
  const whole = scenarios.filter((one): one is Scenario => 'input' in one)
  const snapshots = await Promise.all(
    whole.map(async (one) => ({
      agent: one.agent,
      snapshot: await readSnapshot(one, agents[one.agent] ?? null),
    })),
  )
  const byAgent = Map.groupBy(snapshots, ({ agent }) => agent)
  const findings = [
    ...[...byAgent.values()].flatMap((group) => guardPins(group.map(({ snapshot }) => snapshot))),
    ...guardNames(scenarios.map(({ folder }) => folder)),
  ]
  const failures = new Map<string, Failure[]>()
  for (const finding of findings) {
    const folder = whole.find((one) => isWithin(finding.path, one.folder))?.folder
    if (folder === undefined) continue
    failures.set(folder, [...(failures.get(folder) ?? []), failureOf(finding, folder)])
  }
  return failures
}

function failureOf({ path, line, message }: Finding, folder: string): Failure {
  const file = fileIn(folder, path)
  const place = line === null ? file : `${file}:${line}`
  return { code: 'guard', step: null, message: `${place}: ${message}`, details: [] }
}

const fileIn = (folder: string, path: string): string =>
  relative(folder, path).split(sep).join('/') || '.'

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}${sep}`)

const isFirstRun = ({ code, path }: Finding, folder: string): boolean =>
  code === 'missing-file' && madeByRun.has(fileIn(folder, path))

/** A run's output is in normal form, so such a golden differs from it, and the difference can be accepted. */
const isShownByRun = ({ code }: Finding): boolean => code === 'normal-form'
