/**
 * Secrets that are looked for literally, in all spellings, all at once (after
 * Rabin and Karp): the time for a text does not grow with their number, nor does
 * learning one more cost anything for those before it.
 */
import { runAround } from './encoded.ts'
import type { Span } from './span.ts'
import { spellingsOf, type Spelling } from './spelling.ts'

/** No secret is shorter. */
export const secretUnitsMin = 8

export type Known = {
  add(value: string, rule: string): void
  find(text: string): Span[]
  /** The longest beginning of a secret that the text ends with. */
  findCut(text: string): Span[]
}

type KnownSpelling = Spelling & { value: string; rule: string }

export function createKnown(): Known {
  const seen = new Set<string>()
  /** By the hash of their first units, the longest first: one secret may be part of another. */
  const byHash = new Map<number, KnownSpelling[]>()
  /** The low bits of each hash: most places are passed over by them alone. */
  const filter = new Uint8Array(filterMask + 1)
  const spellingsAt = (hash: number): readonly KnownSpelling[] =>
    filter[hash & filterMask] === 1 ? (byHash.get(hash) ?? []) : []
  return {
    add(value, rule) {
      if (value.length < secretUnitsMin || seen.has(value)) return
      for (const spelling of spellingsOf(value)) {
        if (seen.has(spelling.text)) continue
        seen.add(spelling.text)
        const hash = hashOf(spelling.text)
        const spellings = [...(byHash.get(hash) ?? []), { ...spelling, value, rule }]
        spellings.sort((a, b) => b.text.length - a.text.length)
        byHash.set(hash, spellings)
        filter[hash & filterMask] = 1
      }
    },
    find(text) {
      if (byHash.size === 0) return []
      const spans: Span[] = []
      eachHash(text, (index, hash) => {
        const found = spellingsAt(hash).find((spelling) => text.startsWith(spelling.text, index))
        if (found === undefined) return index + 1
        const end = index + found.text.length
        const { value, rule, isBase64 } = found
        const place = isBase64 ? runAround(text, index, end) : { start: index, end }
        spans.push({ ...place, value, rule })
        // The next one may begin inside this one; a run is taken out whole, however many it holds.
        return isBase64 ? place.end : index + 1
      })
      return spans
    },
    findCut(text) {
      if (byHash.size === 0) return []
      const spans: Span[] = []
      eachHash(text, (index, hash) => {
        const units = text.length - index
        const cut = spellingsAt(hash).find(
          (spelling) =>
            spelling.text.length > units && text.endsWith(spelling.text.slice(0, units)),
        )
        if (cut === undefined) return index + 1
        spans.push({ start: index, end: text.length, value: cut.value, rule: cut.rule })
        return text.length
      })
      return spans
    },
  }
}

const filterMask = 0xff_ff

const factor = 0x01_00_01_93

/** What a unit that is `secretUnitsMin` places back counts for. */
const factorOfGone = Array.from({ length: secretUnitsMin }).reduce<number>(
  (product) => Math.imul(product, factor),
  1,
)

/** Of the first units of a text. */
function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < secretUnitsMin; at++) {
    hash = (Math.imul(hash, factor) + text.charCodeAt(at)) | 0
  }
  return hash
}

/**
 * Tells the hash of the units from each place on.
 * @param visit gives the next place to be told.
 */
function eachHash(text: string, visit: (index: number, hash: number) => number): void {
  if (text.length < secretUnitsMin) return
  let hash = hashOf(text)
  let next = 0
  for (let index = 0; ; index++) {
    if (index >= next) next = visit(index, hash)
    const coming = index + secretUnitsMin
    if (coming >= text.length) return
    const gone = Math.imul(text.charCodeAt(index), factorOfGone)
    hash = (Math.imul(hash, factor) + text.charCodeAt(coming) - gone) | 0
  }
}
