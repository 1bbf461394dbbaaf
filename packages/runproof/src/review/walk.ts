/**
 * Going through pending differences one cause at a time. Who answers is an
 * argument: people at a terminal (`prompt.ts`), or a script.
 */
import type { Accepted, Pending, PendingStore } from '../pending/store.ts'
import { groupByCause, type Group } from './group.ts'

/**
 * `each`: decide for every member of the group on its own. `accept-all`: this one
 * and everything after it. `quit`: leave the rest pending.
 */
export type Decision = 'accept' | 'reject' | 'skip' | 'each' | 'accept-all' | 'quit'

export type Reviewer = {
  /** @param position of the group, from 1, among `count`. */
  decide(group: Group, position: number, count: number): Promise<Decision>
  tell(pending: Pending, outcome: Accepted | 'rejected'): void
}

/** How many differences ended which way; `left` are still pending. */
export type Tally = { accepted: number; rejected: number; left: number }

export async function walkPending(
  pending: readonly Pending[],
  store: PendingStore,
  reviewer: Reviewer,
): Promise<Tally> {
  const tally: Tally = { accepted: 0, rejected: 0, left: 0 }
  const queue = groupByCause(pending)
  let acceptsAll = false
  for (let position = 1; position <= queue.length; position++) {
    const group = queue[position - 1]
    if (group === undefined) break
    const decision: Decision = acceptsAll
      ? 'accept'
      : await reviewer.decide(group, position, queue.length)
    if (decision === 'quit') break
    if (decision === 'each') {
      const singles = group.members.map((first) => ({ ...group, first, members: [first] }))
      queue.splice(position, 0, ...singles)
    }
    acceptsAll ||= decision === 'accept-all'
    if (decision === 'accept' || acceptsAll) await acceptMembers(group, store, reviewer, tally)
    if (decision === 'reject') await rejectMembers(group, store, reviewer, tally)
  }
  tally.left = pending.length - tally.accepted - tally.rejected
  return tally
}

export async function acceptMembers(
  { members }: Pick<Group, 'members'>,
  store: PendingStore,
  reviewer: Pick<Reviewer, 'tell'>,
  tally: Tally,
): Promise<void> {
  for (const one of members) {
    const outcome = await store.accept(one.key)
    if (outcome.accepted) tally.accepted++
    reviewer.tell(one, outcome)
  }
}

export async function rejectMembers(
  { members }: Pick<Group, 'members'>,
  store: PendingStore,
  reviewer: Pick<Reviewer, 'tell'>,
  tally: Tally,
): Promise<void> {
  for (const one of members) {
    if (await store.reject(one.key)) tally.rejected++
    reviewer.tell(one, 'rejected')
  }
}
