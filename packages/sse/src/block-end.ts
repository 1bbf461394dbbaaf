/**
 * Where the last whole block in a run of bytes ends. Looking for the end in
 * the bytes lets the decoder hold back unfinished blocks as bytes, which no
 * cut can spoil: not one inside a character, not one inside CR LF.
 *
 * Line ends: HTML Standard, 9.2.5 "Parsing an event stream": CR LF, LF or CR.
 * Both bytes are below 0x80, so they are never part of a longer character.
 */

import type { Platform } from './platform.ts'

export const lineFeed = 0x0a
export const carriageReturn = 0x0d

export function isLineEnd(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn
}

/**
 * The index behind the last blank line of `bytes[blockStart, end)`, or -1.
 * A CR at the very end counts. Should its LF follow in the next chunk, that LF
 * is taken for a blank line of its own, which dispatches nothing: no harm done.
 * @param blockStart where a block begins.
 * @param from only blank lines whose last byte is at or behind it are looked for.
 */
export function findBlockEnd(
  bytes: Uint8Array,
  blockStart: number,
  from: number,
  end: number,
): number {
  for (let last = end - 1; last >= from; last--) {
    const byte = bytes[last]
    if (byte !== lineFeed && byte !== carriageReturn) continue
    const isPair = byte === lineFeed && last > blockStart && bytes[last - 1] === carriageReturn
    const first = isPair ? last - 1 : last
    if (first === blockStart || isLineEnd(bytes[first - 1])) return last + 1
  }
  return -1
}

/**
 * An index behind the last line end of `chunk`, close behind it but for bare
 * CRs; 0 when there is no line end. Narrows `findBlockEnd` by native searches,
 * so that no loop walks through a long unfinished line.
 */
export function boundLineEnd(chunk: Uint8Array, platform: Platform): number {
  const { length } = chunk
  if (isLineEnd(chunk[length - 1])) return length
  const behindFeed = platform.lastIndexOf(chunk, lineFeed) + 1
  return platform.indexOf(chunk, carriageReturn, behindFeed) === -1 ? behindFeed : length
}

/**
 * The index behind the first line of `chunk`, if it ends with LF and a blank
 * line follows; else -1. A block ends there whatever came before.
 */
export function findPlainBlockEnd(chunk: Uint8Array, platform: Platform): number {
  const feed = platform.indexOf(chunk, lineFeed, 0)
  if (feed === -1) return -1
  if (chunk[feed + 1] === lineFeed) return feed + 2
  return chunk[feed + 1] === carriageReturn && chunk[feed + 2] === lineFeed ? feed + 3 : -1
}
