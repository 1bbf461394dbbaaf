import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireNames, wires } from '@runproof/llm'
import { createEmulator } from '@runproof/replay/emulator'
import { ask, fixture, recordingOf } from '../recording/recordings.ts'
import { requestOf, said } from '../match/requests.ts'
import { emulate, paths, send } from './client.ts'

describe('concurrent requests', () => {
  it('get their own answers, in whatever order they come', async () => {
    const words = ['title', 'main', 'suggestion', 'memory', 'router']
    const recording = recordingOf(
      words.map((word) => ({ ask: ask(word), events: [word, `${word}!`] })),
    )
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(words, { minLength: 1 }), async (order) => {
        const { url, misses, unused, close } = await createEmulator({ recordings: [recording] })
        const texts = await Promise.all(order.map((word) => send(url, { body: ask(word) })))
        expect(texts.map(({ text }) => text)).toEqual(
          order.map((word) => `data: ${word}\n\ndata: ${word}!\n\n`),
        )
        expect(misses).toEqual([])
        expect(unused()).toHaveLength(words.length - order.length)
        await close()
      }),
      { numRuns: 25 },
    )
  })

  it('that are the same get what was recorded for them, each once', async () => {
    const answers = ['first', 'second', 'third']
    const recording = recordingOf(answers.map((answer) => ({ events: [answer] })))
    const { url } = await emulate({ recordings: [recording] })
    const received = await Promise.all(answers.map(() => send(url, { body: ask('hello') })))
    expect(received.map(({ text }) => text).toSorted()).toEqual(
      answers.map((answer) => `data: ${answer}\n\n`).toSorted(),
    )
  })

  it('of two runs with swapped calls are the same recording', async () => {
    const calls = [
      { ask: ask('name this'), events: ['T'] },
      { ask: ask('do this'), events: ['M'] },
    ]
    for (const recording of [recordingOf(calls), recordingOf(calls.toReversed())]) {
      const { url, misses, unused } = await emulate({ recordings: [recording] })
      const [main, title] = await Promise.all([
        send(url, { body: ask('do this') }),
        send(url, { body: ask('name this') }),
      ])
      expect([main.text, title.text]).toEqual(['data: M\n\n', 'data: T\n\n'])
      expect([misses, unused()]).toEqual([[], []])
    }
  })
})

