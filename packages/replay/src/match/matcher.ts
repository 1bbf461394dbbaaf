/**
 * Requests against the exchanges that were recorded. A request gets the first
 * exchange with its key that nobody was given yet, and nothing else ever.
 */

/** What a matcher holds of an exchange. */
export type Matchable = { key: string; isOptional: boolean }

type Taken<T> =
  | { kind: 'found'; item: T }
  /** No exchange has the key. */
  | { kind: 'unknown' }
  /** All exchanges with the key have been given out: how many there are, and the last of them. */
  | { kind: 'exhausted'; same: number; last: T }

export type Matcher<T extends Matchable> = {
  /** Gives out an exchange. */
  take(key: string): Taken<T>
  /** Makes an exchange that was given out the next one of its key again; it stays used. */
  putBack(item: T): void
  isUsed(item: T): boolean
  /** Exchanges that had to be asked for and were not, as recorded. */
  unused(): T[]
}

export type MatcherOptions = {
  /** When all exchanges with a key were given out, begin with the first one again. */
  repeat?: boolean
}

/** @param items in the order of their recordings. */
export function createMatcher<T extends Matchable>(
  items: readonly T[],
  { repeat = false }: MatcherOptions = {},
): Matcher<T> {
  const queues = new Map<string, { same: readonly T[]; last: T; free: T[] }>()
  for (const [key, same] of Map.groupBy(items, (item) => item.key)) {
    const last = same.at(-1)
    if (last !== undefined) queues.set(key, { same, last, free: [...same] })
  }
  const used = new Set<T>()
  return {
    take(key) {
      const queue = queues.get(key)
      if (queue === undefined) return { kind: 'unknown' }
      const { same, last, free } = queue
      if (free.length === 0 && repeat) free.push(...same)
      const item = free.shift()
      if (item === undefined) return { kind: 'exhausted', same: same.length, last }
      used.add(item)
      return { kind: 'found', item }
    },
    putBack: (item) => void queues.get(item.key)?.free.unshift(item),
    isUsed: (item) => used.has(item),
    unused: () => items.filter((item) => !item.isOptional && !used.has(item)),
  }
}
