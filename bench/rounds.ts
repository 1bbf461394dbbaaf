/**
 * Fair comparison on a busy machine: every contender runs once a round, in an
 * order that changes, each run is timed in CPU time of this process, and the
 * figure of a contender is its best round. Ratios of figures from one run are
 * comparable; figures from different runs are not.
 */

/** One contender; `run` does the whole workload once and returns a checksum. */
export type Contender = { name: string; run: () => unknown }

export type Figure = { name: string; cpuMs: number }

export type RoundsOptions = {
  rounds: number
  /** Called with each contender's return value in the warm-up; throws when it is wrong. */
  verify: (name: string, result: unknown) => void
}

const warmUpRuns = 3

/**
 * Runs all contenders interleaved and returns the minimum CPU milliseconds of
 * each, in the given order.
 */
export function measureRounds(contenders: readonly Contender[], options: RoundsOptions): Figure[] {
  for (const { name, run } of contenders) {
    for (let warmUp = 0; warmUp < warmUpRuns; warmUp++) options.verify(name, run())
  }
  const best = new BestTimes(contenders)
  for (const contender of shuffle(contenders, options.rounds)) {
    const start = process.cpuUsage()
    contender.run()
    best.record(contender, process.cpuUsage(start))
  }
  return best.figures()
}

/** As `measureRounds`, for contenders whose `run` may return a promise. */
export async function measureRoundsAsync(
  contenders: readonly Contender[],
  options: RoundsOptions,
): Promise<Figure[]> {
  for (const { name, run } of contenders) {
    for (let warmUp = 0; warmUp < warmUpRuns; warmUp++) options.verify(name, await run())
  }
  const best = new BestTimes(contenders)
  for (const contender of shuffle(contenders, options.rounds)) {
    const start = process.cpuUsage()
    await contender.run()
    best.record(contender, process.cpuUsage(start))
  }
  return best.figures()
}

/**
 * Every contender once a round, in an order that changes. Shuffled, not
 * rotated: a contender must not always run in the garbage and the cold caches
 * of the same other one. The order is the same in every process.
 */
function* shuffle(contenders: readonly Contender[], rounds: number): Generator<Contender> {
  let state = 1
  for (let round = 0; round < rounds; round++) {
    const order = contenders.map((contender) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return { contender, place: state }
    })
    for (const { contender } of order.toSorted((a, b) => a.place - b.place)) yield contender
  }
}

class BestTimes {
  readonly #best: Map<Contender, number>

  constructor(contenders: readonly Contender[]) {
    this.#best = new Map(contenders.map((contender) => [contender, Number.POSITIVE_INFINITY]))
  }

  record(contender: Contender, { user, system }: NodeJS.CpuUsage): void {
    const cpuMs = (user + system) / 1000
    this.#best.set(contender, Math.min(cpuMs, this.#best.get(contender) ?? cpuMs))
  }

  figures(): Figure[] {
    return [...this.#best].map(([{ name }, cpuMs]) => ({ name, cpuMs }))
  }
}

/** `factor(a, b)`: how many times the CPU of `b` contender `a` needs; above 1 `b` is faster. */
export function factor(a: Figure, b: Figure): number {
  return a.cpuMs / b.cpuMs
}