describe('a request that was not recorded', () => {
  const { file, recording } = fixture('tool-round.openai-chat.jsonl')
  const [, main] = recording.exchanges
  const changed = (from: string, to: string): unknown =>
    JSON.parse(JSON.stringify(main?.request.body).replace(from, to))

  it.each<[string, string, string, string]>([
    ['the prompt', 'carrots', 'beans', 'body.messages[1].content'],
    ['the system prompt', 'kitchen garden', 'flower garden', 'body.messages[0].content'],
    ['a tool', 'Reads a text file', 'Reads any file', 'body.tools[0].function.description'],
    [
      'a schema',
      '"minimum":1',
      '"minimum":0',
      'body.tools[0].function.parameters.properties.first.minimum',
    ],
    ['the model', 'garden-1', 'garden-2', 'body.model'],
  ])('because of one word in %s is reported as that word', async (_place, from, to, path) => {
    const { url, misses } = await emulate({ recordings: [file] })
    await send(url, { body: changed(from, to) })
    const [miss] = misses
    expect(misses).toHaveLength(1)
    expect(miss).toMatchObject({ code: 'request-mismatch', method: 'POST', file, exchange: 2 })
    expect(miss?.differences?.map((difference) => difference.path)).toEqual([path])
    expect(miss?.message).toContain(`exchange 2 of ${file}; 1 field differs:\n  ${path}\n`)
    expect(miss?.message).toContain(to.split(':').at(-1) ?? '')
    expect(miss?.message).toMatch(/npx runproof record \S*fixtures\/recording\/valid$/)
  })

  it.each(wireNames)(
    '%s: is answered at once, as the provider would, for nobody to try again',
    async (wire) => {
      const recorded = recordingOf([{ ask: { contents: ['x'] }, path: paths[wire] }], { wire })
      const { url } = await emulate({ recordings: [recorded] })
      const { status, headers, text } = await send(url, {
        path: paths[wire],
        body: { contents: ['y'] },
      })
      const failure = wires[wire].parseError(status, {}, text)
      expect(failure).toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
      expect(failure.message).toContain(
        'the nearest is exchange 1, which differs in body.contents[0]',
      )
      expect(headers['x-should-retry']).toBe('false')
    },
  )

  it.each(wireNames)(
    '%s: is answered so, too, when nothing of its wire was recorded',
    async (wire) => {
      const { url, misses } = await emulate({ recordings: [] })
      const { path, body } = requestOf(wire, said)
      const { status, text } = await send(url, { path, body })
      expect(wires[wire].parseError(status, {}, text).code).toBe('INVALID_REQUEST')
      expect(misses[0]?.message).toContain('There are no recorded requests at all')
    },
  )

  it('because it came once more is told so', async () => {
    const { url, misses } = await emulate({ recordings: [recordingOf([{ events: ['a'] }])] })
    await send(url, { body: ask('hello') })
    expect((await send(url, { body: ask('hello') })).status).toBe(400)
    expect(misses).toMatchObject([{ code: 'exhausted', exchange: 1 }])
    expect(misses[0]?.message).toContain('was recorded once and came once more')
  })

  it('is not served by the nearest, however near', async () => {
    const { url } = await emulate({ recordings: [recordingOf([{ ask: ask('hello there') }])] })
    expect((await send(url, { body: ask('hello  there') })).status).toBe(400)
  })

  it.each<[string, Record<string, string>, string]>([
    ['/v1/embeddings', {}, 'not_found_error'],
    ['/v1/complete', { 'x-goog-api-key': 'none' }, 'NOT_FOUND'],
  ])('for a path that no provider has is answered so: %s', async (path, headers, word) => {
    const recorded = recordingOf([{ path: '/v1/messages' }], { wire: 'anthropic' })
    const { url, misses } = await emulate({ recordings: [recorded] })
    const { status, text } = await send(url, { path, headers, body: {} })
    expect(status).toBe(404)
    expect(text).toContain(word)
    expect(misses).toMatchObject([{ code: 'unknown-path', path }])
  })

  it('is reported without its query, which may hold a key', async () => {
    const told: string[] = []
    const { url, misses } = await emulate({
      recordings: [],
      onRequest: ({ path }) => told.push(path),
    })
    const { text } = await send(url, { path: `${paths.gemini}&key=AIza-live`, body: {} })
    await send(url, { path: '/v1/x?key=AIza-live', body: {} })
    expect(JSON.stringify([misses, told, text])).not.toContain('AIza-live')
  })

  it('does not bring the emulator down, however deep its body', async () => {
    const { url, misses } = await emulate({ recordings: [recordingOf([])] })
    const body = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    expect((await send(url, { body })).status).toBe(400)
    expect(misses).toHaveLength(1)
    expect((await send(url, { path: '/', method: 'GET' })).status).toBe(200)
  })
})

describe('what nobody asked for', () => {
  it('is named, unless it is optional', async () => {
    const { file } = fixture('tool-round.openai-chat.jsonl')
    const { unused } = await emulate({ recordings: [file] })
    expect(unused()).toEqual([
      { file, exchange: 2, method: 'POST', path: '/v1/chat/completions' },
      { file, exchange: 3, method: 'POST', path: '/v1/chat/completions' },
    ])
  })
})

describe('folders', () => {
  it('of the recorded run in requests and answers are those of the live run', async () => {
    const recording = recordingOf(
      [
        {
          ask: ask('read /rec/work/a.txt, log to {{home}}'),
          events: [
            { dtMs: 0, data: '{"path":"/rec/work/a.txt","log":"{{home}}/log"}', cuts: [9, 20, 52] },
            { dtMs: 0, data: '{{cwd}}', cuts: [7, 13, 15] },
          ],
        },
        { ask: ask('list {{cwd}} on linux'), body: '["{{cwd}}/b.txt"]' },
      ],
      {
        provenance: { cwd: '/rec/work', masks: [{ match: 'on (\\w+)', token: 'system' }, 'none'] },
      },
    )
    const masks = [{ match: String.raw`on (\w+)`, token: 'system' }]
    const context = { masks, cwd: '/live/here', home: String.raw`C:\Users\me` }
    const { url } = await emulate({ recordings: [recording], context })
    const streamed = await send(url, {
      body: ask(String.raw`read /live/here/a.txt, log to C:\Users\me`),
    })
    expect(streamed.text).toBe(
      'data: {"path":"/live/here/a.txt","log":"C:/Users/me/log"}\n\ndata: /live/here\n\n',
    )
    // Cuts before and behind the folders are where they were.
    expect(streamed.chunks[0]).toBe('data: {"p')
    expect(streamed.chunks.at(-1)).toBe('\n\n')
    const listed = await send(url, { body: ask('list /live/here on darwin') })
    expect(listed.text).toBe('["/live/here/b.txt"]')
  })
})
