/**
 * The bytes of an event stream as recorded events: what each says, when it was
 * complete, and where chunks ended inside it.
 *
 * `@runproof/sse` says what the events are; here is only found where their
 * blocks end, to know which bytes are whose.
 */
import { createSseDecoder, type SseEvent } from '@runproof/sse'
import { encodeFrame } from '../recording/frame.ts'
import type { RecordedEvent, RecordedResponse } from '../recording/recording.ts'
import type { TimedBytes } from './encoding.ts'

export type Frames = {
  events: RecordedEvent[]
  lineEnd: RecordedResponse['lineEnd']
  /** What came after the last whole block; absent when nothing did. */
  tail?: string
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** @param startMs the head of the response, on the clock of the chunks. */
export function readFrames(chunks: readonly TimedBytes[], startMs: number): Frames {
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes))
  // All of it was kept, so an event may be as large as that.
  const bytesMax = bytes.length + 1
  const decoder = createSseDecoder({
    utf8: 'replace',
    copy: true,
    lineBytesMax: bytesMax,
    eventBytesMax: bytesMax,
  })
  const ends = createEnds(chunks)
  const events: RecordedEvent[] = []
  let lineEnd: RecordedResponse['lineEnd']
  let lastId = ''
  let lastMs = 0
  const record = (event: SseEvent, end: number): RecordedEvent => {
    const atMs = Math.round(Math.max(ends.timeOf(end) - startMs, lastMs))
    const recorded = {
      dtMs: atMs - lastMs,
      ...(event.event === 'message' ? {} : { event: event.event }),
      ...(event.id === lastId ? {} : { id: event.id }),
      data: event.data,
    }
    lastMs = atMs
    lastId = event.id
    return recorded
  }
  const readBlock = (start: number, end: number): void => {
    const [event, ...more] = decoder.push(bytes.subarray(start, end)).map((one) => record(one, end))
    const cuts = ends.take(start, end)
    // A chunk that ended in what a frame has not (comments, `retry`) ended behind the frame before.
    const frameBytes = event === undefined ? 0 : encodeFrame(event, lineEnd).length
    if (cuts.some((cut) => end - cut >= frameBytes)) endChunk(events.at(-1), lineEnd)
    if (event === undefined) return
    const offsets = cuts.map((cut) => frameBytes - (end - cut)).filter((offset) => offset > 0)
    if (offsets.length !== 1 || offsets[0] !== frameBytes) event.cuts = offsets
    // More than one is in a block only when carriage returns end its lines; nobody knows its cuts.
    for (const one of [event, ...more]) events.push(one)
  }
  let start = 0
  for (let end = blockEnd(bytes, start); end !== -1; end = blockEnd(bytes, start)) {
    if (start === 0 && bytes[end - 2] === carriageReturn) lineEnd = 'crlf'
    readBlock(start, end)
    start = end
  }
  const rest = decoder.push(bytes.subarray(start))
  for (const event of rest) events.push(record(event, bytes.length))
  const left = decoder.end().tailDiscarded?.bytes ?? 0
  const tail = wholeCharacters(bytes.subarray(bytes.length - left))
  return { events, lineEnd, ...(tail === '' ? {} : { tail }) }
}

/** Index behind the first blank line from `start`, or -1. */
function blockEnd(bytes: Buffer, start: number): number {
  let lineStart = start
  for (;;) {
    const end = bytes.indexOf(lineFeed, lineStart)
    if (end === -1) return -1
    const length = end - lineStart
    if (length === 0 || (length === 1 && bytes[lineStart] === carriageReturn)) return end + 1
    lineStart = end + 1
  }
}

/** Says that a chunk ended with this event; one without cuts says so already. */
function endChunk(event: RecordedEvent | undefined, lineEnd: RecordedResponse['lineEnd']): void {
  if (event?.cuts === undefined) return
  const { length } = encodeFrame(event, lineEnd)
  if (event.cuts.length === 0) delete event.cuts
  else if (!event.cuts.includes(length)) event.cuts.push(length)
}

/** Where chunks end, asked for in ascending order. */
function createEnds(chunks: readonly TimedBytes[]): {
  /** When the byte before `end` came. */
  timeOf(end: number): number
  /** Ends in (start, end]. */
  take(start: number, end: number): number[]
} {
  let offset = 0
  const ends = chunks.map(({ bytes, atMs }) => ({ end: (offset += bytes.length), atMs }))
  let next = 0
  const seek = (from: number): void => {
    while ((ends[next]?.end ?? Infinity) <= from) next++
  }
  return {
    timeOf(end) {
      let at = next
      while ((ends[at]?.end ?? Infinity) < end) at++
      return ends[at]?.atMs ?? ends.at(-1)?.atMs ?? 0
    },
    take(start, end) {
      seek(start)
      const taken: number[] = []
      for (let at = next; (ends[at]?.end ?? Infinity) <= end; at++) taken.push(ends[at]?.end ?? 0)
      return taken
    },
  }
}

/** The text of bytes that may break off inside a character, without that one. */
function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}
