/**
 * Finds secrets in the texts of one run and puts numbered placeholders in
 * their place. One secret has one number wherever it stands and however it is
 * spelled, because a secret that was found once is looked for literally from
 * then on.
 *
 * Work in two passes: `learn` from every text, then `redact` every text, so
 * that a secret is also replaced where nothing around it gives it away.
 * Invariant: `redact` is idempotent.
 */
import { findEncoded, runAround } from './encoded.ts'
import { findShapes } from './shape.ts'
import { mergeSpans, placeholderOf, replaceSpans, type Span } from './span.ts'
import { spellingsOf } from './spelling.ts'
import type { KnownSecret } from './value.ts'
import { viewsOf } from './view.ts'

/** A secret that was replaced; never the secret itself. */
export type RedactedSecret = {
  n: number
  /** What found it: the name of a variable or header, or a rule. */
  rule: string
  /** How often it was replaced. */
  count: number
}

export type TextOptions = {
  /** An opaque value of the provider: only known secrets are looked for. */
  isOpaque?: boolean
  /** The text broke off: the beginning of a known secret at its end is one. */
  isCutOff?: boolean
}

export type Redactor = {
  /** Looks for a secret from now on. */
  know(secret: KnownSecret): void
  /** Remembers the secrets of a text; its pieces are joined. */
  learn(pieces: readonly string[], options?: TextOptions): void
  /** The pieces with placeholders; a secret across pieces has its own where it begins. */
  redact(pieces: readonly string[], options?: TextOptions): string[]
  /** Where secrets are in a text, in order. */
  find(text: string, options?: TextOptions): Span[]
  /** What was replaced so far, by number. */
  readonly secrets: readonly RedactedSecret[]
}

/** No secret is shorter. */
const secretUnitsMin = 8

/** UTF-16 units of the texts whose spans are remembered: histories repeat in every request. */
const memoUnitsMax = 32 * 1024 * 1024

/**
 * Patterns are matched against so much text at once, for a pattern may fail on
 * megabytes without a break. Windows overlap, so that a secret of at most
 * `overlapUnits` is whole in one of them.
 */
const windowUnits = 256 * 1024
const overlapUnits = 16 * 1024

/**
 * Loads the detectors (about 50 ms the first time).
 * @param values secrets known beforehand.
 */
export async function createRedactor(values: readonly KnownSecret[] = []): Promise<Redactor> {
  const { findByRules } = await import('./secretlint.ts')
  const detect = (text: string): Span[] => [...findShapes(text), ...findByRules(text)]
  const detectAll = (text: string): Span[] => [...detect(text), ...findEncoded(text, detect)]
  const memo = new Map<string, readonly Span[]>()
  let memoUnits = 0
  const known = createKnown()
  const numbers = new Map<string, RedactedSecret>()

  const findUnknown = (text: string): readonly Span[] => {
    const seen = memo.get(text)
    if (seen !== undefined) return seen
    const spans = eachWindow(text, (part) => inViews(part, detectAll))
    memoUnits += text.length
    if (memoUnits > memoUnitsMax) {
      memo.clear()
      memoUnits = text.length
    }
    memo.set(text, spans)
    return spans
  }
  const find = (text: string, { isOpaque, isCutOff }: TextOptions = {}): Span[] => {
    if (text.length < secretUnitsMin) return []
    return mergeSpans(text, [
      ...inViews(text, (view) => known.find(view)),
      ...(isCutOff === true ? inViews(text, (view) => known.findCut(view)) : []),
      ...(isOpaque === true ? [] : findUnknown(text)),
    ])
  }
  const tokenOf = ({ value, rule }: Span): string => {
    const secret = numbers.get(value) ?? { n: numbers.size + 1, rule, count: 0 }
    secret.count++
    numbers.set(value, secret)
    return placeholderOf(secret.n)
  }
  const know = ({ name, value }: KnownSecret): void => known.add(value, name)
  for (const secret of values) know(secret)

  return {
    know,
    learn(pieces, options) {
      for (const { value, rule } of find(pieces.join(''), options)) known.add(value, rule)
    },
    redact: (pieces, options) => replaceSpans(pieces, find(pieces.join(''), options), tokenOf),
    find,
    get secrets() {
      return [...numbers.values()]
    },
  }
}

/** What `find` gives for a text, window by window. */
function eachWindow(text: string, find: (part: string) => Span[]): Span[] {
  if (text.length <= windowUnits) return find(text)
  const spans: Span[] = []
  for (let from = 0; from < text.length; from += windowUnits - overlapUnits) {
    for (const span of find(text.slice(from, from + windowUnits))) {
      spans.push({ ...span, start: span.start + from, end: span.end + from })
    }
  }
  return spans
}

/** What `find` gives for the views of a text, at the places where the text spells it. */
function inViews(text: string, find: (view: string) => Span[]): Span[] {
  return viewsOf(text).flatMap((view) =>
    find(view.text).map((span) => ({ ...span, ...view.placeOf(span.start, span.end) })),
  )
}

type Known = {
  add(value: string, rule: string): void
  find(text: string): Span[]
  /** The longest beginning of a secret that the text ends with. */
  findCut(text: string): Span[]
}

/** Secrets that are looked for literally, in all spellings. */
function createKnown(): Known {
  const bySpelling = new Map<string, { value: string; rule: string; isBase64: boolean }>()
  let pattern: RegExp | null = null
  const compile = (): RegExp => {
    // The longest first: one secret may be part of another.
    const spellings = [...bySpelling.keys()].toSorted((a, b) => b.length - a.length)
    return new RegExp(spellings.map(escapePattern).join('|'), 'g')
  }
  return {
    add(value, rule) {
      if (value.length < secretUnitsMin || bySpelling.has(value)) return
      for (const { text, isBase64 } of spellingsOf(value)) {
        if (!bySpelling.has(text)) bySpelling.set(text, { value, rule, isBase64 })
      }
      pattern = null
    },
    find(text) {
      if (bySpelling.size === 0) return []
      pattern ??= compile()
      const spans: Span[] = []
      pattern.lastIndex = 0
      for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
        const { 0: found, index } = match
        const secret = bySpelling.get(found)
        const end = index + found.length
        const isRun = secret?.isBase64 === true
        const place = isRun ? runAround(text, index, end) : { start: index, end }
        // The next one may begin inside this one; a run is taken out whole, however many it holds.
        pattern.lastIndex = isRun ? place.end : index + 1
        if (secret === undefined) continue
        spans.push({ ...place, value: secret.value, rule: secret.rule })
      }
      return spans
    },
    findCut(text) {
      let longest: Span[] = []
      for (const [spelling, { value, rule }] of bySpelling) {
        const shortest =
          longest[0] === undefined ? secretUnitsMin : text.length - longest[0].start + 1
        for (let length = spelling.length - 1; length >= shortest; length--) {
          if (!text.endsWith(spelling.slice(0, length))) continue
          longest = [{ start: text.length - length, end: text.length, value, rule }]
          break
        }
      }
      return longest
    },
  }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`)
}
