/**
 * Sealed pages of the ledger: what neighbouring slots remember, their texts
 * laid end to end in one string, so that a slot costs 13 bytes beyond its piece
 * and, where ids are kept, 4 beyond its id.
 *
 * Invariants: a page is never changed; pages are in slot order without gaps;
 * a page holds at least one slot, and only a page of a single slot is longer
 * than `pageUnitsMax`.
 */
import { codes } from './fact.ts'
import type { Fact } from './fact.ts'

/** A page is sealed when it holds this many slots or this many UTF-16 units. */
export const pageSlotsMax = 1024
export const pageUnitsMax = 65_536

/** What a slot remembers of its event beside its id (see fact.ts). */
export type Entry = { readonly seq: number; readonly code: number; readonly piece: string }

/** Texts laid end to end; `ends[i]` is where the i-th one ends in `pool`. */
type Texts = { readonly pool: string; readonly ends: Uint32Array }

export type Page = {
  readonly first: number
  readonly codes: Uint8Array
  readonly seqs: Float64Array
  readonly pieces: Texts
  /** Null where every id is the regular one of its slot. */
  readonly ids: Texts | null
}

export function sealPage(first: number, facts: readonly Fact[], withIds: boolean): Page {
  const page = {
    first,
    codes: new Uint8Array(facts.length),
    seqs: new Float64Array(facts.length),
    pieces: join(facts.map(({ piece }) => piece)),
    ids: withIds ? join(facts.map(({ id }) => id)) : null,
  }
  for (let index = 0; index < facts.length; index++) {
    page.codes[index] = facts[index]?.code ?? codes.json
    page.seqs[index] = facts[index]?.seq ?? 0
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
    piece: page.pieces.pool.slice(startOf(page.pieces, index), page.pieces.ends[index]),
  }
}

/** The id in `slot`, or null where it is the regular one. */
export function pageId({ first, ids }: Page, slot: number): string | null {
  if (ids === null) return null
  const index = slot - first
  return ids.pool.slice(startOf(ids, index), ids.ends[index])
}

/** The text deltas in the page's slots from `from` up to `to`, neighbours in one slice. */
export function pageText(page: Page, from: number, to: number): string {
  const { pieces } = page
  const last = Math.min(page.codes.length, to - page.first)
  let text = ''
  let start = -1
  for (let index = Math.max(0, from - page.first); index <= last; index++) {
    const isText = index < last && page.codes[index] === codes.textDelta
    if (isText && start < 0) start = startOf(pieces, index)
    if (!isText && start >= 0) {
      text += pieces.pool.slice(start, startOf(pieces, index))
      start = -1
    }
  }
  return text
}

function join(texts: readonly string[]): Texts {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (let index = 0; index < texts.length; index++) {
    end += texts[index]?.length ?? 0
    ends[index] = end
  }
  return { pool: texts.join(''), ends }
}

function startOf({ ends }: Texts, index: number): number {
  return index === 0 ? 0 : (ends[index - 1] ?? 0)
}
