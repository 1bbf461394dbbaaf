/**
 * Many scenarios: some at a time, each in a world of its own, results in the
 * order of the scenarios. How many run at once changes nothing but the time.
 */
import { availableParallelism } from 'node:os'
import type { Scenario, BrokenScenario } from '../scenario/scenario.ts'
import type { ScenarioProgress } from './execute.ts'
import { explainError } from '../error.ts'
import {
  describeBroken,
  describeUnrun,
  runScenario,
  type RunOptions,
  type ScenarioResult,
} from './scenario.ts'

/** What happens while a suite runs; a reporter is a set of these. */
export type SuiteEvents = {
  onStart?(scenario: Scenario | BrokenScenario): void
  onProgress?(scenario: Scenario, progress: ScenarioProgress): void
  /** In the order in which scenarios end. */
  onEnd?(result: ScenarioResult): void
}

export type SuiteOptions = Omit<RunOptions, 'onProgress'> & {
  /** How many scenarios may run at once. */
  jobs: number
  events?: SuiteEvents
}

/** More agents at once than this only wait for each other. */
const jobsDefaultMax = 8

export const defaultJobs = (): number => Math.min(availableParallelism(), jobsDefaultMax)

/** @returns one result a scenario, in the order given. */
export async function runSuite(
  scenarios: readonly (Scenario | BrokenScenario)[],
  { jobs, events, ...options }: SuiteOptions,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (;;) {
      const index = next++
      const scenario = scenarios[index]
      if (scenario === undefined) return
      events?.onStart?.(scenario)
      const result = await runOne(scenario, options, events)
      results[index] = result
      events?.onEnd?.(result)
    }
  }
  const workers = Array.from({ length: Math.min(jobs, scenarios.length) }, work)
  // All are waited for, so that no agent is left running when one cannot be started.
  const ends = await Promise.allSettled(workers)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return results
}

async function runOne(
  scenario: Scenario | BrokenScenario,
  options: RunOptions,
  events: SuiteEvents | undefined,
): Promise<ScenarioResult> {
  if ('problems' in scenario) return describeBroken(scenario)
  const onProgress = (progress: ScenarioProgress): void => events?.onProgress?.(scenario, progress)
  try {
    return await runScenario(scenario, { ...options, onProgress })
  } catch (error) {
    // One that cannot be run is no reason to hear nothing of the others.
    const told = explainError(error)
    if (told === null) throw error
    return describeUnrun(scenario, told)
  }
}
