/**
 * The live view on a terminal: a bar for each scenario that runs, with its step
 * and what a screen may claim at this moment, and one for the whole. Lines of
 * another reporter go above the bars.
 */
import progress from 'cli-progress'
import { undoOnLeaving } from '../launch/reaper.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { visible } from '../visible.ts'
import type { Reporter } from './reporter.ts'

export type LiveOptions = {
  stream: NodeJS.WritableStream
  /** Makes the reporter whose lines are shown above the bars. */
  createInner: (write: (line: string) => void) => Reporter
  /** Where that reporter's lines go after the bars are gone. */
  write: (line: string) => void
}

const nameUnitsMax = 32

export function createLiveReporter({ stream, createInner, write }: LiveOptions): Reporter {
  const bars = new progress.MultiBar(
    {
      stream,
      format: '{name} {bar} {value}/{total} {what}',
      barsize: 16,
      clearOnComplete: true,
      hideCursor: true,
      forceRedraw: true,
      emptyOnZero: true,
    },
    progress.Presets.shades_classic,
  )
  // A terminal without a cursor and without line ends is not to be left to anybody.
  const guard = undoOnLeaving(() => bars.stop())
  let isLive = true
  const inner = createInner((line) => (isLive ? bars.log(`${line}\n`) : write(line)))
  const running = new Map<string, ReturnType<typeof bars.create>>()
  let whole: ReturnType<typeof bars.create> | undefined
  return {
    begin(scenarios) {
      inner.begin?.(scenarios)
      whole = bars.create(scenarios.length, 0, { name: shortName('all scenarios'), what: '' })
    },
    progress(scenario, { step, stepCount, op, claim }) {
      const bar = running.get(scenario.folder) ?? createBar(bars, scenario, stepCount)
      running.set(scenario.folder, bar)
      bar.update(step, { what: claim === null ? op : `${op} → ${claim}` })
    },
    result(result) {
      const bar = running.get(result.folder)
      if (bar !== undefined) bars.remove(bar)
      running.delete(result.folder)
      whole?.increment()
      inner.result?.(result)
    },
    async finish(summary) {
      bars.update()
      bars.stop()
      guard.release()
      isLive = false
      await inner.finish(summary)
    },
  }
}

function createBar(bars: progress.MultiBar, { name }: Scenario, stepCount: number) {
  return bars.create(stepCount, 0, { name: shortName(name), what: '' })
}

function shortName(name: string): string {
  return visible(name).slice(0, nameUnitsMax).padEnd(nameUnitsMax)
}
