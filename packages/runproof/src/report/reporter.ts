/**
 * What a reporter is. Results reach it in the order of the scenarios, however
 * many ran at once, so that two runs print alike; progress comes as it happens.
 */
import type { ScenarioProgress } from '../run/execute.ts'
import type { ScenarioResult } from '../run/scenario.ts'
import type { SuiteEvents } from '../run/suite.ts'
import type { BrokenScenario, Scenario } from '../scenario/scenario.ts'

export type SuiteSummary = {
  results: readonly ScenarioResult[]
  /** Scenarios that were not run, for their agents are not installed here and need not be. */
  leftOut: number
  durationMs: number
  jobs: number
}

export type Reporter = {
  begin?(scenarios: readonly (Scenario | BrokenScenario)[]): void
  started?(scenario: Scenario | BrokenScenario): void
  progress?(scenario: Scenario, progress: ScenarioProgress): void
  /** In the order of the scenarios. */
  result?(result: ScenarioResult): void
  finish(summary: SuiteSummary): Promise<void>
}

/** The events of a suite for a reporter: results are held back until all before them are there. */
export function orderResults(
  scenarios: readonly (Scenario | BrokenScenario)[],
  reporter: Reporter,
): SuiteEvents {
  const waiting = new Map<string, ScenarioResult>()
  let next = 0
  return {
    onStart: (scenario) => reporter.started?.(scenario),
    onProgress: (scenario, progress) => reporter.progress?.(scenario, progress),
    onEnd(result) {
      waiting.set(result.folder, result)
      for (;;) {
        const folder = scenarios[next]?.folder
        const ready = folder === undefined ? undefined : waiting.get(folder)
        if (ready === undefined) return
        next++
        reporter.result?.(ready)
      }
    },
  }
}
