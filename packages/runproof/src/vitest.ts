/**
 * `runproof/vitest`: scenarios as tests, one each, so that a project's own test
 * run replays them: `-t` chooses by name, `-u` writes the goldens that differ
 * (transcript and progress; a session log is written by `runproof record` alone).
 *
 * In watch mode name the scenarios folder in vitest's `forceRerunTriggers`: a
 * golden is no module, so vitest does not see it change.
 */
import { describe, expect, it } from 'vitest'
import { readConfig } from './config/read.ts'
import { createPendingStore, pendingKey, type PendingStore } from './pending/store.ts'
import { renderFailures } from './report/failure-text.ts'
import { findRefusals } from './run/guard.ts'
import { readPins } from './run/header.ts'
import { describeBroken, runScenario, type ScenarioResult } from './run/scenario.ts'
import { findAbsent } from './scenario/absent.ts'
import { selectScenarios, type Selection } from './scenario/select.ts'
import { isReadOnly } from './terminal.ts'

export type DefineOptions = Omit<Selection, 'shard' | 'orphans'> & {
  /** Where to look for `runproof.yml`, upwards. Default: the working folder. */
  folder?: string
  /** Lets the scenarios of an agent run at the same time, as many as vitest's `maxConcurrency`. */
  concurrent?: boolean
}

/** Beyond a scenario's own limits: folders, comparing. */
const overheadMs = 10_000

/** Defines the tests; call it with `await` at the top of a test file. */
export async function defineScenarios(options: DefineOptions = {}): Promise<void> {
  const { folder = process.cwd(), concurrent = false, ...selection } = options
  const config = await readConfig(folder)
  const scenarios = await selectScenarios(config, { ...selection, orphans: true })
  const pins = await readPins(config, scenarios)
  const { env } = process
  const refusals = await findRefusals(scenarios, selection, config)
  const absent = await findAbsent(config, env)
  const pending = isReadOnly({ env }) ? null : createPendingStore(config.root)
  const byAgent = Map.groupBy(scenarios, (one) => ('agent' in one ? one.agent : 'no agent'))
  for (const [agent, members] of byAgent) {
    const limits = config.agents[agent]?.limits
    const timeout = (limits?.totalMs ?? 0) + (limits?.exitMs ?? 0) + overheadMs
    describe(agent, { concurrent }, () => {
      const missing = absent.get(agent)
      for (const scenario of members) {
        if (missing !== undefined) {
          it.skip(`${scenario.name} (${missing})`)
          continue
        }
        it(scenario.name, { timeout }, async () => {
          const result =
            'problems' in scenario
              ? describeBroken(scenario)
              : await runScenario(scenario, {
                  config,
                  env,
                  pins,
                  pending,
                  outFolder: null,
                  refusals,
                })
          const left = await acceptGoldens(result, pending)
          if (!left.passed) throw failureOf(left, folder)
        })
      }
    })
  }
}

/** With `-u` the goldens that differ are written, and what is left is the result. */
async function acceptGoldens(
  result: ScenarioResult,
  pending: PendingStore | null,
): Promise<ScenarioResult> {
  if (pending === null || !isUpdating()) return result
  const failures = []
  for (const failure of result.failures) {
    const { difference } = failure
    const accepted =
      difference !== undefined ? await pending.accept(pendingKey(difference)) : { accepted: false }
    if (!accepted.accepted) failures.push(failure)
  }
  return { ...result, failures, passed: failures.length === 0 }
}

/** Whether vitest runs with `-u`. Only its release 5 has a public name for that. */
function isUpdating(): boolean {
  const state: object = expect.getState().snapshotState
  const names = ['snapshotUpdateState', '_updateSnapshot']
  return names.some((name) => Reflect.get(state, name) === 'all')
}

/** The text is the whole story; a stack would point here. */
function failureOf(result: ScenarioResult, from: string): Error {
  const error = new Error(renderFailures(result, { colours: false, from }))
  error.stack = error.message
  return error
}
