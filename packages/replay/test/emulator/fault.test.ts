import { describe, expect, it } from 'vitest'
import { wireNames, wires } from '@runproof/llm'
import type { StreamChunk } from '@runproof/llm'
import type { Fault } from '@runproof/replay/emulator'
import { decodeSse } from '@runproof/sse'
import { ask, recordingOf } from '../recording/recordings.ts'
import { emulate, paths, send } from './client.ts'

const chunks: StreamChunk[] = [
  { type: 'block-start', index: 0, blockType: 'text' },
  { type: 'text-delta', index: 0, text: 'one, ' },
  { type: 'text-delta', index: 0, text: 'two, three' },
  { type: 'block-end', index: 0, block: { type: 'text', text: 'one, two, three' } },
  { type: 'finish', reason: { kind: 'stop' } },
]

const recorded = recordingOf([{ events: ['a', 'bé', 'c'] }])

describe('a fault', () => {
  it.each(wireNames)('status, on %s: the error of the provider', async (wire) => {
    const recording = recordingOf([{ ask: {}, path: paths[wire] }], { wire })
    const fault: Fault = {
      exchange: 1,
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '3' },
    }
    const { url } = await emulate({ recordings: [recording], faults: [fault] })
    const { status, headers, text } = await send(url, { path: paths[wire], body: {} })
    expect(
      wires[wire].parseError(status, { 'retry-after': String(headers['retry-after']) }, text),
    ).toMatchObject({
      code: 'RATE_LIMIT',
      status: 429,
      retryAfterMs: 3000,
    })
  })

  it('status, where the provider has no word for it', async () => {
    const faults: Fault[] = [
      { exchange: 1, kind: 'status', status: 418, message: 'short and stout' },
    ]
    const { url } = await emulate({ recordings: [recorded], faults })
    expect(await send(url, { body: ask('hello') })).toMatchObject({
      status: 418,
      text: expect.stringContaining('short and stout'),
    })
  })

  it.each(wireNames)(
    'throw, on %s: the events before, then an error inside the stream',
    async (wire) => {
      const events = wires[wire].encode(chunks).map(({ event, data }) => ({ dtMs: 0, event, data }))
      const recording = recordingOf([{ ask: {}, path: paths[wire], events }], { wire })
      for (let after = 0; after <= events.length; after++) {
        const { url } = await emulate({
          recordings: [recording],
          faults: [{ exchange: 1, kind: 'throw', after, message: 'the soil is frozen' }],
        })
        const { text, end } = await send(url, { path: paths[wire], body: {} })
        expect(end).toBe('whole')
        const received = decodeSse([Buffer.from(text)]).events
        expect(received.slice(0, -1).map(({ data }) => data)).toEqual(
          events.slice(0, after).map(({ data }) => data),
        )
        const decoder = wires[wire].createDecoder()
        const finish = [...received.flatMap((event) => decoder.push(event)), ...decoder.end()].at(
          -1,
        )
        const isOver = events
          .slice(0, after)
          .some(
            ({ data }) => data === '[DONE]' || /"(message_stop|response\.completed)"/.test(data),
          )
        if (isOver) expect(finish).toMatchObject({ reason: { kind: 'stop' } })
        else
          expect(finish).toMatchObject({ reason: { kind: 'error', message: 'the soil is frozen' } })
      }
    },
  )

  it('hang, after events: silence until the client leaves', async () => {
    const { url } = await emulate({
      recordings: [recorded],
      faults: [{ exchange: 1, kind: 'hang', after: 2 }],
    })
    const stop = new AbortController()
    const { chunks: seen, end } = await send(url, {
      body: ask('hello'),
      signal: stop.signal,
      onChunk: (_chunk, all) => {
        if (all.length === 2) stop.abort()
      },
    })
    expect([seen, end]).toEqual([['data: a\n\n', 'data: bé\n\n'], 'ECONNRESET'])
  })

  it('hang, without a number: not even a head', async () => {
    const told = Promise.withResolvers<void>()
    const { url } = await emulate({
      recordings: [recorded],
      faults: [{ exchange: 1, kind: 'hang' }],
      onRequest: () => told.resolve(),
    })
    const stop = new AbortController()
    const pending = expect(send(url, { body: ask('hello'), signal: stop.signal })).rejects.toThrow(
      'aborted',
    )
    await told.promise
    stop.abort()
    await pending
  })

  it.each<[number, number | undefined, string]>([
    [0, undefined, ''],
    [2, undefined, 'data: a\n\ndata: bé\n\n'],
    [1, 5, 'data: a\n\ndata:'],
    [1, 8, 'data: a\n\ndata: b\uFFFD'],
    [3, undefined, 'data: a\n\ndata: bé\n\ndata: c\n\n'],
  ])('cut after %i events and %s bytes', async (after, bytes, text) => {
    const fault: Fault = {
      exchange: 1,
      kind: 'cut',
      after,
      ...(bytes === undefined ? {} : { bytes }),
    }
    const { url } = await emulate({ recordings: [recorded], faults: [fault] })
    expect(await send(url, { body: ask('hello') })).toMatchObject({ text, end: 'ECONNRESET' })
  })

  it('cut, without a number: before the head', async () => {
    const { url } = await emulate({
      recordings: [recorded],
      faults: [{ exchange: 1, kind: 'cut' }],
    })
    await expect(send(url, { body: ask('hello') })).rejects.toThrow('socket hang up')
  })

  it('is met as often as it says; then comes what was recorded', async () => {
    const fault: Fault = { exchange: 1, kind: 'status', status: 503, times: 2 }
    const { url, misses, unused } = await emulate({ recordings: [recorded], faults: [fault] })
    const answers: number[] = []
    for (let i = 0; i < 4; i++) answers.push((await send(url, { body: ask('hello') })).status)
    expect(answers).toEqual([503, 503, 200, 400])
    expect(misses).toMatchObject([{ code: 'exhausted' }])
    expect(unused()).toEqual([])
  })

  it('leaves its exchange used, though nobody tries again', async () => {
    const fault: Fault = { exchange: 1, kind: 'cut', times: Number.POSITIVE_INFINITY }
    const { url, unused } = await emulate({ recordings: [recorded], faults: [fault] })
    await expect(send(url, { body: ask('hello') })).rejects.toThrow()
    expect(unused()).toEqual([])
  })

  it('is of its exchange and recording only', async () => {
    const two = [
      recordingOf([{ ask: ask('x'), events: ['x'] }]),
      recordingOf([{ ask: ask('y'), events: ['y'] }]),
    ]
    const fault: Fault = { exchange: { n: 1, recording: 1 }, kind: 'status', status: 500 }
    const { url } = await emulate({ recordings: two, faults: [fault] })
    expect((await send(url, { body: ask('x') })).status).toBe(200)
    expect((await send(url, { body: ask('y') })).status).toBe(500)
  })

  it.each<[string, Fault]>([
    ['of no exchange', { exchange: 3, kind: 'cut' }],
    ['after more events than there are', { exchange: 1, kind: 'hang', after: 4 }],
    ['after half an event', { exchange: 1, kind: 'hang', after: 0.5 }],
    ['after more bytes than the event has', { exchange: 1, kind: 'cut', after: 1, bytes: 99 }],
    ['in an event behind the last', { exchange: 1, kind: 'cut', after: 3, bytes: 1 }],
    ['after events of a body', { exchange: 2, kind: 'throw', after: 0 }],
    ['met never', { exchange: 1, kind: 'cut', times: 0 }],
    ['with a code no stream has', { exchange: 1, kind: 'throw', after: 1, code: 'STREAM_CLOSED' }],
  ])('%s is refused', async (_name, fault) => {
    const withBody = recordingOf([{}, { body: '{}' }]).exchanges.slice(1)
    const recordings = [{ ...recorded, exchanges: [...recorded.exchanges, ...withBody] }]
    await expect(emulate({ recordings, faults: [fault] })).rejects.toMatchObject({
      code: 'bad-config',
    })
  })
})
