/**
 * Sealed pages of the ledger: the pieces of neighbouring slots laid end to end
 * in one string, so that a slot costs 13 bytes beyond its piece.
 *
 * Invariants: a page is never changed; pages are in slot order without gaps;
 * a page holds at least one slot, and only a page of a single slot is longer
 * than `pageUnitsMax`.
 */
import { codes } from './fact.ts'

/** A page is sealed when it holds this many slots or this many UTF-16 units. */
export const pageSlotsMax = 1024
export const pageUnitsMax = 65_536

/** What a slot remembers of its event (see fact.ts). */
export type Entry = { readonly seq: number; readonly code: number; readonly piece: string }

/** `ends[i]` is where the piece of slot `first + i` ends in `pool`. */
export type Page = {
  readonly first: number
  readonly codes: Uint8Array
  readonly ends: Uint32Array
  readonly seqs: Float64Array
  readonly pool: string
}

export function sealPage(first: number, entries: readonly Entry[]): Page {
  const size = entries.length
  const page = {
    first,
    codes: new Uint8Array(size),
    ends: new Uint32Array(size),
    seqs: new Float64Array(size),
    pool: entries.map((entry) => entry.piece).join(''),
  }
  let end = 0
  let index = 0
  for (const { seq, code, piece } of entries) {
    end += piece.length
    page.codes[index] = code
    page.ends[index] = end
    page.seqs[index] = seq
    index++
  }
  return page
}

/** The first slot behind the page. */
export function pageEnd(page: Page): number {
  return page.first + page.codes.length
}

/** The page that holds `slot`, by bisection: pages differ in how many slots they hold. */
export function pageOf(pages: readonly Page[], slot: number): Page {
  let low = 0
  let high = pages.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pages[middle]?.first ?? 0) <= slot) low = middle
    else high = middle - 1
  }
  const page = pages[low]
  if (page === undefined) throw new Error(`no page holds slot ${slot}`)
  return page
}

export function pageEntry(page: Page, slot: number): Entry {
  const index = slot - page.first
  return {
    seq: page.seqs[index] ?? 0,
    code: page.codes[index] ?? codes.json,
    piece: page.pool.slice(pieceStart(page, index), page.ends[index]),
  }
}

/** The text deltas in the page's slots from `from` up to `to`, neighbours in one slice. */
export function pageText(page: Page, from: number, to: number): string {
  const last = Math.min(page.codes.length, to - page.first)
  let text = ''
  let start = -1
  for (let index = Math.max(0, from - page.first); index <= last; index++) {
    const isText = index < last && page.codes[index] === codes.textDelta
    if (isText && start < 0) start = pieceStart(page, index)
    if (!isText && start >= 0) {
      text += page.pool.slice(start, pieceStart(page, index))
      start = -1
    }
  }
  return text
}

function pieceStart(page: Page, index: number): number {
  return index === 0 ? 0 : (page.ends[index - 1] ?? 0)
}
