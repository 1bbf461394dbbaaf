/** Pending differences, gathered by what caused them. */
import type { Pending } from '../pending/store.ts'

/** Differences of one cause, by key; the first stands for all. */
export type Group = { cause: string; first: Pending; members: Pending[] }

/** Larger groups first, then by the key of the first member. */
export function groupByCause(pending: readonly Pending[]): Group[] {
  const groups: Group[] = []
  for (const [cause, members] of Map.groupBy(pending, ({ difference }) => difference.cause)) {
    const [first] = members
    if (first !== undefined) groups.push({ cause, first, members })
  }
  return groups.toSorted(
    (a, b) => b.members.length - a.members.length || (a.first.key < b.first.key ? -1 : 1),
  )
}

/** The differences that a word names: a key, a scenario, a cause, or `all`. */
export function selectPending(pending: readonly Pending[], word: string): Pending[] {
  if (word === 'all') return [...pending]
  return pending.filter(
    ({ key, difference }) =>
      key === word || difference.scenario === word || difference.cause === word,
  )
}
