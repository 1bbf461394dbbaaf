import { describe, expect, it } from 'vitest'
import { createSseDecoder, decodeSse, type SseDecoderOptions } from '@runproof/sse'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
describe('limits', () => {
  it('count no line end for the line, all of them for the event', () => {
    const options = { lineBytesMax: 8, eventBytesMax: 20 }
    const fits = 'data: 12\r\ndata: 34\r\n\r\n'
    expect(decodeSse([encode(fits + fits)], options).events).toHaveLength(2)
    const { end } = decodeSse([encode('data: 12\r\ndata: 34\r\n:\r\n')], options)
    expect(end.error).toEqual({ code: 'event-too-large', offset: 20 })
  })

  it.each([
    { lineBytesMax: 1, code: 'line-too-long' },
    { eventBytesMax: 1, code: 'event-too-large' },
  ])('hold for a stream that ends inside a byte order mark: $code', ({ code, ...options }) => {
    for (const chunks of [
      [Uint8Array.of(0xef, 0xbb)],
      [Uint8Array.of(0xef), Uint8Array.of(0xbb)],
    ]) {
      const { end } = decodeSse(chunks, options)
      expect(end).toMatchObject({ tailDiscarded: null, error: { code, offset: 1 } })
    }
  })

  it('hold for blocks without data, too', () => {
    const { end } = decodeSse([encode(': keep-alive\n'.repeat(10))], { eventBytesMax: 100 })
    expect(end.error).toEqual({ code: 'event-too-large', offset: 100 })
    const kept = decodeSse([encode(': keep-alive\n\n'.repeat(10))], { eventBytesMax: 100 })
    expect(kept.end.error).toBeNull()
  })
})

/** CPU milliseconds that the pieces cost, given one by one. */
function cpuOf(pieces: readonly Uint8Array[], options: SseDecoderOptions): number {
  const decoder = createSseDecoder(options)
  const start = process.cpuUsage()
  let events = 0
  for (const piece of pieces) events += decoder.push(piece).length
  const { user, system } = process.cpuUsage(start)
  expect(decoder.end().error).toBeNull()
  expect(events).toBe(1)
  return (user + system) / 1000
}

const x = (count: number): Uint8Array => new Uint8Array(count).fill(0x78)
const repeat = (piece: Uint8Array, count: number): Uint8Array[] =>
  Array.from({ length: count }, () => piece)
const begin = encode('data: ')
const finish = encode('\n\n')
const kibi = 1024

describe('time is linear in the length of an event', () => {
  // Eight times the bytes cost eight times the time, sixty-four if it were
  // quadratic; twenty-four leaves room for a busy machine.
  it.each<[string, (scale: number) => Uint8Array[], SseDecoderOptions]>([
    [
      'a line of 4 MiB in chunks of 1 KiB',
      (scale) => [begin, ...repeat(x(kibi), scale * 512), finish],
      {},
    ],
    [
      'a line in chunks of 4 bytes',
      (scale) => [begin, ...repeat(x(4), scale * 32 * kibi), finish],
      {},
    ],
    [
      'many lines in chunks of 1 KiB',
      (scale) => [...repeat(encode(`data: ${'x'.repeat(57)}\n`.repeat(16)), scale * 512), finish],
      {},
    ],
    [
      'many lines that end with CR',
      (scale) => [...repeat(encode(`data: ${'x'.repeat(57)}\r`.repeat(16)), scale * 512), finish],
      {},
    ],
    [
      'lines beyond what no limit can object to',
      (scale) => [...repeat(encode(`data: ${'x'.repeat(57)}\n`.repeat(16)), scale * 512), finish],
      { lineBytesMax: 100 },
    ],
    [
      'short comments',
      (scale) => [encode('data\n'), ...repeat(encode(':\n'.repeat(512)), scale * 256), finish],
      {},
    ],
  ])('%s', (_name, piecesOf, options) => {
    const short = Math.min(...[1, 2, 3].map(() => cpuOf(piecesOf(1), options)))
    const long = Math.min(...[1, 2, 3].map(() => cpuOf(piecesOf(8), options)))
    expect(long / Math.max(short, 0.5)).toBeLessThan(24)
  })
})
