/**
 * The bounded reorder buffer: events that came before their turn wait here
 * until the missing ones arrive. Opt-in; see `reorderEventsMax`.
 *
 * Invariants: held facts are in order of seq, equal ones in order of arrival;
 * ids are distinct; `eventsMax` facts at most stay held between two events.
 */
import { isSameFact } from './fact.ts'
import type { Fact } from './fact.ts'

export class Reorder {
  readonly eventsMax: number
  readonly #held: Fact[] = []

  constructor(eventsMax: number) {
    this.eventsMax = eventsMax
  }

  get held(): readonly Fact[] {
    return this.#held
  }

  find(fact: Fact): 'new' | 'same' | 'different' {
    const held = this.#held.find((other) => other.id === fact.id)
    if (held === undefined) return 'new'
    return isSameFact(held, fact) ? 'same' : 'different'
  }

  hold(fact: Fact): void {
    const index = this.#held.findLastIndex((other) => other.seq <= fact.seq)
    this.#held.splice(index + 1, 0, fact)
  }

  /** Takes out the fact that is next: the one numbered `seq` or older, or the lowest of too many. */
  takeNext(seq: number): Fact | undefined {
    const lowest = this.#held[0]
    if (lowest === undefined) return undefined
    return lowest.seq <= seq || this.#held.length > this.eventsMax ? this.#held.shift() : undefined
  }

  /** Takes out the lowest fact, whatever is missing before it. */
  takeLowest(): Fact | undefined {
    return this.#held.shift()
  }
}
