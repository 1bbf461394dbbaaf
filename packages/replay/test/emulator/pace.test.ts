import { describe, expect, it } from 'vitest'
import type { Timers } from '@runproof/llm'
import type { Pace } from '@runproof/replay/emulator'
import { createPacing } from '../../src/emulator/pace.ts'
import { ask, recordingOf } from '../recording/recordings.ts'
import { emulate, send } from './client.ts'

/** Timers that note what they are set to and go off at once, or when they are told. */
function createTimers(
  goesOff: 'at once' | 'never',
): Timers & { delays: number[]; cleared: number } {
  const timers = {
    delays: [] as number[],
    cleared: 0,
    set(callback: () => void, delayMs: number) {
      timers.delays.push(delayMs)
      if (goesOff === 'at once') queueMicrotask(callback)
      return callback
    },
    clear() {
      timers.cleared++
    },
  }
  return timers
}

const timed = recordingOf([
  {
    response: { status: 200, headers: {}, dtMs: 400 },
    events: [
      { dtMs: 0, data: 'a' },
      { dtMs: 30, data: 'b', cuts: [] },
      { dtMs: 10, data: 'c', cuts: [3] },
      { dtMs: 50, data: 'd' },
    ],
  },
])

describe('pace', () => {
  it.each<[Pace, number[]]>([
    ['instant', []],
    ['recorded', [400, 30, 60]],
    ['x10', [40, 3, 6]],
    ['x0.5', [800, 60, 120]],
  ])('%s waits as long as it says', async (pace, delays) => {
    const timers = createTimers('at once')
    const { url } = await emulate({ recordings: [timed], pace, timers })
    const { chunks } = await send(url, { body: ask('hello') })
    expect(chunks).toEqual(['data: a\n\n', 'data: b\n\ndat', 'a: c\n\ndata: d\n\n'])
    expect(timers.delays).toEqual(delays)
  })

  it('a client that leaves is waited for no longer', async () => {
    const timers = createTimers('never')
    const { url, close } = await emulate({ recordings: [timed], pace: 'recorded', timers })
    const stop = new AbortController()
    const pending = send(url, { body: ask('hello'), signal: stop.signal })
    const seen = expect(pending).rejects.toThrow('aborted')
    while (timers.delays.length === 0) await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    await seen
    while (timers.cleared === 0) await new Promise((resolve) => setImmediate(resolve))
    await close()
    expect(timers.delays).toEqual([400])
  })

  it.each(['"soon"', '"x0"', '"x-1"', '"x"'])('%s is none', async (pace) => {
    await expect(emulate({ recordings: [], pace: JSON.parse(pace) })).rejects.toThrow(TypeError)
  })
})

describe('pace step', () => {
  const streams = recordingOf([
    { ask: ask('one'), events: ['1a', '1b', '1c'] },
    { ask: ask('two'), events: ['2a', '2b'] },
  ])

  it('lets out as many events as are released, then the end', async () => {
    const { url, release } = await emulate({ recordings: [streams], pace: 'step' })
    const released: string[] = []
    const pending = send(url, {
      body: ask('one'),
      onChunk: (chunk) => {
        released.push(chunk)
        release(1)
      },
    })
    release(1)
    const { text, end } = await pending
    expect(released).toEqual(['data: 1a\n\n', 'data: 1b\n\n', 'data: 1c\n\n'])
    expect([text, end]).toEqual([released.join(''), 'whole'])
  })

  it('decides every interleaving of two streams', async () => {
    const { url, release } = await emulate({ recordings: [streams], pace: 'step' })
    const seen: string[] = []
    const order: [string, number][] = [
      ['data: 2a\n\n', 1],
      ['data: 1a\n\n', 1],
      ['data: 1b\n\n', 2],
      ['data: 2b\n\n', 1],
      ['data: 1c\n\n', 0],
    ]
    const onChunk = (chunk: string): void => {
      seen.push(chunk)
      const next = order[seen.length - 1]?.[1] ?? 0
      if (next > 0) release(1, next)
    }
    const both = [
      send(url, { body: ask('one'), onChunk }),
      send(url, { body: ask('two'), onChunk }),
    ]
    release(1, { n: 2 })
    await Promise.all(both)
    expect(seen).toEqual(order.map(([chunk]) => chunk))
  })

  it('opens gates of those that came first, and forgets those that left', async () => {
    const { open, release } = createPacing('step', createTimers('never'))
    const opened: string[] = []
    const enter = (name: string, eventCount: number) => {
      const waiter = open(name)
      void waiter?.wait(0, eventCount).then(() => opened.push(name))
      return waiter
    }
    const settled = async (): Promise<string[]> => {
      await Promise.resolve()
      await Promise.resolve()
      return opened.splice(0)
    }
    const first = enter('first', 2)
    enter('second', 1)
    release(1)
    expect(await settled()).toEqual([])
    release(1)
    expect(await settled()).toEqual(['first'])
    first?.leave()
    await first?.wait(0, 9)
    release(1)
    expect(await settled()).toEqual(['second'])
    const third = enter('third', 1)
    third?.leave()
    enter('fourth', 1)
    expect(await settled()).toEqual(['third'])
    release(1, 'fifth')
    expect(await settled()).toEqual([])
    release(1)
    expect(await settled()).toEqual(['fourth'])
    enter('fifth', 1)
    expect(await settled()).toEqual(['fifth'])
  })

  it('is the only one with gates, and counts', async () => {
    const instant = await emulate({ recordings: [streams] })
    expect(() => instant.release(1)).toThrow(TypeError)
    const step = await emulate({ recordings: [streams], pace: 'step' })
    expect(() => step.release(-1)).toThrow(TypeError)
    expect(() => step.release(1, 3)).toThrow(expect.objectContaining({ code: 'bad-config' }))
  })
})
