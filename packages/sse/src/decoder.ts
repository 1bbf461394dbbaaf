/**
 * Server-sent events from bytes, cut anywhere. Follows the HTML Standard,
 * 9.2.5 and 9.2.6
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 *
 * Between two pushes nothing of the input is kept but the bytes of the
 * unfinished block, and text is made of whole blocks only. Hence the law of
 * this package: events and end report depend on the bytes, never on how they
 * were cut.
 */

import { boundLineEnd, findBlockEnd, findPlainBlockEnd, isLineEnd } from './block-end.ts'
import {
  findInvalidBefore,
  findMalformed,
  OverflowSearch,
  type Fault,
  type SseErrorCode,
} from './faults.ts'
import { HeldBytes } from './held-bytes.ts'
import { readOptions, type SseDecoderOptions } from './options.ts'
import { BlockParser, splitLine, type SseEvent } from './parse.ts'
import { detectPlatform, type Platform } from './platform.ts'

/** What made a decoder stop. `offset` counts bytes from the start of the stream. */
export type SseFault = { code: SseErrorCode; offset: number }

/** What is to be said when the input has ended. */
export type SseEnd = {
  /** The last valid `retry`, in milliseconds. */
  retryMs: number | null
  /** The id to resume after; an undispatched block's id never counts. */
  lastEventId: string
  /**
   * Bytes behind the last blank line, dropped as the standard asks, and
   * whether a `data` line was among them (an unfinished last line is taken as
   * it stands). Null when there were none, and when `error` tells the end.
   */
  tailDiscarded: { bytes: number; hadData: boolean } | null
  /** The fault that ended the decoding, or null. */
  error: SseFault | null
}

export type SseDecoder = {
  /**
   * The events whose blank line is in `bytes`, in order. The decoder keeps no
   * reference to `bytes`. Empty once there is an error.
   * @throws TypeError when `bytes` is no Uint8Array, or after `end()`.
   */
  push(bytes: Uint8Array): SseEvent[]
  /**
   * Says that the input has ended; dispatches nothing.
   * @throws TypeError when called again.
   */
  end(): SseEnd
  /** As in `SseEnd`, so far. */
  readonly retryMs: number | null
  /** As in `SseEnd`, so far. */
  readonly lastEventId: string
  /** As in `SseEnd`, so far: a fault in an unfinished block may show later. */
  readonly error: SseFault | null
}

const byteOrderMark = [0xef, 0xbb, 0xbf]
const replacement = '\uFFFD'
/** Up to this size, copying byte by byte costs less than native calls. */
const smallBytesMax = 32
/** From this size on, copying a chunk costs more than decoding it in two parts. */
const splitBytesMin = 4096

const runningPlatform = detectPlatform()

/** A decoder of one stream of server-sent events. */
export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  return new Decoder(options, runningPlatform)
}

/** Decodes a whole stream. Its chunks may be cut anywhere; none is kept. */
export function decodeSse(
  chunks: Iterable<Uint8Array>,
  options: SseDecoderOptions = {},
): { events: SseEvent[]; retryMs: number | null; end: SseEnd } {
  const decoder = createSseDecoder(options)
  const events: SseEvent[] = []
  for (const chunk of chunks) {
    for (const event of decoder.push(chunk)) events.push(event)
  }
  const end = decoder.end()
  return { events, retryMs: end.retryMs, end }
}

/**
 * - `starting`: it is open whether the stream begins with a byte order mark.
 * - `failed`, `ended`: nothing more is decoded.
 */
type State = 'starting' | 'reading' | 'failed' | 'ended'

export class Decoder implements SseDecoder {
  readonly #platform: Platform
  readonly #isStrict: boolean
  /** No limit can object to a block of this size. */
  readonly #harmlessBytes: number
  readonly #overflow: OverflowSearch
  readonly #parser: BlockParser
  /** The unfinished block. */
  readonly #held = new HeldBytes()
  /** Its offset in the stream. */
  #offset = 0
  #state: State = 'starting'
  #error: SseFault | null = null

  constructor(options: SseDecoderOptions, platform: Platform) {
    const { utf8, lineBytesMax, eventBytesMax, copy } = readOptions(options)
    this.#platform = platform
    this.#isStrict = utf8 === 'strict'
    this.#harmlessBytes = Math.min(lineBytesMax, eventBytesMax)
    this.#overflow = new OverflowSearch(lineBytesMax, eventBytesMax)
    this.#parser = new BlockParser(copy)
  }

  get retryMs(): number | null {
    return this.#parser.retryMs
  }

  get lastEventId(): string {
    return this.#parser.lastEventId
  }

  get error(): SseFault | null {
    return this.#error
  }

