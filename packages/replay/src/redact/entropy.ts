/**
 * Texts that look drawn at random and match no detector. They are reported for
 * a person to look at and never replaced: ids and hashes look the same.
 */
import { isIdentifier } from './walk.ts'

/** Where a suspicious text stands; the text itself is not told. */
export type Suspect = {
  /** Number of the exchange, 0 for the header. */
  n: number
  path: string
  /** Length in UTF-16 units. */
  units: number
}

/** More of them help nobody. */
const suspectsMax = 50

/** A word of a key's length; longer runs are pictures and the like. */
const candidate = /(?<![\w+/=-])[\w+=-]{20,200}(?![\w+/=-])/g

/** Of the entropy that as many different characters could have at most (64 of them know base64). */
const drawnRatioMin = 0.88

/** Gathers suspects, each distinct text once. */
export function createSuspects(): {
  look(text: string, place: { n: number; path: string }): void
  readonly list: readonly Suspect[]
} {
  const list: Suspect[] = []
  const seen = new Set<string>()
  return {
    list,
    look(text, { n, path }) {
      if (isIdentifier(path)) return
      for (const [found] of text.matchAll(candidate)) {
        if (list.length === suspectsMax) return
        if (seen.has(found) || !looksDrawn(found)) continue
        seen.add(found)
        list.push({ n, path, units: found.length })
      }
    },
  }
}

/** Whether a word has lower case, upper case and digits, about evenly spread. */
function looksDrawn(word: string): boolean {
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word) || !/\d/.test(word)) return false
  return entropyOf(word) / Math.log2(Math.min(word.length, 64)) >= drawnRatioMin
}

/** Shannon entropy in bits a character. */
function entropyOf(word: string): number {
  const counts = new Map<string, number>()
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / word.length
    bits -= share * Math.log2(share)
  }
  return bits
}
