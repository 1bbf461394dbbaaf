/**
 * The ledger: which events were seen, exactly, and the text they carried.
 *
 * Each event takes the next slot. Identity is never a hash: a slot keeps the
 * event's own piece (see fact.ts). An id costs nothing as long as the log is
 * regular, that is, as long as slot n holds the id `<run>:<n + 1>` with that
 * seq, as the producer of this package writes it; from the first irregular
 * event on ids are kept in a map.
 *
 * With a window only the newest `window` slots are remembered. What lies
 * before is forgotten: its ids count as new, and its text is dropped. An id of
 * the regular part is still known by its number, so its reuse under another
 * seq is told for ever.
 */
import { codes, isSameFact } from './fact.ts'
import type { Fact } from './fact.ts'
import {
  pageEnd,
  pageEntry,
  pageOf,
  pageSlotsMax,
  pageText,
  pageUnitsMax,
  sealPage,
} from './page.ts'
import type { Entry, Page } from './page.ts'

/** Engines limit a Map to 2^24 entries; a further one is begun well before. */
const idsPerMapMax = 2 ** 22

/** Irregular ids whose slots lie from `first` on. */
type IdMap = { first: number; slots: Map<string, number> }

/** Where a ledger begins: `fromNothing`, or where a snapshot left off. */
export type LedgerStart = {
  /** Slots before the first one that will be added. */
  forgotten: number
  /** How many slots, from 0 on, were regular. */
  regular: number
  /** Deltas in slots from here on came too late to be text of the run. */
  textSlots: number
  /** UTF-16 units of text that went with the forgotten slots. */
  textDropped: number
}

const fromNothing: LedgerStart = {
  forgotten: 0,
  regular: 0,
  textSlots: Number.POSITIVE_INFINITY,
  textDropped: 0,
}

export class Ledger {
  readonly #prefix: string
  readonly #window: number
  /** Slots taken so far, the forgotten ones included. */
  #slots: number
  #regular: number
  #textSlots: number
  #textUnits: number
  readonly #pages: Page[] = []
  /** Facts not sealed in a page yet; they hold the newest slots. */
  #tail: Fact[] = []
  #tailUnits = 0
  /** Oldest first; never empty. */
  readonly #ids: IdMap[]

  constructor(run: string, window: number | null, start: LedgerStart = fromNothing) {
    this.#prefix = `${run}:`
    this.#window = window ?? Number.POSITIVE_INFINITY
    this.#slots = start.forgotten
    this.#regular = Math.min(start.regular, start.forgotten)
    this.#textSlots = start.textSlots
    this.#textUnits = start.textDropped
    this.#ids = [{ first: start.forgotten, slots: new Map() }]
  }

  /** How many slots are no longer remembered; 0 without a window. */
  get forgotten(): number {
    return Math.max(0, this.#slots - this.#window)
  }

  /** UTF-16 units of text that went with the forgotten slots. */
  get textDropped(): number {
    return this.forgotten === 0 ? 0 : this.#textUnits - this.text.length
  }

  /** Whether the id was seen, and if so whether with the very same content. */
  find(fact: Fact): 'new' | 'same' | 'different' {
    const number = this.#regularNumber(fact.id)
    const isRegular = number > 0 && number <= this.#regular
    const slot = isRegular ? number - 1 : this.#irregularSlot(fact.id)
    if (slot === undefined) return 'new'
    if (slot < this.forgotten) return isRegular && fact.seq !== number ? 'different' : 'new'
    return isSameFact(this.#entry(slot), fact) ? 'same' : 'different'
  }

  /** Remembers an event that `find` called new. */
  add(fact: Fact): void {
    const { id, seq, code, piece } = fact
    if (this.#tail.length > 0 && this.#tailUnits + piece.length > pageUnitsMax) this.#seal()
    const slot = this.#slots
    if (this.#regular === slot && seq === slot + 1 && this.#regularNumber(id) === seq) {
      this.#regular++
    } else {
      this.#newestIds(slot).set(id, slot)
    }
    if (code === codes.textDelta && slot < this.#textSlots) this.#textUnits += piece.length
    this.#tail.push(fact)
    this.#tailUnits += piece.length
    this.#slots++
    if (this.#tail.length === pageSlotsMax) this.#seal()
  }

  /** From now on deltas are remembered for their identity only. */
  endText(): void {
    this.#textSlots = Math.min(this.#textSlots, this.#slots)
  }

  /** The text of all remembered deltas, in order. Built on each read. */
  get text(): string {
    const from = this.forgotten
    let text = ''
    for (const page of this.#pages) text += pageText(page, from, this.#textSlots)
    let slot = this.#slots - this.#tail.length
    for (const { code, piece } of this.#tail) {
      if (code === codes.textDelta && slot >= from && slot < this.#textSlots) text += piece
      slot++
    }
    return text
  }

  /** Where a ledger must begin to continue this one once `remembered()` is added. */
  start(): LedgerStart {
    return {
      forgotten: this.forgotten,
      regular: this.#regular,
      textSlots: this.#textSlots,
      textDropped: this.textDropped,
    }
  }

  /** All remembered entries in order; `id` is null where the log was regular. */
  *remembered(): Generator<Entry & { id: string | null }> {
    const ids = new Map<number, string>()
    for (const { slots } of this.#ids) for (const [id, slot] of slots) ids.set(slot, id)
    for (let slot = this.forgotten; slot < this.#slots; slot++) {
      const { seq, code, piece } = this.#entry(slot)
      yield { seq, code, piece, id: ids.get(slot) ?? null }
    }
  }

  /** n when `id` is `<run>:<n>` in plain decimal, else 0. */
  #regularNumber(id: string): number {
    const from = this.#prefix.length
    const digits = id.length - from
    if (digits < 1 || digits > 15 || !id.startsWith(this.#prefix)) return 0
    let number = 0
    for (let index = from; index < id.length; index++) {
      const digit = id.charCodeAt(index) - 48
      if (digit < 0 || digit > 9 || (digit === 0 && number === 0)) return 0
      number = number * 10 + digit
    }
    return number
  }

  #irregularSlot(id: string): number | undefined {
    if (this.#regular === this.#slots) return undefined
    for (let index = this.#ids.length - 1; index >= 0; index--) {
      const slot = this.#ids[index]?.slots.get(id)
      if (slot !== undefined) return slot
    }
    return undefined
  }

  /** The map that takes the id of `slot`; drops maps that hold forgotten slots only. */
  #newestIds(slot: number): Map<string, number> {
    const newest = this.#ids.at(-1)
    if (newest !== undefined && newest.slots.size < Math.min(this.#window, idsPerMapMax)) {
      return newest.slots
    }
    const next: IdMap = { first: slot, slots: new Map() }
    this.#ids.push(next)
    while (this.#ids.length > 1 && (this.#ids[1]?.first ?? slot) <= this.forgotten) {
      this.#ids.shift()
    }
    return next.slots
  }

  #entry(slot: number): Entry {
    const index = slot - (this.#slots - this.#tail.length)
    const open = index >= 0 ? this.#tail[index] : undefined
    return open ?? pageEntry(pageOf(this.#pages, slot), slot)
  }

  #seal(): void {
    this.#pages.push(sealPage(this.#slots - this.#tail.length, this.#tail))
    this.#tail = []
    this.#tailUnits = 0
    let oldest = this.#pages[0]
    while (oldest !== undefined && pageEnd(oldest) <= this.forgotten) {
      this.#pages.shift()
      oldest = this.#pages[0]
    }
  }
}
