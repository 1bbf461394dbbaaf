import { describe, expect, it } from 'vitest'
import { createReplay, ReplayError } from '@runproof/replay'
import type { Miss, Replay, ReplayEntry, ReplayScript } from '@runproof/replay'
import { LlmError } from '@runproof/llm'
import type { StreamChunk } from '@runproof/llm'
import { collect, drain, fixtureScript, messagesOf, user } from './scenarios.ts'

const kitchen = fixtureScript('kitchen')

function chunksOf(script: ReplayScript, call: number): readonly StreamChunk[] {
  return script.recorded[call]?.chunks ?? []
}

/** Asks for the next calls of a script with the requests that were recorded. */
async function serveCalls(replay: Replay, script: ReplayScript, calls: number[]): Promise<void> {
  for (const call of calls) await collect(replay, messagesOf(script, call))
}

describe('a session', () => {
  it('is served its calls in order, and reports them', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    for (const call of [0, 1, 2]) {
      expect(await collect(replay, messagesOf(kitchen, call), 'live')).toEqual(
        chunksOf(kitchen, call),
      )
    }
    replay.assertConsumed()
    expect(replay.report()).toEqual({
      served: 3,
      unused: 0,
      misses: [],
      sessions: [{ file: kitchen.file, sessionId: 'live', served: 3, unused: 0 }],
    })
  })

  it('fails when it asks for more than was recorded', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    await serveCalls(replay, kitchen, [0, 1, 2])
    await expect(collect(replay, messagesOf(kitchen, 2))).rejects.toThrow(
      /request 4, but the script has 3 calls.*record the scenario again/,
    )
    expect(replay.report().misses).toMatchObject([
      { code: 'exhausted', call: 3, file: kitchen.file },
    ])
  })

  it('fails at its end when it asked for less', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    await serveCalls(replay, kitchen, [0])
    expect(replay.report()).toMatchObject({ served: 1, unused: 2 })
    expect(() => replay.assertConsumed()).toThrow(
      expect.objectContaining({
        code: 'unused-calls',
        message: expect.stringMatching(
          /2 of 3 recorded calls were not asked for, the first is call 2 of 3 \(turn 1, step 2\)/,
        ),
      }),
    )
  })

  it('does not move on by a request that does not fit', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    await expect(collect(replay, [user('Something else.')])).rejects.toThrow(ReplayError)
    await serveCalls(replay, kitchen, [0, 1, 2])
    expect(replay.report()).toMatchObject({ served: 3, unused: 0, misses: [{ call: 0 }] })
  })

  it('can be taken up where another process left it', async () => {
    const replay = createReplay({ scripts: [kitchen], startAt: 2 })
    await serveCalls(replay, kitchen, [2])
    expect(replay.report()).toMatchObject({ served: 1, unused: 0 })
  })

  it('has one stream in flight', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    const first = replay.stream({ messages: messagesOf(kitchen, 0) })[Symbol.asyncIterator]()
    await first.next()
    await expect(collect(replay, messagesOf(kitchen, 1))).rejects.toThrow(
      expect.objectContaining({ code: 'concurrent-call', call: 1 }),
    )
    await first.return?.()
    await serveCalls(replay, kitchen, [1])
  })

  it('is free for the next call once its last chunk is out, even if nobody asks for the end', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    const first = replay.stream({ messages: messagesOf(kitchen, 0) })[Symbol.asyncIterator]()
    for (let n = 0; n < chunksOf(kitchen, 0).length; n++) await first.next()
    const second = replay.stream({ messages: messagesOf(kitchen, 1) })[Symbol.asyncIterator]()
    await second.next()
    // The late end of the first must not free the second.
    await first.return?.()
    await expect(collect(replay, messagesOf(kitchen, 2))).rejects.toMatchObject({
      code: 'concurrent-call',
    })
  })

  it('stops when its caller aborts', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    const abort = new AbortController()
    const request = { messages: messagesOf(kitchen, 0), signal: abort.signal }
    const stream = replay.stream(request)[Symbol.asyncIterator]()
    await stream.next()
    abort.abort()
    await expect(stream.next()).rejects.toMatchObject({ code: 'ABORTED' })
    await serveCalls(replay, kitchen, [1])
  })
})

describe('a throw', () => {
  it('fails as the override says, after its prefix; asking again finds the next entry', async () => {
    const script = fixtureScript('throw-first')
    const replay = createReplay({ scripts: [script] })
    await expect(collect(replay, messagesOf(script, 0))).rejects.toMatchObject({
      name: 'LlmError',
      message: 'too many bakers',
      code: 'RATE_LIMIT',
      status: 429,
    })
    expect(await collect(replay, messagesOf(script, 0))).toEqual(chunksOf(script, 0))

    const stream = replay.stream({ messages: messagesOf(script, 1) })[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ type: 'block-start' })
    const failure: unknown = await stream.next().catch((reason: unknown) => reason)
    expect(LlmError.is(failure) && failure.toFailure()).toEqual({
      message: 'no power',
      code: 'AUTH',
    })
    replay.assertConsumed()
    expect(replay.report().misses).toEqual([])
  })

  it('compares requests of a replaced script with the log as well', async () => {
    const script = fixtureScript('throw-first')
    const replay = createReplay({ scripts: [script] })
    await collect(replay, messagesOf(script, 0)).catch(() => undefined)
    await expect(collect(replay, [user('Is the stove on?')])).rejects.toMatchObject({
      code: 'request-mismatch',
      diff: expect.stringContaining('-user: And the light?'),
    })
  })
})

