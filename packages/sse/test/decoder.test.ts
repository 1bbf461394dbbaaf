import { describe, expect, it } from 'vitest'
import { createSseDecoder, decodeSse, type SseDecoderOptions } from '@runproof/sse'
import { Decoder } from '../src/decoder.ts'
import { createWebPlatform, detectPlatform, type Platform } from '../src/platform.ts'
import { readFixtures } from './fixtures.ts'
import { concat, everyPartition } from './inputs.ts'
import { decodeByReference, unlimited, type Decoded } from './reference.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const toBytes = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? encode(part) : part
const push = (bytes: Uint8Array): unknown => createSseDecoder().push(bytes)
const fixtures = readFixtures()

function decodeOn(platform: Platform, chunks: Uint8Array[], options: SseDecoderOptions): Decoded {
  const decoder = new Decoder(options, platform)
  const events = chunks.flatMap((chunk) => decoder.push(chunk))
  return { events, end: decoder.end() }
}

describe.each([
  ['with Buffer', detectPlatform()],
  ['with TextDecoder, as in browsers', createWebPlatform()],
])('decoding %s', (_name, platform) => {
  it.each(fixtures)('$name: $about', ({ stream, options, events, end }) => {
    for (const chunks of everyPartition(stream)) {
      expect(decodeOn(platform, chunks, options)).toEqual({ events, end })
    }
  })
})

describe('the reference of the property tests', () => {
  it.each(fixtures)('agrees on $name', ({ stream, options, events, end }) => {
    const decoded = decodeByReference(stream, { utf8: 'strict', ...unlimited, ...options })
    expect(decoded).toEqual({ events, end })
  })
})

describe('delivery', () => {
  it.each([
    ['LF', 'data: a\n\n'],
    ['CR LF', 'data: a\r\n\r\n'],
    ['CR', 'data: a\r\r'],
    ['CR and LF', 'data: a\r\n\n'],
  ])('dispatches at the byte that makes the blank line: %s', (_name, text) => {
    const bytes = encode(text)
    const decoder = createSseDecoder()
    // The LF of a CR LF comes too late to be waited for.
    const due = text.endsWith('\r\n') ? bytes.length - 1 : bytes.length
    expect(decoder.push(bytes.subarray(0, due - 1))).toEqual([])
    expect(decoder.push(bytes.subarray(due - 1))).toHaveLength(1)
  })

  it('finds blank lines of every kind in a large chunk that ends inside a line', () => {
    const filler = 'x'.repeat(100)
    for (const [lineEnd, blank] of [
      ['\n', '\n\n'],
      ['\r\n', '\r\n\r\n'],
      ['\r', '\r\r'],
      ['\n', '\n\r'],
    ]) {
      const text = `data: a${blank}event: e${lineEnd}data: b${blank}event: f${lineEnd}data: ${filler}`
      const decoder = createSseDecoder()
      expect(decoder.push(encode(text)).map(({ data }) => data)).toEqual(['a', 'b'])
      expect(decoder.push(encode(`${filler}${blank}`))).toEqual([
        { event: 'f', data: filler + filler, id: '' },
      ])
    }
  })

  it('keeps no reference to a chunk, so that its buffer may be used again', () => {
    const decoder = createSseDecoder()
    const buffer = new Uint8Array(64)
    const events = ['data: first half, ', 'second half of a line\n', 'data: next\n\n'].flatMap(
      (text) => {
        buffer.fill(0)
        const { written } = new TextEncoder().encodeInto(text, buffer)
        return decoder.push(buffer.subarray(0, written))
      },
    )
    buffer.fill(0)
    expect(events).toEqual([
      { event: 'message', data: 'first half, second half of a line\nnext', id: '' },
    ])
  })

  it('takes views into larger buffers', () => {
    const buffer = encode('----data: a\n\n----')
    expect(createSseDecoder().push(buffer.subarray(4, -4))).toHaveLength(1)
    expect(createSseDecoder().push(Buffer.from('data: a\n\n'))).toHaveLength(1)
  })

  it('tells retry, last event id and error as it goes', () => {
    const decoder = createSseDecoder()
    expect(decoder).toMatchObject({ retryMs: null, lastEventId: '', error: null })
    decoder.push(encode('retry: 10\nid: a\n\n'))
    expect(decoder).toMatchObject({ retryMs: 10, lastEventId: 'a', error: null })
    decoder.push(Uint8Array.of(0xff, 0x0a, 0x0a))
    expect(decoder.error).toEqual({ code: 'invalid-utf8', offset: 17 })
  })
})

