/**
 * What can be wrong with the bytes of a stream, and at which byte. Both
 * searches look at bytes only, in order, so that their answer cannot depend on
 * how the input was cut; the decoder calls them only when something looks off.
 *
 * UTF-8: Unicode Standard, table 3-7 (well-formed byte sequences).
 */

import { carriageReturn, isLineEnd, lineFeed } from './block-end.ts'

/**
 * - `invalid-utf8`: a byte belongs to no well-formed character; `offset` is the
 *   first byte of the ill-formed sequence.
 * - `truncated-utf8`: the input ends inside a character; `offset` is that
 *   character's first byte.
 * - `line-too-long`: a line has more than `lineBytesMax` bytes without its
 *   terminator; `offset` is the first byte too many.
 * - `event-too-large`: a byte of a line lies `eventBytesMax` or more bytes
 *   behind the start of its block; `offset` is the first such byte.
 */
export type SseErrorCode = 'invalid-utf8' | 'truncated-utf8' | 'line-too-long' | 'event-too-large'

/** A fault at an index of the searched bytes. */
export type Fault = { code: SseErrorCode; at: number }

/** The first sequence of `bytes[from, end)` that is not well-formed UTF-8, or null. */
export function findMalformed(bytes: Uint8Array, from: number, end: number): Fault | null {
  let at = from
  while (at < end) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) {
      at++
      continue
    }
    const length = sequenceLength(lead)
    if (length === 0) return { code: 'invalid-utf8', at }
    for (let next = 1; next < length; next++) {
      if (at + next >= end) return { code: 'truncated-utf8', at }
      const byte = bytes[at + next] ?? 0
      const isValid = next === 1 ? isSecondByte(lead, byte) : byte >= 0x80 && byte <= 0xbf
      if (!isValid) return { code: 'invalid-utf8', at }
    }
    at += length
  }
  return null
}

/**
 * The first ill-formed sequence before another fault, or null. A sequence that
 * only the other fault cuts off is not ill-formed: nobody looked behind it.
 */
export function findInvalidBefore(bytes: Uint8Array, from: number, fault: Fault): Fault | null {
  const malformed = findMalformed(bytes, from, fault.at)
  return malformed?.code === 'invalid-utf8' ? malformed : null
}

/** Bytes of the sequence that `lead` begins; 0 when no sequence begins with it. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  if (lead >= 0xf0 && lead <= 0xf4) return 4
  return 0
}

/** Excludes overlong forms, surrogates and what lies beyond U+10FFFF. */
function isSecondByte(lead: number, byte: number): boolean {
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  return byte >= low && byte <= high
}

/**
 * Finds the first byte beyond a limit. Remembers how far it has looked, so
 * that a block that arrives in many pieces is walked once.
 */
export class OverflowSearch {
  readonly #lineBytesMax: number
  readonly #eventBytesMax: number
  // Both relative to the start of the unfinished block.
  #walked = 0
  #lineStart = 0

  constructor(lineBytesMax: number, eventBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
    this.#eventBytesMax = eventBytesMax
  }

  /** To be called whenever blocks are consumed: what is left begins a block. */
  restart(): void {
    this.#walked = 0
    this.#lineStart = 0
  }

  /** Walks on to `end` in bytes whose unfinished block begins at `start`. */
  find(bytes: Uint8Array, start: number, end: number): Fault | null {
    let blockStart = start
    let lineStart = start + this.#lineStart
    let at = start + this.#walked
    while (at < end) {
      if (bytes[at] === lineFeed && at > start && bytes[at - 1] === carriageReturn) {
        // The second half of a line end that has been dealt with.
        if (blockStart === at) blockStart++
        lineStart = ++at
        continue
      }
      const lineMax = lineStart + this.#lineBytesMax
      const stop = Math.min(end, lineMax, blockStart + this.#eventBytesMax)
      while (at < stop && !isLineEnd(bytes[at])) at++
      if (at === end) break
      if (!isLineEnd(bytes[at])) {
        return { code: at === lineMax ? 'line-too-long' : 'event-too-large', at }
      }
      if (lineStart === at) blockStart = at + 1
      lineStart = ++at
    }
    this.#walked = end - start
    this.#lineStart = lineStart - start
    return null
  }
}