  push(bytes: Uint8Array): SseEvent[] {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('push takes a Uint8Array')
    if (this.#state !== 'reading') return this.#pushUnlessReading(bytes)
    return bytes.length <= smallBytesMax ? this.#pushSmall(bytes) : this.#pushLarge(bytes)
  }

  end(): SseEnd {
    if (this.#state === 'ended') throw new TypeError('end after end: a decoder reads one stream')
    const { bytes, start, end } = this.#held
    // The beginning of a mark that never came is a line like any other.
    if (this.#state === 'starting') this.#decode(bytes, start, end, start, end)
    const tailDiscarded = this.#state === 'failed' ? null : this.#discardTail()
    this.#state = 'ended'
    const { retryMs, lastEventId } = this.#parser
    return { retryMs, lastEventId, tailDiscarded, error: this.#error }
  }

  #pushUnlessReading(bytes: Uint8Array): SseEvent[] {
    if (this.#state === 'starting') return this.#start(bytes)
    if (this.#state === 'failed') return []
    throw new TypeError('push after end: a decoder reads one stream')
  }

  /** Holds the first bytes until they are a byte order mark or not. */
  #start(chunk: Uint8Array): SseEvent[] {
    const held = this.#held
    held.append(chunk)
    const size = held.end - held.start
    let markBytes = 0
    while (markBytes < size && held.bytes[held.start + markBytes] === byteOrderMark[markBytes]) {
      markBytes++
    }
    if (markBytes === size && size < byteOrderMark.length) return []
    this.#state = 'reading'
    if (markBytes === byteOrderMark.length) {
      held.consume(held.start + markBytes)
      this.#offset = markBytes
    }
    return this.#decode(held.bytes, held.start, held.end, held.start, held.end)
  }

  #pushSmall(chunk: Uint8Array): SseEvent[] {
    const held = this.#held
    held.reserve(smallBytesMax)
    const { bytes, start } = held
    const { length } = chunk
    let { end } = held
    // Negative when a byte is below 0x0e, as line ends are: found without a
    // branch, for this loop is all that most tiny chunks need.
    let lowest = 0
    for (let i = 0; i < length; i++) {
      const byte = chunk[i]!
      bytes[end++] = byte
      lowest |= byte - 0x0e
    }
    held.end = end
    if (lowest >= 0 && end - start <= this.#harmlessBytes) return []
    return this.#decode(bytes, start, end, end - length, end)
  }

  #pushLarge(chunk: Uint8Array): SseEvent[] {
    const held = this.#held
    const lineBound = boundLineEnd(chunk, this.#platform)
    if (held.end === 0) return this.#decode(chunk, 0, chunk.length, 0, lineBound)
    if (chunk.length < splitBytesMin) return this.#join(chunk, lineBound)
    // Only what completes the held block is copied; the rest is read in place.
    const headEnd = findPlainBlockEnd(chunk, this.#platform)
    if (headEnd === -1) return this.#join(chunk, lineBound)
    const events = this.#join(chunk.subarray(0, headEnd), headEnd)
    if (this.#state === 'failed') return events
    return this.#decode(chunk, headEnd, chunk.length, headEnd, lineBound, events)
  }

  #join(chunk: Uint8Array, lineBound: number): SseEvent[] {
    const held = this.#held
    held.append(chunk)
    const { bytes, start, end } = held
    const seen = end - chunk.length
    return this.#decode(bytes, start, end, seen, seen + lineBound)
  }

  /**
   * Decodes the whole blocks of `bytes[start, end)` and holds the rest.
   * @param bytes a chunk, or what is held.
   * @param seen no block ends before it.
   * @param lineBound no line ends behind it.
   * @param before events of the same push; returned with the new ones behind them.
   */
  #decode(
    bytes: Uint8Array,
    start: number,
    end: number,
    seen: number,
    lineBound: number,
    before?: SseEvent[],
  ): SseEvent[] {
    if (end - start > this.#harmlessBytes) {
      const overflow = this.#overflow.find(bytes, start, end)
      if (overflow !== null) return this.#fail(bytes, start, overflow, before)
    }
    const blockEnd = findBlockEnd(bytes, start, seen, lineBound)
    if (blockEnd === -1) {
      this.#hold(bytes, start, end)
      return before ?? []
    }
    const text = this.#platform.decode(bytes, start, blockEnd)
    if (this.#isStrict && text.includes(replacement)) {
      const malformed = findMalformed(bytes, start, blockEnd)
      if (malformed !== null) return this.#fail(bytes, start, malformed, before)
    }
    this.#offset += blockEnd - start
    this.#overflow.restart()
    const events = this.#parser.parse(text, bytes, start, blockEnd, before)
    this.#hold(bytes, blockEnd, end)
    return events
  }

  /** Keeps `bytes[from, end)` for the next push. */
  #hold(bytes: Uint8Array, from: number, end: number): void {
    const held = this.#held
    if (bytes === held.bytes) held.consume(from)
    else if (from < end) held.append(from === 0 ? bytes : bytes.subarray(from))
  }

  /** Stops at a fault, after the events and the `retry` lines before its line. */
  #fail(bytes: Uint8Array, start: number, fault: Fault, before?: SseEvent[]): SseEvent[] {
    const first = this.#isStrict ? (findInvalidBefore(bytes, start, fault) ?? fault) : fault
    this.#state = 'failed'
    this.#error = { code: first.code, offset: this.#offset + first.at - start }
    const lineStart = findLineStart(bytes, start, first.at)
    const text = this.#platform.decode(bytes, start, lineStart)
    const events = this.#parser.parse(text, bytes, start, lineStart, before)
    this.#held.consume(this.#held.end)
    return events
  }

  #discardTail(): SseEnd['tailDiscarded'] {
    const { bytes, start, end } = this.#held
    if (start === end) return null
    const malformed = this.#isStrict ? findMalformed(bytes, start, end) : null
    if (malformed !== null) {
      this.#fail(bytes, start, malformed)
      return null
    }
    const lineStart = findLineStart(bytes, start, end)
    const text = this.#platform.decode(bytes, start, lineStart)
    this.#parser.parse(text, bytes, start, lineStart)
    const unfinished = splitLine(this.#platform.decode(bytes, lineStart, end))
    const hadData = this.#parser.hasPendingData || unfinished.name === 'data'
    this.#held.consume(end)
    return { bytes: end - start, hadData }
  }
}

/** Start of the line that index `at` is in. */
function findLineStart(bytes: Uint8Array, start: number, at: number): number {
  let lineStart = at
  while (lineStart > start && !isLineEnd(bytes[lineStart - 1])) lineStart--
  return lineStart
}
