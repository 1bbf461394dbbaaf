/**
 * Fair comparison on a busy machine: every contender runs once a round, in an
 * order that rotates, each run is timed in CPU time of this process, and the
 * figure of a contender is its best round. Ratios of figures from one run are
 * comparable; figures from different runs are not.
 */

/** One contender; `run` does the whole workload once and returns a checksum. */
export type Contender = { name: string; run: () => unknown }

export type Figure = { name: string; cpuMs: number }

/**
 * Runs all contenders interleaved and returns the minimum CPU milliseconds of
 * each, in the given order.
 * @param verify called with each contender's return value in the warm-up; throws when it is wrong.
 */
export function measureRounds(
  contenders: readonly Contender[],
  options: { rounds: number; verify: (name: string, result: unknown) => void },
): Figure[] {
  const best = contenders.map(() => Number.POSITIVE_INFINITY)
  for (const { name, run } of contenders) {
    for (let warmUp = 0; warmUp < 3; warmUp++) options.verify(name, run())
  }
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (turn + round) % contenders.length
      const contender = contenders[index]
      if (contender === undefined) continue
      const start = process.cpuUsage()
      contender.run()
      const { user, system } = process.cpuUsage(start)
      best[index] = Math.min(best[index] ?? Number.POSITIVE_INFINITY, (user + system) / 1000)
    }
  }
  return contenders.map(({ name }, index) => ({ name, cpuMs: best[index] ?? Number.NaN }))
}

/** `factor(a, b)`: how many times the CPU of `b` contender `a` needs; above 1 `b` is faster. */
export function factor(a: Figure, b: Figure): number {
  return a.cpuMs / b.cpuMs
}
