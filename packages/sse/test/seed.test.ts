import { describe, expect, it } from 'vitest'
import { createSseDecoder, decodeSse, type SseEvent } from '@runproof/sse'
import { hasShared, readShared, unlessShared } from './fixtures.ts'
import { everyPartition } from './inputs.ts'
import { fails, wrongStrategies } from './wrong-strategies.ts'

type SeedCase = {
  name: string
  wire: string
  expected: { events: SseEvent[]; retry_ms: number | null }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const cases: SeedCase[] = hasShared ? JSON.parse(readShared('conformance/sse-cases.json')) : []

/** JSON with the spaces that Python puts in, in which the expected output is written. */
function toSpacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toSpacedJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${toSpacedJson(member)}`,
  )
  return `{${members.join(', ')}}`
}

describe.skipIf(!hasShared)(`the seed${unlessShared}`, () => {
  it('is followed in its 16 cases, 540 judgements', () => {
    let judgements = 0
    for (const { name, wire, expected } of cases) {
      for (const chunks of everyPartition(encode(wire))) {
        const { events, retryMs } = decodeSse(chunks)
        expect({ name, events, retry_ms: retryMs }).toEqual({ name, ...expected })
        judgements++
      }
    }
    expect(cases).toHaveLength(16)
    expect(judgements).toBe(540)
  })

  it.each(wrongStrategies)('catches a decoder that $name', (strategy) => {
    const seedCase = cases.find(({ name }) => name === strategy.caughtBy.seedCase)
    if (seedCase === undefined) throw new Error('no such case')
    const partitions = everyPartition(encode(seedCase.wire))
    expect(fails(strategy, partitions, seedCase.expected.events)).toBe(true)
  })

  it.each([
    [
      'a byte that is no UTF-8',
      Uint8Array.of(...encode('data: '), 0xff, 10, 10),
      'invalid-utf8',
      6,
    ],
    ['a character cut off', Uint8Array.of(...encode('data: '), 0xe4), 'truncated-utf8', 6],
    ['one byte of a mark', Uint8Array.of(0xef), 'truncated-utf8', 0],
    ['two bytes of a mark', Uint8Array.of(0xef, 0xbb), 'truncated-utf8', 0],
  ])('has its policy: %s is an error', (_name, stream, code, offset) => {
    for (const chunks of everyPartition(stream)) {
      const { events, end } = decodeSse(chunks)
      expect(events).toEqual([])
      expect(end.error).toEqual({ code, offset })
    }
  })

  it('has its policy: input after the end is refused', () => {
    const decoder = createSseDecoder()
    decoder.end()
    expect(() => decoder.push(encode('data: late\n\n'))).toThrow(TypeError)
  })

  it('is followed in its demo, byte for byte', () => {
    const smile = encode('🙂')
    const you = encode('你')
    const demo: Record<string, Uint8Array[]> = {
      metadata_only: [encode('retry: 3000\nid: cursor-1\nevent: status\n\n')],
      empty_data: [encode('data:\n\n')],
      json_at_eof: [encode('data: {"done":true}\n')],
      split_unicode_crlf: [
        Uint8Array.of(...encode('data: '), ...you.subarray(0, 1)),
        Uint8Array.of(...you.subarray(1), ...encode('好'), ...smile.subarray(0, 2)),
        Uint8Array.of(...smile.subarray(2), 0x0d),
        encode('\ndata: second\r\n\r'),
        encode('\n'),
      ],
    }
    const lines = Object.entries(demo).map(([name, chunks]) => {
      const { events, retryMs } = decodeSse(chunks)
      return `${name} => ${toSpacedJson({ events, retry_ms: retryMs })}\n`
    })
    expect(lines.join('')).toBe(readShared('conformance/sse-demo-expected.txt'))
  })
})
