/**
 * Laws of the wires over arbitrary input: encoding is faithful or refused, and
 * decoding never throws and always gives a well-formed stream.
 */
import { assembleMessage, checkChunks, wireNames, wires, type SseEvent } from '@runproof/llm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyStream, expressibleStream } from './support/arbitrary.ts'
import { decode, done, fixtures } from './support/responses.ts'

describe.each(wireNames)('%s', (name) => {
  const wire = wires[name]

  it('encodes any well-formed stream faithfully, or refuses it by name', () => {
    fc.assert(
      fc.property(anyStream, (chunks) => {
        expect(checkChunks(chunks)).toEqual([])
        let events: SseEvent[]
        try {
          events = wire.encode(chunks)
        } catch (error) {
          expect(error).toMatchObject({ name: 'LlmError', code: 'UNSUPPORTED_CONTENT' })
          expect(String(error)).toContain(name)
          return
        }
        expect(assembleMessage(decode(wire, events))).toEqual(assembleMessage(chunks))
      }),
      { numRuns: 200 },
    )
  })

  it('encodes every stream it can express, and reads back what it wrote', () => {
    fc.assert(
      fc.property(expressibleStream(name), (chunks) => {
        const back = decode(wire, wire.encode(chunks))
        expect(checkChunks(back)).toEqual([])
        expect(assembleMessage(back)).toEqual(assembleMessage(chunks))
        expect(decode(wire, wire.encode(back))).toEqual(back)
      }),
      { numRuns: 150 },
    )
  })

  const own = fixtures.filter(({ wire: other }) => other === name).map(({ events }) => events)

  it('never throws on broken streams, and always ends them once and well-formed', () => {
    fc.assert(
      fc.property(brokenStream(own), (events) => {
        const chunks = decode(wire, events)
        expect(checkChunks(chunks)).toEqual([])
        expect(chunks.at(-1)?.type).toBe('finish')
      }),
      { numRuns: 250 },
    )
  })
})

/** Real events with holes, repetitions, swaps, foreign values and noise between them. */
function brokenStream(streams: readonly SseEvent[][]): fc.Arbitrary<SseEvent[]> {
  const noise = fc
    .oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom('', '[DONE]', 'null', '[]', '{}', '{"error":{}}'),
    )
    .map((data): SseEvent => ({ event: 'message', data, id: '' }))
  const real = fc.constantFrom(...streams.flat(), done)
  const bent = fc
    .tuple(real, fc.nat(40), fc.json({ maxDepth: 2 }))
    .map(([event, at, value]) => ({ ...event, data: replaceValue(event.data, at, value) }))
  const rearranged = fc
    .constantFrom(...streams)
    .chain((events) => fc.shuffledSubarray([...events, ...events.slice(-2)], { minLength: 1 }))
  const inOrder = fc
    .constantFrom(...streams)
    .chain((events) => fc.tuple(fc.constant(events), fc.subarray(events), fc.array(bent)))
    .map(([events, kept, extra]) => [
      ...events.filter((event) => kept.includes(event)),
      ...extra,
      ...events.slice(-1),
    ])
  return fc.oneof(fc.array(fc.oneof(noise, real, bent), { maxLength: 12 }), rearranged, inOrder)
}

/** The JSON text with its `at`-th value (counted over all leaves) replaced. */
function replaceValue(data: string, at: number, value: string): string {
  let leaf = 0
  try {
    return JSON.stringify(JSON.parse(data), (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null
        ? inner
        : leaf++ === at
          ? JSON.parse(value)
          : inner,
    )
  } catch {
    return value
  }
}
