/**
 * The plain driver: lines of JSON in, lines of JSON out. It knows `send` and
 * `waitFor`; everything around it is the same as for ACP.
 */
import { outcomeOf, passed, waitFor, type Driver, type DriverOptions } from './driver.ts'
import { describeForeignStep } from './problem.ts'

export function createJsonlDriver(options: DriverOptions): Driver {
  const { channel } = options
  let since = 0
  return {
    async runStep(step) {
      if (step.op === 'send') {
        since = channel.transcript.length
        channel.send(step.message)
        if (step.until === undefined) return passed
        return outcomeOf(await waitFor({ message: step.until }, since, options))
      }
      if (step.op === 'waitFor') return outcomeOf(await waitFor(step, since, options))
      const problem = describeForeignStep(step.op, 'jsonl', 'send, waitFor')
      return { problem, turnEnded: false }
    },
    close: () => [],
  }
}
