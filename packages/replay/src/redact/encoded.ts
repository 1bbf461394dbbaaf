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

const member = /[A-Za-z0-9+/_-]/

/** The run of base64 that a part of it is in, padding included. */
export function runAround(
  text: string,
  start: number,
  end: number,
): { start: number; end: number } {
  let from = start
  let to = end
  while (from > 0 && member.test(text[from - 1] ?? '')) from--
  while (to < text.length && member.test(text[to] ?? '')) to++
  while (text[to] === '=') to++
  return { start: from, end: to }
}

/** Buffer reads both alphabets. */
const decode = (encoded: string): string => Buffer.from(encoded, 'base64').toString('latin1')
