/**
 * The one error class of this package. Decoders report a fault as data; only
 * the stream face, which has no other way to stop its reader, throws it.
 */

import type { SseFault } from './decoder.ts'
import type { SseErrorCode } from './faults.ts'

const brand = Symbol.for('@runproof/sse.error')

const meanings: Record<SseErrorCode, string> = {
  'invalid-utf8': "a byte is not UTF-8; utf8: 'replace' would read on as browsers do",
  'truncated-utf8': 'the input ends inside a character; it was cut off',
  'line-too-long': 'a line is longer than lineBytesMax; raise it if such lines are expected',
  'event-too-large': 'an event is larger than eventBytesMax; raise it if such events are expected',
}

export class SseError extends Error {
  override readonly name = 'SseError'
  readonly code: SseErrorCode
  /** Bytes from the start of the stream. */
  readonly offset: number

  constructor({ code, offset }: SseFault) {
    super(`at byte ${offset} of the event stream, ${meanings[code]}`)
    this.code = code
    this.offset = offset
  }

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** Whether `value` is one, be it of another copy of this package. */
  static is(value: unknown): value is SseError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
