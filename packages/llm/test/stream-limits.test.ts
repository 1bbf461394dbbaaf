import {
  finishOf,
  idleTimeoutMsDefault,
  isRetryable,
  LlmError,
  streamWithLimits,
  type Timers,
} from '@runproof/llm'
import { describe, expect, it } from 'vitest'

/** Timers that fire when the test says so. */
function manualTimers(): Timers<number> & {
  fire(): void
  readonly active: number
  delayMs: number
} {
  const pending = new Map<number, () => void>()
  let handles = 0
  const timers = {
    delayMs: 0,
    set(callback: () => void, delayMs: number) {
      timers.delayMs = delayMs
      pending.set((handles += 1), callback)
      return handles
    },
    clear: (handle: number) => void pending.delete(handle),
    fire() {
      for (const callback of pending.values()) callback()
    },
    get active() {
      return pending.size
    },
  }
  return timers
}

/** A source that gives its items, then hangs for ever and ignores being told to return. */
function hangingSource<T>(items: T[]): AsyncIterable<T> & { returned: number } {
  const source = {
    returned: 0,
    [Symbol.asyncIterator]: (): AsyncIterator<T> => ({
      next: () => {
        const value = items.shift()
        return value === undefined ? new Promise(() => {}) : Promise.resolve({ value, done: false })
      },
      return: () => {
        source.returned += 1
        return new Promise(() => {})
      },
    }),
  }
  return source
}

async function* from<T>(...items: T[]): AsyncGenerator<T, void, undefined> {
  yield* items
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

describe('streamWithLimits', () => {
  it('passes everything through, and leaves no timer and no listener', async () => {
    const timers = manualTimers()
    const { signal } = new AbortController()
    expect(await collect(streamWithLimits(from(1, 2, 3), { signal, timers }))).toEqual([1, 2, 3])
    expect(timers.active).toBe(0)
    expect(timers.delayMs).toBe(idleTimeoutMsDefault)
  })

  it('settles at once on abort, though the source hangs', async () => {
    const controller = new AbortController()
    const source = hangingSource(['a'])
    const stream = streamWithLimits(source, { signal: controller.signal, timers: manualTimers() })
    expect(await stream.next()).toEqual({ value: 'a', done: false })
    const pending = stream.next()
    controller.abort('user said so')
    await expect(pending).rejects.toMatchObject({ code: 'ABORTED', cause: 'user said so' })
    expect(source.returned).toBe(1)
    expect(await stream.next()).toEqual({ value: undefined, done: true })
  })

  it('does not touch the source when the signal is aborted already', async () => {
    const signal = AbortSignal.abort()
    const source = hangingSource(['a'])
    await expect(collect(streamWithLimits(source, { signal }))).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })

  it('turns the error a source throws because of the abort into ABORTED', async () => {
    const controller = new AbortController()
    async function* source(): AsyncGenerator<string, void, undefined> {
      yield 'a'
      controller.abort()
      throw new TypeError('terminated')
    }
    await expect(
      collect(streamWithLimits(source(), { signal: controller.signal })),
    ).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('times out on silence only, and afresh for each item', async () => {
    const timers = manualTimers()
    const stream = streamWithLimits(hangingSource(['a', 'b']), { timers, idleTimeoutMs: 50 })
    expect([await stream.next(), await stream.next()]).toMatchObject([
      { value: 'a' },
      { value: 'b' },
    ])
    expect(timers.active).toBe(0)
    const pending = stream.next()
    expect(timers).toMatchObject({ active: 1, delayMs: 50 })
    timers.fire()
    await expect(pending).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'the stream was silent for 50 ms',
    })
    expect(timers.active).toBe(0)
  })

  it('passes other errors of the source through', async () => {
    const failure = new LlmError('no route', 'TRANSPORT')
    async function* source(): AsyncGenerator<string, void, undefined> {
      yield 'a'
      throw failure
    }
    await expect(collect(streamWithLimits(source(), {}))).rejects.toBe(failure)
  })

  it('makes the source return when the consumer stops early', async () => {
    let cleaned = false
    async function* source(): AsyncGenerator<number, void, undefined> {
      try {
        yield 1
        yield 2
      } finally {
        cleaned = true
      }
    }
    for await (const item of streamWithLimits(source(), {})) {
      expect(item).toBe(1)
      break
    }
    expect(cleaned).toBe(true)
  })
})

describe('LlmError', () => {
  it('is known by its brand, and is the same as data', () => {
    const error = new LlmError('slow down', 'RATE_LIMIT', {
      status: 429,
      retryAfterMs: 2000,
      requestId: 'r',
    })
    expect(LlmError.is(error)).toBe(true)
    expect([LlmError.is(new Error('x')), LlmError.is(null), LlmError.is('x')]).toEqual([
      false,
      false,
      false,
    ])
    expect(error.toFailure()).toEqual({
      message: 'slow down',
      code: 'RATE_LIMIT',
      status: 429,
      retryAfterMs: 2000,
      requestId: 'r',
    })
    expect(new LlmError('x', 'HTTP_418').toFailure()).toEqual({ message: 'x', code: 'HTTP_418' })
  })

  it('becomes the terminal reason of a stream, an abort its own kind', () => {
    expect(finishOf(new LlmError('gone', 'TRANSPORT').toFailure())).toEqual({
      kind: 'error',
      message: 'gone',
      code: 'TRANSPORT',
    })
    expect(finishOf(new LlmError('stop', 'ABORTED').toFailure())).toEqual({ kind: 'aborted' })
  })

  it('is worth another try for the five codes that pass', () => {
    const codes = ['EMPTY_RESPONSE', 'RATE_LIMIT', 'SERVER', 'TIMEOUT', 'TRANSPORT']
    expect(codes.every(isRetryable)).toBe(true)
    expect(['AUTH', 'QUOTA', 'ABORTED', 'STREAM_CLOSED', undefined].some(isRetryable)).toBe(false)
  })
})
