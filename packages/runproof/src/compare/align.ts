/**
 * Two sequences of events laid side by side: a longest common subsequence over
 * what the events say (numbering aside), then, in each gap, pairs of one label.
 */
import { diffArrays } from 'diff'
import type { Event } from './event.ts'

/** One step of the alignment; at least one side is there. Order is that of both sequences. */
export type Pair = { expected: Event; actual: Event | null } | { expected: null; actual: Event }

/** More edits than this, and the outputs have nothing to do with each other: one gap. */
const editsMax = 1000

/** A larger gap is paired in order, without looking for the best pairs. */
const gapCellsMax = 250_000

export function alignEvents(expected: readonly Event[], actual: readonly Event[]): Pair[] {
  const parts = diffArrays(
    expected.map(({ shape }) => shape),
    actual.map(({ shape }) => shape),
    { maxEditLength: editsMax },
  ) ?? [
    { removed: true, added: false, count: expected.length },
    { removed: false, added: true, count: actual.length },
  ]
  const pairs: Pair[] = []
  let left = 0
  let right = 0
  let gapLeft = 0
  let gapRight = 0
  const closeGap = (): void => {
    const gap = pairGap(expected.slice(gapLeft, left), actual.slice(gapRight, right))
    // One by one: a call takes no hundred thousand arguments.
    for (const pair of gap) pairs.push(pair)
  }
  for (const { added, removed, count } of parts) {
    if (added) right += count
    else if (removed) left += count
    else {
      closeGap()
      for (let step = 0; step < count; step++) {
        const [before, after] = [expected[left++], actual[right++]]
        if (before !== undefined && after !== undefined)
          pairs.push({ expected: before, actual: after })
      }
      gapLeft = left
      gapRight = right
    }
  }
  closeGap()
  return pairs
}

/** How much two events of a gap want to be one that changed; 0 = not at all. */
function affinity(before: Event, after: Event): number {
  if (before.label !== after.label) return 0
  return before.identity === after.identity ? 3 : 2
}

/** The pairs of the greatest total affinity, in order. */
function pairGap(expected: readonly Event[], actual: readonly Event[]): Pair[] {
  const rows = expected.length
  const columns = actual.length
  if (rows === 0 || columns === 0 || rows * columns > gapCellsMax)
    return pairInOrder(expected, actual)
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1))
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const [before, after] = [expected[row], actual[column]]
      const own = before === undefined || after === undefined ? 0 : affinity(before, after)
      const paired = own === 0 ? 0 : own + at(row + 1, column + 1)
      const line = best[row]
      if (line !== undefined) {
        line[column] = Math.max(paired, at(row + 1, column), at(row, column + 1))
      }
    }
  }
  const pairs: Pair[] = []
  let row = 0
  let column = 0
  while (row < rows || column < columns) {
    const [before, after] = [expected[row], actual[column]]
    if (before !== undefined && after !== undefined) {
      const own = affinity(before, after)
      if (own > 0 && at(row, column) === own + at(row + 1, column + 1)) {
        pairs.push({ expected: before, actual: after })
        row++
        column++
        continue
      }
    }
    if (
      before !== undefined &&
      (after === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      pairs.push({ expected: before, actual: null })
      row++
    } else if (after !== undefined) {
      pairs.push({ expected: null, actual: after })
      column++
    }
  }
  return pairs
}

function pairInOrder(expected: readonly Event[], actual: readonly Event[]): Pair[] {
  const pairs: Pair[] = []
  const rest = [...actual]
  for (const before of expected) {
    const after = rest[0]
    if (after !== undefined && affinity(before, after) > 0) rest.shift()
    pairs.push({
      expected: before,
      actual: after !== undefined && affinity(before, after) > 0 ? after : null,
    })
  }
  return [...pairs, ...rest.map((after) => ({ expected: null, actual: after }))]
}
