import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutEvents, encodeFrame } from '@runproof/replay'
import { decodeSse } from '@runproof/sse'
import { anyEvent, exchange } from './recordings.ts'

const anyStream = fc.record({
  events: fc.array(anyEvent, { maxLength: 6 }),
  lineEnd: fc.constantFrom(undefined, 'crlf' as const),
})

const streamOf = ({
  events,
  lineEnd,
}: typeof anyStream extends fc.Arbitrary<infer T> ? T : never) =>
  exchange({
    events,
    response: { status: 200, headers: {}, ...(lineEnd === undefined ? {} : { lineEnd }) },
  })

const sum = (items: readonly { dtMs: number }[]): number =>
  items.reduce((total, { dtMs }) => total + dtMs, 0)

describe('chunks of a recorded stream', () => {
  it('are the bytes of its frames, and none is empty', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const chunks = cutEvents(streamOf(stream))
        const frames = stream.events.map((event) => encodeFrame(event, stream.lineEnd))
        expect(Buffer.concat(chunks.map(({ bytes }) => bytes))).toEqual(Buffer.concat(frames))
        expect(chunks.every(({ bytes }) => bytes.length > 0)).toBe(true)
      }),
    )
  })

  it('end where the recording says', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        let offset = 0
        const ends = new Set<number>()
        for (const event of stream.events) {
          const { length } = encodeFrame(event, stream.lineEnd)
          for (const cut of event.cuts ?? [length]) ends.add(offset + cut)
          offset += length
        }
        if (offset > 0) ends.add(offset)
        let end = 0
        const cut = cutEvents(streamOf(stream)).map(({ bytes }) => (end += bytes.length))
        expect(cut).toEqual([...ends].toSorted((a, b) => a - b))
      }),
    )
  })

  it('take as long as the events, each in order', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const chunks = cutEvents(streamOf(stream))
        expect(sum(chunks)).toBe(sum(stream.events))
        const counts = chunks.map(({ eventCount }) => eventCount)
        expect(counts).toEqual(counts.toSorted((a, b) => a - b))
        expect(counts.at(-1) ?? 0).toBe(stream.events.length)
      }),
    )
  })

  it('decode to the events', () => {
    fc.assert(
      fc.property(anyStream, (stream) => {
        const { events, end } = decodeSse(cutEvents(streamOf(stream)).map(({ bytes }) => bytes))
        expect(end.error).toBeNull()
        expect(events.map(({ data }) => data)).toEqual(stream.events.map(({ data }) => data))
        expect(events.map(({ event }) => event)).toEqual(
          stream.events.map(({ event }) => event || 'message'),
        )
      }),
    )
  })

  it('a piece inside a frame goes before the time of its event, the event with its last piece', () => {
    const chunks = cutEvents(
      exchange({
        events: [
          { dtMs: 5, data: 'a', cuts: [3] },
          { dtMs: 7, data: 'b', cuts: [] },
          { dtMs: 11, data: 'c' },
        ],
        end: { kind: 'reset', tail: 'data: d' },
      }),
    )
    expect(chunks.map(({ bytes, dtMs }) => [bytes.toString(), dtMs])).toEqual([
      ['dat', 0],
      ['a: a\n\ndata: b\n\ndata: c\n\n', 23],
      ['data: d', 0],
    ])
  })
})
