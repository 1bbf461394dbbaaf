/**
 * The law the decoder is held to, written as plainly as the standard and with
 * none of the decoder's code: it sees the whole input at once, splits it into
 * lines, and asks the platform's streaming TextDecoder where UTF-8 breaks.
 * Slow on purpose.
 */

import type { SseEnd, SseErrorCode, SseEvent } from '@runproof/sse'

export type ReferenceOptions = {
  utf8: 'strict' | 'replace'
  lineBytesMax: number
  eventBytesMax: number
}

export type Decoded = { events: SseEvent[]; end: SseEnd }

export const unlimited: Omit<ReferenceOptions, 'utf8'> = {
  lineBytesMax: Number.MAX_SAFE_INTEGER,
  eventBytesMax: Number.MAX_SAFE_INTEGER,
}

/** A line of the input: content `[start, end)`, and whether a terminator follows. */
type Line = { start: number; end: number; isTerminated: boolean; blockStart: number }

export function decodeByReference(input: Uint8Array, options: ReferenceOptions): Decoded {
  const bomBytes = [0xef, 0xbb, 0xbf].every((byte, index) => input[index] === byte) ? 3 : 0
  const lines = splitLines(input, bomBytes)
  const error = firstError(input, lines, options)
  const faultAt = error?.offset ?? Number.POSITIVE_INFINITY
  const sound = lines.filter((line) => line.isTerminated && line.end < faultAt)
  const { events, retryMs, lastEventId, pendingData } = interpret(
    sound.map((line) => toText(input, line)),
  )
  const last = lines.at(-1)
  let tailDiscarded: SseEnd['tailDiscarded'] = null
  if (error === null && last !== undefined && last.blockStart < input.length) {
    const unfinished = last.isTerminated ? '' : toText(input, last)
    const hadData = pendingData || /^data(:|$)/.test(unfinished)
    tailDiscarded = { bytes: input.length - last.blockStart, hadData }
  }
  return { events, end: { retryMs, lastEventId, tailDiscarded, error } }
}

/** All lines; the last one is what follows the last terminator, often nothing. */
function splitLines(input: Uint8Array, from: number): Line[] {
  const lines: Line[] = []
  let start = from
  let blockStart = from
  for (let at = from; at < input.length; at++) {
    if (input[at] !== 10 && input[at] !== 13) continue
    lines.push({ start, end: at, isTerminated: true, blockStart })
    const isBlank = at === start
    if (input[at] === 13 && input[at + 1] === 10) at++
    start = at + 1
    if (isBlank) blockStart = start
  }
  lines.push({ start, end: input.length, isTerminated: false, blockStart })
  return lines
}

function firstError(
  input: Uint8Array,
  lines: readonly Line[],
  options: ReferenceOptions,
): SseEnd['error'] {
  const overflow = firstOverflow(lines, options)
  if (options.utf8 === 'replace') return overflow
  const limited = overflow === null ? input : input.subarray(0, overflow.offset)
  const broken = firstBreak(limited)
  // What a limit cuts off cannot be called truncated: nobody looked behind it.
  if (broken === null || (overflow !== null && broken.code === 'truncated-utf8')) return overflow
  return broken
}

function firstOverflow(lines: readonly Line[], options: ReferenceOptions): SseEnd['error'] {
  for (const { start, end, blockStart } of lines) {
    const lineMax = start + options.lineBytesMax
    const eventMax = Math.max(start, blockStart + options.eventBytesMax)
    if (end > lineMax && lineMax <= eventMax) return { code: 'line-too-long', offset: lineMax }
    if (end > eventMax) return { code: 'event-too-large', offset: eventMax }
  }
  return null
}

/** Feeds one byte at a time; a character that never comes out is where it broke. */
function firstBreak(input: Uint8Array): { code: SseErrorCode; offset: number } | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let character = 0
  for (let at = 0; at < input.length; at++) {
    try {
      const text = decoder.decode(input.subarray(at, at + 1), { stream: true })
      if (text !== '') character = at + 1
    } catch {
      return { code: 'invalid-utf8', offset: character }
    }
  }
  return character === input.length ? null : { code: 'truncated-utf8', offset: character }
}

function toText(input: Uint8Array, { start, end }: Line): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.subarray(start, end))
}

function interpret(lines: readonly string[]): {
  events: SseEvent[]
  retryMs: number | null
  lastEventId: string
  pendingData: boolean
} {
  const events: SseEvent[] = []
  let retryMs: number | null = null
  let lastEventId = ''
  let idBuffer = ''
  let type = ''
  let data: string[] = []
  for (const line of lines) {
    if (line === '') {
      lastEventId = idBuffer
      if (data.length > 0) {
        events.push({ event: type || 'message', data: data.join('\n'), id: lastEventId })
      }
      type = ''
      data = []
      continue
    }
    const [, name = '', value = ''] = /^([^:]*)(?::[ ]?([^]*))?$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event') type = value
    if (name === 'id' && !value.includes('\0')) idBuffer = value
    if (name === 'retry' && /^[0-9]+$/.test(value)) {
      retryMs = Math.min(Number.parseInt(value, 10), Number.MAX_SAFE_INTEGER)
    }
  }
  return { events, retryMs, lastEventId, pendingData: data.length > 0 }
}
