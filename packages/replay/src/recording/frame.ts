/**
 * A recorded event as bytes, and cut as it was received.
 *
 * The frame is the spelling all known providers use: `event`, `id`, one `data`
 * line a line of data, each with one space after the colon, then a blank line
 * (HTML Standard, 9.2.5). Comments and `retry` lines are not recorded.
 */
import type { Exchange, RecordedEvent, RecordedResponse } from './recording.ts'

type LineEnd = RecordedResponse['lineEnd']

/** The bytes of an event. Cuts of a recorded event are offsets into them. */
export function encodeFrame(event: RecordedEvent, lineEnd?: LineEnd): Buffer {
  const lines = [
    ...(event.event === undefined ? [] : [`event: ${event.event}`]),
    ...(event.id === undefined ? [] : [`id: ${event.id}`]),
    ...event.data.split('\n').map((line) => `data: ${line}`),
    '',
    '',
  ]
  return Buffer.from(lines.join(lineEnd === 'crlf' ? '\r\n' : '\n'))
}

/** A piece of a response as it was received. */
export type Chunk = {
  bytes: Buffer
  /** How many events of the exchange have begun once it has arrived; bytes of a tail belong to the last. */
  eventCount: number
  /** Since the chunk before (or the head of the response), in milliseconds. */
  dtMs: number
}

/**
 * The events of an exchange as the chunks they came in, and the tail of a
 * broken one. The time of a chunk is that of the last event it completes; one
 * that completes none comes together with its predecessor. Bytes after the
 * last cut are a chunk of their own.
 */
export function cutEvents({ events, response, end }: Exchange): Chunk[] {
  const chunks: Chunk[] = []
  let held: Buffer[] = []
  let eventCount = 0
  let dtMs = 0
  const flush = (): void => {
    const [first] = held
    if (first === undefined) return
    chunks.push({ bytes: held.length === 1 ? first : Buffer.concat(held), eventCount, dtMs })
    held = []
    dtMs = 0
  }
  for (const event of events) {
    const frame = encodeFrame(event, response?.lineEnd)
    const cuts = (event.cuts ?? [frame.length]).filter((cut) => cut < frame.length)
    const isCutAtEnd = event.cuts?.includes(frame.length) ?? true
    eventCount++
    let from = 0
    for (const cut of cuts) {
      held.push(frame.subarray(from, cut))
      flush()
      from = cut
    }
    held.push(frame.subarray(from))
    dtMs += event.dtMs
    if (isCutAtEnd) flush()
  }
  if (end.tail !== undefined) held.push(Buffer.from(end.tail))
  flush()
  return chunks
}
