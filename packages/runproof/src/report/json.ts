/** The reporter for programs: a JSON line a scenario, one more at the end. Nothing in it moves the cursor. */
import { visibleJson } from '../visible.ts'
import type { Reporter } from './reporter.ts'

export function createJsonReporter(write: (line: string) => void): Reporter {
  return {
    result: (result) => write(visibleJson(result)),
    async finish({ results, leftOut, durationMs, jobs }) {
      const failed = results.filter(({ passed }) => !passed).length
      const passed = results.length - failed
      write(visibleJson({ end: true, passed, failed, leftOut, durationMs, jobs }))
    },
  }
}
