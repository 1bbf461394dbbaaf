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
import { findEncoded } from './encoded.ts'
import { createKnown, secretUnitsMin } from './known.ts'
import { findShapes } from './shape.ts'
import { mergeSpans, placeholderOf, replaceSpans, type Span } from './span.ts'
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
