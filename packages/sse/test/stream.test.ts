import { describe, expect, it } from 'vitest'
import type { SseEvent } from '@runproof/sse'
import { createSseDecoderStream, SseError } from '@runproof/sse/stream'
import { readFixtures } from './fixtures.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const named = (...values: string[]): SseEvent[] =>
  values.map((data) => ({ event: 'message', data, id: '' }))

/** A source that counts how many chunks were taken from it. */
function createSource(chunks: readonly Uint8Array[]): {
  stream: ReadableStream<Uint8Array>
  taken: () => number
} {
  let count = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[count]
        if (chunk === undefined) return controller.close()
        count++
        controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, taken: () => count }
}

/** All events up to the end, and what ended them. */
async function collect(
  readable: ReadableStream<SseEvent>,
): Promise<{ events: SseEvent[]; thrown: unknown }> {
  const events: SseEvent[] = []
  try {
    for await (const event of readable) events.push(event)
    return { events, thrown: undefined }
  } catch (thrown) {
    return { events, thrown }
  }
}

/** Lets everything that can go on go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the stream', () => {
  it.each(readFixtures())('decodes $name in pieces of 7 bytes', async (fixture) => {
    const { stream, options, events, end } = fixture
    const chunks = Array.from({ length: Math.ceil(stream.length / 7) }, (_, index) =>
      stream.slice(index * 7, index * 7 + 7),
    )
    const decoder = createSseDecoderStream(options)
    const read = await collect(createSource(chunks).stream.pipeThrough(decoder))
    expect(read.events).toEqual(events)
    expect(await decoder.end).toEqual(end)
    if (end.error === null) return expect(read.thrown).toBeUndefined()
    expect(read.thrown).toBeInstanceOf(SseError)
    expect(read.thrown).toMatchObject(end.error)
  })

  it('reads a response body', async () => {
    const { body } = new Response('data: a\n\ndata: b\n\n')
    const read = await collect(body!.pipeThrough(createSseDecoderStream()))
    expect(read).toEqual({ events: named('a', 'b'), thrown: undefined })
  })

  it('delivers all events of a chunk before the error in the same chunk', async () => {
    const bytes = Uint8Array.from([...encode('data: a\n\ndata: b\n\ndata: c\n\n'), 0xff, 10, 10])
    const decoder = createSseDecoderStream()
    const read = await collect(createSource([bytes]).stream.pipeThrough(decoder))
    expect(read.events).toEqual(named('a', 'b', 'c'))
    expect(read.thrown).toMatchObject({ code: 'invalid-utf8', offset: 27 })
    expect((await decoder.end).error).toEqual({ code: 'invalid-utf8', offset: 27 })
  })

  it('tells of an error without waiting for more input, and cancels the source', async () => {
    let cancelled: unknown
    const stalled = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encode('data: a\n\ndata: \uFFFD\n\n'.repeat(2))),
      cancel(reason) {
        cancelled = reason
      },
    })
    const read = await collect(stalled.pipeThrough(createSseDecoderStream({ lineBytesMax: 8 })))
    expect(read.events).toEqual(named('a'))
    expect(read.thrown).toMatchObject({ code: 'line-too-long', offset: 17 })
    await settle()
    expect(cancelled).toBe(read.thrown)
  })
})

describe('back-pressure', () => {
  const chunks = Array.from({ length: 20 }, (_, index) => encode(`data: ${index}\n\n`.repeat(3)))

  it('takes no chunk before the reader has taken the events of the one before', async () => {
    const { stream, taken } = createSource(chunks)
    const reader = stream.pipeThrough(createSseDecoderStream()).getReader()
    await settle()
    // One chunk may wait at the door of the writable.
    expect(taken()).toBeLessThanOrEqual(2)
    for (let chunk = 1; chunk <= 5; chunk++) {
      for (let event = 0; event < 3; event++) await reader.read()
      await settle()
      expect(taken()).toBeLessThanOrEqual(chunk + 2)
    }
    await reader.cancel()
  })

  it('makes a writer wait', async () => {
    const { readable, writable } = createSseDecoderStream()
    const writer = writable.getWriter()
    let written = 0
    const results = chunks.map((chunk) => writer.write(chunk).then(() => written++))
    await settle()
    expect(written).toBe(0)
    const reader = readable.getReader()
    await reader.read()
    await settle()
    expect(written).toBe(1)
    await reader.cancel('seen enough')
    const outcomes = await Promise.allSettled(results)
    // The second was waiting inside; the others never got in.
    expect(outcomes.map(({ status }) => status).slice(0, 3)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
  })

  it('reads on through chunks without events', async () => {
    const pieces = [...encode(': nothing\n\n'.repeat(20)), ...encode('data: a\n\n')].map((byte) =>
      Uint8Array.of(byte),
    )
    const read = await collect(createSource(pieces).stream.pipeThrough(createSseDecoderStream()))
    expect(read.events).toEqual(named('a'))
  })
})

describe('the end', () => {
  it('passes an error of the source on, behind the events before it', async () => {
    const reset = new Error('connection reset')
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encode('id: 7\ndata: a\n\ndata: b\n\ndata: c')),
      pull: (controller) => controller.error(reset),
    })
    const decoder = createSseDecoderStream()
    const read = await collect(broken.pipeThrough(decoder))
    expect(read.events.map(({ data }) => data)).toEqual(['a', 'b'])
    expect(read.thrown).toBe(reset)
    expect(await decoder.end).toEqual({
      retryMs: null,
      lastEventId: '7',
      tailDiscarded: { bytes: 7, hadData: true },
      error: null,
    })
  })

  it('passes an abort on, and the end report resolves', async () => {
    const { readable, writable, end } = createSseDecoderStream()
    const reason = new Error('stopped')
    const aborted = writable.abort(reason)
    expect(await collect(readable)).toEqual({ events: [], thrown: reason })
    await aborted
    expect((await end).error).toBeNull()
  })

  it('cancels the source when the reader stops, also one that waits', async () => {
    let cancelled: unknown
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encode('data: a\n\ndata: b\n\n')),
      cancel(reason) {
        cancelled = reason
      },
    })
    const decoder = createSseDecoderStream()
    const reader = endless.pipeThrough(decoder).getReader()
    await reader.read()
    await settle()
    await reader.cancel('seen enough')
    await settle()
    expect(cancelled).toBe('seen enough')
    expect(await decoder.end).toMatchObject({ tailDiscarded: null, error: null })
  })

  it('comes once, also when the reader cancels after an error', async () => {
    const { readable, writable, end } = createSseDecoderStream({ lineBytesMax: 4 })
    const written = writable.getWriter().write(encode('data: a\n\n'))
    const reader = readable.getReader()
    await expect(reader.read()).rejects.toBeInstanceOf(SseError)
    await expect(written).rejects.toBeInstanceOf(SseError)
    await expect(reader.cancel()).rejects.toBeInstanceOf(SseError)
    expect((await end).error).toEqual({ code: 'line-too-long', offset: 4 })
  })

  it('is a TypeError at a chunk that is no Uint8Array', async () => {
    const { readable, writable } = createSseDecoderStream()
    const writer: WritableStreamDefaultWriter<unknown> = writable.getWriter()
    const written = writer.write('data: a\n\n')
    expect((await collect(readable)).thrown).toBeInstanceOf(TypeError)
    await expect(written).rejects.toBeInstanceOf(TypeError)
  })

  it('refuses bad options at once', () => {
    expect(() => createSseDecoderStream({ lineBytesMax: -1 })).toThrow(TypeError)
  })
})

describe('SseError', () => {
  it('is known by its brand, also across copies of the package', () => {
    const error = new SseError({ code: 'line-too-long', offset: 3 })
    expect(error.message).toMatch(/byte 3 .* lineBytesMax/)
    expect(SseError.is(error)).toBe(true)
    const ofAnotherCopy = { [Symbol.for('@runproof/sse.error')]: true }
    expect(SseError.is(ofAnotherCopy)).toBe(true)
    expect(SseError.is(new Error('other'))).toBe(false)
    expect(SseError.is(null)).toBe(false)
  })
})
