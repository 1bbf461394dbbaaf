/**
 * The ledger: which events were seen, exactly, and the text they carried.
 *
 * Each event takes the next slot. Identity is never a hash: a slot keeps the
 * event's own piece (see fact.ts). An id costs nothing as long as the log is
 * regular, that is, as long as slot n holds the id `<run>:<n + 1>` with that
 * seq, as the producer of this package writes it; from the first irregular
 * event on ids are kept and indexed.
 *
 * With a window only the newest `window` slots are remembered. What lies
 * before is forgotten: its ids count as new, and its text is dropped. An id of
 * the regular part is still known by its number, so its reuse under another
 * seq is told for ever.
 */
import { codes, isSameFact } from './fact.ts'
import type { Fact } from './fact.ts'
import { IdIndex } from './id-index.ts'
import {
  pageEnd,
  pageEntry,
  pageId,
  pageOf,
  pageSlotsMax,
  pageText,
  pageUnitsMax,
  sealPage,
} from './page.ts'
import type { Entry, Page } from './page.ts'

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
  #numberedId = ''
  #number = 0
  /** The ids that are not regular. */
  readonly #ids: IdIndex

  constructor(run: string, window: number | null, start: LedgerStart = fromNothing) {
    this.#prefix = `${run}:`
    this.#window = window ?? Number.POSITIVE_INFINITY
    this.#slots = start.forgotten
    this.#regular = Math.min(start.regular, start.forgotten)
    this.#textSlots = start.textSlots
    this.#textUnits = start.textDropped
    this.#ids = new IdIndex(
      () => this.forgotten,
      (slot) => this.#idOf(slot),
    )
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
    // While all ids are regular none is in the index.
    const isIndexed = !isRegular && this.#regular < this.#slots
    const slot = isRegular ? number - 1 : isIndexed ? this.#ids.find(fact.id) : undefined
    if (slot === undefined) return 'new'
    if (slot < this.forgotten) return isRegular && fact.seq !== number ? 'different' : 'new'
    return isSameFact(this.#entry(slot), fact) ? 'same' : 'different'
  }

  /** Remembers an event that `find` called new. */
  add(fact: Fact): void {
    const { id, seq, code, piece } = fact
    const units = piece.length + id.length
    if (this.#tail.length > 0 && this.#tailUnits + units > pageUnitsMax) this.#seal()
    const slot = this.#slots
    if (this.#regular === slot && seq === slot + 1 && this.#regularNumber(id) === seq) {
      this.#regular++
    } else {
      this.#ids.add(id, slot)
    }
    if (code === codes.textDelta && slot < this.#textSlots) this.#textUnits += piece.length
    this.#tail.push(fact)
    this.#tailUnits += units
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
    for (let slot = this.forgotten; slot < this.#slots; slot++) {
      const { seq, code, piece } = this.#entry(slot)
      yield { seq, code, piece, id: slot < this.#regular ? null : this.#idOf(slot) }
    }
  }

  /** n when `id` is `<run>:<n>` in plain decimal, else 0. */
  #regularNumber(id: string): number {
    // `find` and `add` ask for the same id one after the other.
    if (id !== this.#numberedId) {
      this.#numberedId = id
      this.#number = id.startsWith(this.#prefix) ? plainNumber(id, this.#prefix.length) : 0
    }
    return this.#number
  }

  #idOf(slot: number): string {
    const open = this.#open(slot)
    const id = open === undefined ? pageId(pageOf(this.#pages, slot), slot) : open.id
    return id ?? `${this.#prefix}${slot + 1}`
  }

  /** The fact in a slot that is not sealed yet. */
  #open(slot: number): Fact | undefined {
    const index = slot - (this.#slots - this.#tail.length)
    return index < 0 ? undefined : this.#tail[index]
  }

  #entry(slot: number): Entry {
    return this.#open(slot) ?? pageEntry(pageOf(this.#pages, slot), slot)
  }

  #seal(): void {
    const first = this.#slots - this.#tail.length
    this.#pages.push(sealPage(first, this.#tail, this.#regular < this.#slots))
    this.#tail = []
    this.#tailUnits = 0
    let oldest = this.#pages[0]
    while (oldest !== undefined && pageEnd(oldest) <= this.forgotten) {
      this.#pages.shift()
      oldest = this.#pages[0]
    }
  }
}

/** The number in plain decimal digits from `from` on, or 0: it has 15 digits at most. */
function plainNumber(text: string, from: number): number {
  const digits = text.length - from
  if (digits < 1 || digits > 15) return 0
  let number = 0
  for (let index = from; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9 || (digit === 0 && number === 0)) return 0
    number = number * 10 + digit
  }
  return number
}
