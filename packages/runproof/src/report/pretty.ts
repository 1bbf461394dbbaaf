/**
 * The reporter for people: a line a scenario, the failures in words, and an end
 * that says what the screens may claim and what that means.
 */
import { messageFor, statuses, type Status } from '@runproof/progress'
import picocolors from 'picocolors'
import type { ScenarioResult } from '../run/scenario.ts'
import { visible } from '../visible.ts'
import type { Reporter, SuiteSummary } from './reporter.ts'

export type PrettyOptions = {
  /** Takes one line without its end. */
  write: (line: string) => void
  colours: boolean
  /** Folder that paths are shown relative to. */
  from: string
}

type Paint = ReturnType<typeof picocolors.createColors>

const nameUnitsMax = 44

export function createPrettyReporter({ write, colours, from }: PrettyOptions): Reporter {
  const paint = picocolors.createColors(colours)
  let width = 0
  return {
    begin(scenarios) {
      const lengths = scenarios.map(({ name }) => visible(name).length)
      width = Math.min(Math.max(0, ...lengths), nameUnitsMax)
    },
    result(result) {
      write(resultLine(result, width, paint))
    },
    async finish(summary) {
      const failed = summary.results.filter(({ passed }) => !passed)
      if (failed.length > 0) {
        // A run without failures needs none of it.
        const { renderFailures } = await import('./failure-text.ts')
        for (const result of failed) {
          write('')
          for (const line of renderFailures(result, { colours, from }).split('\n')) write(line)
        }
      }
      write('')
      for (const line of summaryLines(summary, paint)) write(line)
    },
  }
}

function resultLine(result: ScenarioResult, width: number, paint: Paint): string {
  const { scenario, passed, claim, durationMs, failures } = result
  const mark = passed ? paint.green('✓') : paint.red('✗')
  const name = visible(scenario).padEnd(width)
  const time = paint.dim(`${durationMs} ms`.padStart(8))
  const said = passed ? (claim ?? '–').padEnd(10) : paint.red(failures[0]?.code ?? 'failed')
  return `${mark} ${name}  ${time}  ${said}`.trimEnd()
}

function summaryLines(
  { results, leftOut, durationMs, jobs }: SuiteSummary,
  paint: Paint,
): string[] {
  const failed = results.filter(({ passed }) => !passed).length
  const count = `${results.length} ${results.length === 1 ? 'scenario' : 'scenarios'}`
  const seconds = `${(durationMs / 1000).toFixed(1)} s`
  const verdict = failed === 0 ? paint.green('all passed') : paint.red(`${failed} failed`)
  const others = leftOut === 0 ? '' : `, ${paint.yellow(`${leftOut} left out`)}`
  const claims = statuses.flatMap((status) => claimLine(status, results))
  return [
    `${count}: ${verdict}${others}, in ${seconds} with ${jobs} ${jobs === 1 ? 'job' : 'jobs'}, no key, no network`,
    ...(claims.length === 0 ? [] : ['', 'What a screen may claim at the end of them:', ...claims]),
  ]
}

function claimLine(status: Status, results: readonly ScenarioResult[]): string[] {
  const count = results.filter(({ claim }) => claim === status).length
  if (count === 0) return []
  return [`  ${status.padEnd(10)} ${String(count).padStart(3)}  ${messageFor(status)}`]
}
