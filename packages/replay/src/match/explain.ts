/**
 * Which recorded request a request that matched none comes nearest to, to say
 * what changed. Only words come of it: nothing is served by nearness.
 */
import { diffFields } from './difference.ts'
import type { FieldDifference } from './difference.ts'
import type { CanonicalRequest } from './key.ts'
import { laneOf } from './lane.ts'

/** A recorded request that a sent one may be held against. */
export type Candidate = { canonical: CanonicalRequest; isServed: boolean }

export type Nearest<C extends Candidate> = { candidate: C; differences: FieldDifference[] }

/**
 * Of the same endpoint before others, of the same lane before others, then with
 * the fewest differing values, then not served yet, then first recorded. null
 * without a candidate.
 */
export function findNearest<C extends Candidate>(
  sent: CanonicalRequest,
  candidates: readonly C[],
): Nearest<C> | null {
  const lane = laneOf(sent.body)
  const sameEndpoint = narrow(candidates, ({ canonical }) => canonical.endpoint === sent.endpoint)
  const sameLane = narrow(sameEndpoint, ({ canonical }) => laneOf(canonical.body) === lane)
  let best: (Nearest<C> & { cost: number }) | null = null
  for (const candidate of sameLane) {
    const differences = diffFields(candidate.canonical, sent)
    const cost = differences.reduce((sum, difference) => sum + valueCount(difference), 0)
    const isBetter =
      best === null ||
      cost < best.cost ||
      (cost === best.cost && best.candidate.isServed && !candidate.isServed)
    if (isBetter) best = { candidate, differences, cost }
  }
  return best === null ? null : { candidate: best.candidate, differences: best.differences }
}

/** Those that fit, or all when none does. */
function narrow<T>(items: readonly T[], fits: (item: T) => boolean): readonly T[] {
  const fitting = items.filter((item) => fits(item))
  return fitting.length === 0 ? items : fitting
}

function valueCount({ recorded, sent }: FieldDifference): number {
  return Math.max(countValues(recorded), countValues(sent))
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1)
}