describe('a hang', () => {
  const script = fixtureScript('hang')

  it('serves what the log holds, writes its marker and waits for the abort', async () => {
    const markers: string[] = []
    const entry = { kind: 'hang' as const, readyFile: 'ready' }
    const marked = { ...script, entries: [entry, ...script.entries.slice(1)] }
    const replay = createReplay({ scripts: [marked], writeMarker: (file) => markers.push(file) })
    const abort = new AbortController()
    const stream = replay.stream({ messages: messagesOf(script, 0), signal: abort.signal })
    const seen: StreamChunk[] = []
    const done = (async () => {
      for await (const chunk of stream) {
        seen.push(chunk)
        if (seen.length === 2) setImmediate(() => abort.abort('enough'))
      }
    })()
    await expect(done).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
    expect(seen).toEqual(chunksOf(script, 0))
    expect(markers).toEqual(['ready'])
    await serveCalls(replay, script, [1])
  })

  it('serves its own chunks when it has some, and those of a whole call without its end', async () => {
    const started: StreamChunk = { type: 'block-start', index: 0, blockType: 'text' }
    const cases: [ReplayEntry, readonly StreamChunk[]][] = [
      [{ kind: 'hang', chunks: [started] }, [started]],
      [{ kind: 'hang' }, chunksOf(kitchen, 0).slice(0, 3)],
    ]
    for (const [entry, expected] of cases) {
      const replay = createReplay({ scripts: [{ ...kitchen, entries: [entry] }] })
      const seen: StreamChunk[] = []
      const done = (async () => {
        for await (const chunk of replay.stream({ messages: messagesOf(kitchen, 0) })) {
          seen.push(chunk)
          if (seen.length === expected.length) setImmediate(() => replay.close())
        }
      })()
      await expect(done).rejects.toMatchObject({ code: 'ABORTED' })
      expect(seen).toEqual(expected)
    }
  })

  it('of a call that was aborted before it began, ends at once', async () => {
    const silent = { ...script, entries: [{ kind: 'hang' as const, chunks: [] }] }
    const replay = createReplay({ scripts: [silent] })
    const signal = AbortSignal.abort()
    const stream = replay.stream({ messages: messagesOf(script, 0), signal })
    await expect(drain(stream)).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('several sessions', () => {
  const parent = fixtureScript('children')
  const flour = fixtureScript('children', 'session.1.jsonl')
  const salt = fixtureScript('children', 'session.2.jsonl')
  const scripts = [parent, salt, flour]

  it('each have their script and cursor', async () => {
    const replay = createReplay({ scripts })
    await collect(replay, messagesOf(parent, 0), 'p')
    await collect(replay, messagesOf(salt, 0), 's')
    await collect(replay, messagesOf(flour, 0), 'f')
    await collect(replay, messagesOf(parent, 1), 'p')
    replay.assertConsumed()
    expect(replay.report().sessions.map(({ sessionId }) => sessionId)).toEqual(['p', 's', 'f'])
  })

  it('find their own script when they start in another order', async () => {
    const replay = createReplay({ scripts })
    await collect(replay, messagesOf(parent, 0), 'p')
    expect(await collect(replay, messagesOf(flour, 0), 'f')).toEqual(chunksOf(flour, 0))
    expect(await collect(replay, messagesOf(salt, 0), 's')).toEqual(chunksOf(salt, 0))
  })

  it('may stream at the same time', async () => {
    const replay = createReplay({ scripts })
    const streams = [
      collect(replay, messagesOf(parent, 0), 'p'),
      collect(replay, messagesOf(salt, 0), 's'),
      collect(replay, messagesOf(flour, 0), 'f'),
    ]
    expect(await Promise.all(streams)).toEqual([
      chunksOf(parent, 0),
      chunksOf(salt, 0),
      chunksOf(flour, 0),
    ])
  })

  it('are compared with the first free script when none fits', async () => {
    const replay = createReplay({ scripts })
    await expect(collect(replay, [user('Sing.')], 'p')).rejects.toMatchObject({
      code: 'request-mismatch',
      file: parent.file,
    })
  })

  it('are no more than were recorded', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    await collect(replay, messagesOf(kitchen, 0), 'one')
    await expect(collect(replay, messagesOf(kitchen, 0), 'two')).rejects.toThrow(
      /session "two" made a request, but all 1 recorded sessions are taken/,
    )
  })
})

describe('a request that no log records', () => {
  it('is refused, told at once and counted', async () => {
    const heard: Miss[] = []
    const replay = createReplay({ scripts: [kitchen], onMiss: (miss) => heard.push(miss) })
    const stream = replay.stream({ messages: [], purpose: 'session-title' })
    await expect(drain(stream)).rejects.toMatchObject({ code: 'unsupported-purpose' })
    expect(heard).toEqual(replay.report().misses)
    expect(heard).toMatchObject([{ code: 'unsupported-purpose' }])
  })

  it('is one after the end', async () => {
    const replay = createReplay({ scripts: [kitchen] })
    replay.close()
    replay.close()
    await expect(collect(replay, messagesOf(kitchen, 0))).rejects.toMatchObject({ code: 'closed' })
  })

  it('is not compared when an override answers beyond the log', async () => {
    const bare = fixtureScript('kitchen')
    const entries = [{ kind: 'chunks' as const, chunks: [...chunksOf(kitchen, 2)] }]
    const scripts = [{ ...bare, recorded: [], entries, isAligned: false }]
    const replay = createReplay({ scripts })
    expect(await collect(replay, [user('Anything.')])).toEqual(chunksOf(kitchen, 2))
  })
})
