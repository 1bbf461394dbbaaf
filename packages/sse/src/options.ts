/** What a decoder may be told, and what holds when it is not. */

const mebibyte = 1024 * 1024

export type SseDecoderOptions = {
  /**
   * `strict` (default): the first byte that is not UTF-8 ends the decoding
   * with an error. `replace`: ill-formed bytes become U+FFFD, as in browsers.
   */
  utf8?: 'strict' | 'replace'
  /** Longest line in bytes, without its terminator; default 16 MiB. */
  lineBytesMax?: number
  /** Bytes of an event's block in which its lines must lie; default 64 MiB. */
  eventBytesMax?: number
  /**
   * Give every event strings of its own. By default `data` may be a slice that
   * keeps the text of its whole chunk alive for as long as the event is kept.
   */
  copy?: boolean
}

/**
 * The options with their defaults.
 * @throws TypeError for a mode that does not exist and a limit that is no positive integer.
 */
export function readOptions({
  utf8 = 'strict',
  lineBytesMax = 16 * mebibyte,
  eventBytesMax = 64 * mebibyte,
  copy = false,
}: SseDecoderOptions): Required<SseDecoderOptions> {
  if (utf8 !== 'strict' && utf8 !== 'replace') {
    throw new TypeError(`utf8 must be 'strict' or 'replace', not ${String(utf8)}`)
  }
  checkLimit('lineBytesMax', lineBytesMax)
  checkLimit('eventBytesMax', eventBytesMax)
  return { utf8, lineBytesMax, eventBytesMax, copy }
}

function checkLimit(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return
  throw new TypeError(`${name} must be a positive integer, not ${String(value)}`)
}
