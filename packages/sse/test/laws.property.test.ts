import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSse, encodeSse, type SseEvent } from '@runproof/sse'
import { Decoder } from '../src/decoder.ts'
import { createWebPlatform } from '../src/platform.ts'
import { concat, illFormed, wellFormed } from './inputs.ts'
import { decodeByReference, unlimited, type Decoded, type ReferenceOptions } from './reference.ts'

const piece = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...wellFormed) },
  { weight: 1, arbitrary: fc.constantFrom(...illFormed) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
)

/** Longer than what is copied byte by byte, and than what is joined with held bytes. */
const longPiece = fc.constantFrom(
  ...['x'.repeat(40), `data: ${'y'.repeat(6000)}`, '三'.repeat(2000)].map((text) =>
    new TextEncoder().encode(text),
  ),
)

/** A stream, and where to cut it. */
const cutStreamOf = (
  pieces: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<{ stream: Uint8Array; chunks: Uint8Array[] }> =>
  fc
    .tuple(fc.boolean(), fc.array(pieces, { maxLength: 24 }), fc.array(fc.nat(), { maxLength: 40 }))
    .map(([hasMark, parts, cuts]) => {
      const stream = concat([...(hasMark ? [Uint8Array.of(0xef, 0xbb, 0xbf)] : []), ...parts])
      const offsets = cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b)
      const chunks = [...offsets, stream.length].map((offset, index) =>
        stream.slice(offsets[index - 1] ?? 0, offset),
      )
      return { stream, chunks }
    })

const cutStream = cutStreamOf(piece)

const options: fc.Arbitrary<ReferenceOptions> = fc.record({
  utf8: fc.constantFrom('strict', 'replace'),
  lineBytesMax: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.constant(unlimited.lineBytesMax)),
  eventBytesMax: fc.oneof(fc.integer({ min: 1, max: 160 }), fc.constant(unlimited.eventBytesMax)),
})

function decodeInBrowser(chunks: Uint8Array[], given: ReferenceOptions): Decoded {
  const decoder = new Decoder(given, createWebPlatform())
  return { events: chunks.flatMap((chunk) => decoder.push(chunk)), end: decoder.end() }
}

describe('decoding', () => {
  it('is the same under every partition, in both modes and with any limits', () => {
    fc.assert(
      fc.property(cutStream, options, ({ stream, chunks }, given) => {
        const expected = decodeByReference(stream, given)
        const { events, end } = decodeSse(chunks, given)
        expect({ events, end }).toEqual(expected)
        expect(decodeInBrowser(chunks, given)).toEqual(expected)
      }),
      { numRuns: 4000 },
    )
  })

  it('is the same for long lines and large chunks', () => {
    const cutLongStream = cutStreamOf(fc.oneof({ weight: 8, arbitrary: piece }, longPiece))
    fc.assert(
      fc.property(cutLongStream, options, ({ stream, chunks }, given) => {
        const { events, end } = decodeSse(chunks, given)
        expect({ events, end }).toEqual(decodeByReference(stream, given))
      }),
      { numRuns: 300 },
    )
  })

  it('does not depend on whether events get strings of their own', () => {
    fc.assert(
      fc.property(cutStream, options, ({ chunks }, given) => {
        expect(decodeSse(chunks, { ...given, copy: true })).toEqual(decodeSse(chunks, given))
      }),
      { numRuns: 1000 },
    )
  })

  it('delivers before an error what the input before the error’s line delivers', () => {
    fc.assert(
      fc.property(cutStream, options, ({ stream, chunks }, given) => {
        const { events, end } = decodeSse(chunks, given)
        if (end.error === null) return
        const before = decodeSse([stream.subarray(0, end.error.offset)], {
          ...given,
          utf8: 'replace',
        })
        expect(before.events).toEqual(events)
      }),
      { numRuns: 2000 },
    )
  })
})

const wellFormedText = fc.string({ unit: 'binary', maxLength: 40 })
const without = (pattern: RegExp): fc.Arbitrary<string> =>
  wellFormedText.map((text) => text.replaceAll(pattern, ''))
const carried: fc.Arbitrary<SseEvent> = fc.record({
  event: without(/[\r\n\0]/g).map((event) => event || 'message'),
  data: fc
    .array(fc.oneof(without(/\r/g), fc.constantFrom('\n', ' ', ':', 'data: ', '\uFEFF', '\u2028')))
    .map((parts) => parts.join('')),
  id: without(/[\r\n\0]/g),
})

describe('encoding', () => {
  it('is undone by decoding, in both modes and under every partition', () => {
    fc.assert(
      fc.property(
        fc.array(carried, { maxLength: 6 }),
        fc.integer({ min: 1, max: 50 }),
        (events, size) => {
          const wire = concat(events.map(encodeSse))
          const chunks = Array.from({ length: Math.ceil(wire.length / size) }, (_, index) =>
            wire.slice(index * size, (index + 1) * size),
          )
          for (const utf8 of ['strict', 'replace'] as const) {
            const decoded = decodeSse(chunks, { utf8 })
            expect(decoded.events).toEqual(events)
            expect(decoded.end).toMatchObject({ tailDiscarded: null, error: null })
          }
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('refuses exactly what decoding would not give back', () => {
    const any = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', ':', ' ', '\n', '\r', '\0', 'é', '\uD83D', '\uDE42'),
      }),
      wellFormedText,
    )
    fc.assert(
      fc.property(fc.record({ event: any, data: any, id: any }), (event) => {
        const carries =
          event.event !== '' &&
          !/[\r\n\0]/.test(event.event + event.id) &&
          !event.data.includes('\r') &&
          [event.event, event.data, event.id].every((text) => text.isWellFormed())
        if (carries) expect(decodeSse([encodeSse(event)]).events).toEqual([event])
        else expect(() => encodeSse(event)).toThrow(TypeError)
      }),
      { numRuns: 3000 },
    )
  })
})
