/**
 * Where secrets are in a text, and putting placeholders in their place, also
 * when the text is cut into pieces (the deltas of a stream).
 *
 * Invariant: outside the spans nothing changes, and no piece is moved.
 */

/** A secret in a text. Offsets are UTF-16 units, `end` is behind the last one. */
export type Span = {
  start: number
  end: number
  /** What found it, for reports. */
  rule: string
  /** The secret itself, however it is spelled at this place: equal secrets get one number. */
  value: string
}

const placeholder = /\{\{secret:\d+\}\}/g

export const placeholderOf = (n: number): string => `{{secret:${n}}}`

/** Whether a text has a placeholder of a redacted secret. */
export function hasPlaceholder(text: string): boolean {
  return text.includes('{{secret:')
}

/**
 * Spans in order, none overlapping another: what overlaps becomes one secret.
 * What touches a placeholder is left out, for it has been redacted before.
 */
export function mergeSpans(text: string, spans: readonly Span[]): Span[] {
  if (spans.length === 0) return []
  const taken = hasPlaceholder(text) ? [...text.matchAll(placeholder)] : []
  const merged: Span[] = []
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end)
  let passed = 0
  for (const span of sorted) {
    const { start, end } = span
    while (endOf(taken[passed]) <= start) passed++
    if ((taken[passed]?.index ?? Infinity) < end) continue
    const last = merged.at(-1)
    if (last === undefined || start >= last.end) merged.push(span)
    else if (end > last.end) {
      const value = text.slice(last.start, end)
      merged[merged.length - 1] = { ...last, end, value }
    }
  }
  return merged
}

const endOf = (match: RegExpExecArray | undefined): number =>
  match === undefined ? Infinity : match.index + match[0].length

/**
 * Replaces spans of the joined pieces. A token stands in the piece where its
 * span begins; pieces that were nothing but secret become empty.
 * @param spans in order, not overlapping.
 */
export function replaceSpans(
  pieces: readonly string[],
  spans: readonly Span[],
  tokenOf: (span: Span) => string,
): string[] {
  if (spans.length === 0) return [...pieces]
  let offset = 0
  let passed = 0
  return pieces.map((piece) => {
    const start = offset
    const end = start + piece.length
    offset = end
    let kept = ''
    let from = start
    while ((spans[passed]?.end ?? Infinity) <= start) passed++
    for (let at = passed; at < spans.length; at++) {
      const span = spans[at]
      if (span === undefined || span.start >= end) break
      kept += piece.slice(from - start, Math.max(span.start - start, 0))
      if (span.start >= start) kept += tokenOf(span)
      from = Math.min(span.end, end)
    }
    return kept + piece.slice(from - start)
  })
}
