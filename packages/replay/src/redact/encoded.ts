/**
 * Secrets inside base64 text: a run of base64 that decodes to printable text
 * is looked into once. The whole run becomes one secret. Runs of other bytes
 * (pictures, compressed data) are passed over.
 */
import type { Span } from './span.ts'

const run = /[A-Za-z0-9+/_-]{24,}={0,2}/g

/** A run counts as text when its first bytes are. */
const probeUnits = 32

const printable = /^[\t\n\r\x20-\x7e]+$/

/** @param detect what finds secrets in the decoded text. */
export function findEncoded(text: string, detect: (decoded: string) => readonly Span[]): Span[] {
  const spans: Span[] = []
  for (const { 0: encoded, index } of text.matchAll(run)) {
    if (!printable.test(decode(encoded.slice(0, probeUnits)))) continue
    const [inner] = detect(decode(encoded))
    if (inner === undefined) continue
    const { rule, value } = inner
    spans.push({ start: index, end: index + encoded.length, rule: `${rule} in base64`, value })
  }
  return spans
}

/** Buffer reads both alphabets. */
const decode = (encoded: string): string => Buffer.from(encoded, 'base64').toString('latin1')
