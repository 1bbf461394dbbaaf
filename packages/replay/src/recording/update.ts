/**
 * Two recordings of one scenario as one, so that recording again changes only
 * the lines of what changed: exchanges keep their numbers and places, and what
 * says the same keeps its timing and its volatile details too.
 *
 * Invariant: requests with one key stay in the order in which they were
 * answered, since that is the order in which they are replayed.
 */
import { isDeepStrictEqual } from 'node:util'
import type { WireName } from '@runproof/llm'
import { contextOf } from '../match/context.ts'
import { createKeyer, type CanonicalRequest, type RequestKey } from '../match/key.ts'
import { saysTheSame } from './answer.ts'
import type { Exchange, Recording } from './recording.ts'

export type UpdateOptions = {
  /** What else came of the new run and will be compared with a replay, such as its transcript. */
  shown?: readonly string[]
}

/**
 * The recording to write when `after` was recorded over `before`. Exchanges
 * with the same request are paired in order; what was marked optional stays so.
 * An answer that says the same but for ids and times that its provider drew
 * stays as it was, unless they went into a later request or into `shown`.
 */
export function updateRecording(
  before: Recording,
  after: Recording,
  { shown = [] }: UpdateOptions = {},
): Recording {
  const { pairs, left } = pairExchanges(before, after)
  const asked = pairs.map(({ canonical }) => JSON.stringify(canonical))
  const settle = settler(after.wire, [...asked, ...shown])
  const taken = pairs.flatMap((pair) => (pair.before === null ? [] : [pair.before.n]))
  const exchanges = number(pairs, { taken, free: left.map(({ n }) => n), settle })
  const isSame = isDeepStrictEqual(exchanges, before.exchanges)
  return { ...after, provenance: isSame ? before.provenance : after.provenance, exchanges }
}

/**
 * One recording of two runs between which nothing was changed: what came in
 * only one of them comes by chance, and becomes optional.
 */
export function learnOptional(first: Recording, second: Recording): Recording {
  const { pairs, left } = pairExchanges(first, second)
  const taken = first.exchanges.map(({ n }) => n)
  const settle = settler(second.wire, [])
  const exchanges = number(pairs, { taken, free: [], settle }).map((exchange) =>
    taken.includes(exchange.n) ? exchange : optional(exchange),
  )
  const all = [...exchanges, ...left.map((exchange) => optional(exchange))]
  return { ...first, exchanges: all.toSorted((a, b) => a.n - b.n) }
}

function optional(exchange: Exchange): Exchange {
  return { ...exchange, end: { ...exchange.end, optional: true } }
}

type Pair = {
  key: string
  /** What the request of `after` asks. */
  canonical: CanonicalRequest
  before: Exchange | null
  after: Exchange
}

/** Every exchange of `after` with the one that asked the same, and what is left of `before`. */
function pairExchanges(before: Recording, after: Recording): { pairs: Pair[]; left: Exchange[] } {
  const open = Map.groupBy(keyed(before), ({ key }) => key)
  const pairs = keyed(after).map(({ key, canonical, exchange }) => {
    return { key, canonical, before: open.get(key)?.shift()?.exchange ?? null, after: exchange }
  })
  const left = [...open.values()].flat().map(({ exchange }) => exchange)
  return { pairs, left: left.toSorted((a, b) => a.n - b.n) }
}

function keyed({
  wire,
  exchanges,
  provenance,
}: Recording): (RequestKey & { exchange: Exchange })[] {
  const keyOf = createKeyer(contextOf(provenance))
  return exchanges.map((exchange) => ({ ...keyOf(wire, exchange.request), exchange }))
}

/**
 * The exchanges to keep, by number. New ones get numbers that are free, in
 * their order, or numbers behind all others.
 */
function number(
  pairs: readonly Pair[],
  { taken, free, settle }: { taken: readonly number[]; free: readonly number[]; settle: Settle },
): Exchange[] {
  let unused = free
  let last = Math.max(0, ...taken, ...free)
  const lastOfKey = new Map<string, number>()
  const exchanges = pairs.map(({ key, before, after }) => {
    const least = lastOfKey.get(key) ?? 0
    const n = before?.n ?? unused.find((candidate) => candidate > least) ?? ++last
    unused = unused.filter((candidate) => candidate !== n)
    lastOfKey.set(key, n)
    return before === null ? { ...after, n } : settle(before, after)
  })
  return exchanges.toSorted((a, b) => a.n - b.n)
}

type Settle = (before: Exchange, after: Exchange) => Exchange

/** Gives the exchange as it was, unless it was answered otherwise. */
function settler(wire: WireName, shown: readonly string[]): Settle {
  return (before, after) => {
    if (saysTheSame(wire, before, after, shown)) return before
    const isOptional = before.end.optional ?? after.end.optional
    const end = { ...after.end, ...(isOptional === undefined ? {} : { optional: isOptional }) }
    return { ...after, n: before.n, end }
  }
}