describe('large chunks, which are read in place', () => {
  const filler = encode('data: filler\n\n'.repeat(400))
  const bad = Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff)
  const options = { utf8: 'strict' as const, lineBytesMax: 60, eventBytesMax: 100 }
  it.each<[string, (string | Uint8Array)[]]>([
    ['complete the held block', ['data: a\nda', 'ta: b\n\n', filler]],
    ['complete it with CR LF', ['data: a\r\nda', 'ta: b\r\n\r\n', filler]],
    ['complete it with CR', ['data: a\rda', 'ta: b\r\r', filler]],
    ['complete the blank line', ['data: a\n', '\n', filler]],
    ['end with an unfinished block', ['data: a', '\n\n', filler, 'id: 7\ndata: rest']],
    ['end inside a line', ['data: a', '\n\n', 'data: ', 'b'.repeat(50), '\n\n', filler, ': ']],
    ['go on with one unfinished block', ['data: a', '\n\n', ': x\n'.repeat(2000)]],
    ['have a fault in the held block', ['data: a', bad, '\n\n', filler]],
    ['have a fault in the rest', ['data: a', '\n\n', filler, bad, '\n\n', filler]],
    ['have a fault in the last line', ['data: a', '\n\n', filler, bad]],
    ['break a limit in the held block', ['data: a', 'a'.repeat(60), '\n\n', filler]],
    ['break a limit in the rest', ['data: a', '\n\n', filler, ': '.repeat(40), '\n\n', filler]],
  ])('%s', (_name, [held = '', ...rest]) => {
    const chunk = concat(rest.map(toBytes))
    const stream = concat([toBytes(held), chunk])
    for (const given of [options, { ...options, ...unlimited }]) {
      const expected = decodeByReference(stream, given)
      expect(decodeOn(detectPlatform(), [toBytes(held), chunk], given)).toEqual(expected)
    }
  })
})

describe('after the end', () => {
  it('delivers nothing more once there is an error', () => {
    const decoder = createSseDecoder()
    expect(decoder.push(encode('data: a\n\ndata: b'))).toHaveLength(1)
    expect(decoder.push(Uint8Array.of(0x80, 0x0a, 0x0a))).toEqual([])
    expect(decoder.push(encode('data: c\n\n'))).toEqual([])
    expect(decoder.end().error).toEqual({ code: 'invalid-utf8', offset: 16 })
  })

  it('refuses push and end', () => {
    for (const text of ['data: a\n\n', 'data: a', '\xff', '']) {
      const decoder = createSseDecoder()
      decoder.push(encode(text))
      decoder.end()
      expect(() => decoder.push(encode('data: late\n\n'))).toThrow(TypeError)
      expect(() => decoder.push(new Uint8Array(0))).toThrow(TypeError)
      expect(() => decoder.end()).toThrow(TypeError)
    }
  })
})

describe('programmer errors', () => {
  it.each([
    { utf8: 'loose' },
    { lineBytesMax: 0 },
    { lineBytesMax: 1.5 },
    { eventBytesMax: Number.POSITIVE_INFINITY },
    { eventBytesMax: '7' },
  ])('refuses the options %o', (options) => {
    expect(() => Reflect.apply(createSseDecoder, undefined, [options])).toThrow(TypeError)
  })

  it.each(['data: a\n\n', [100], new ArrayBuffer(4), new Uint16Array(4), undefined])(
    'refuses to push %o',
    (chunk) => {
      expect(() => Reflect.apply(push, undefined, [chunk])).toThrow(TypeError)
    },
  )
})

describe('decodeSse', () => {
  it('takes any iterable', () => {
    const chunks = new Set([encode('retry: 5\nda'), encode('ta: a\n\n')])
    const { events, retryMs, end } = decodeSse(chunks)
    expect(events).toEqual([{ event: 'message', data: 'a', id: '' }])
    expect(retryMs).toBe(5)
    expect(end.retryMs).toBe(5)
  })
})
