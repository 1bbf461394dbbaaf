/** Whole recordings: one number for a secret wherever it stands, and nothing else changed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireNames, wires } from '@runproof/llm'
import { serializeRecording, type Recording } from '@runproof/replay'
import {
  createRedactor,
  findLeaks,
  redactRecording,
  type KnownSecret,
} from '@runproof/replay/recorder'
import { cutAt, eventsOf, exchangeOf, read, recordingOf } from './exchanges.ts'
import { drawn, shapedKeys } from './keys.ts'

const key = shapedKeys['a GitHub token'] ?? ''
const places = fc.array(fc.nat(200), { maxLength: 6 })

async function redact(
  recording: Recording,
  values: readonly KnownSecret[] = [],
): Promise<Recording> {
  return redactRecording(recording, await createRedactor(values)).recording
}

describe.each(wireNames)('a stream of %s', (wire) => {
  it('gives a secret in text and reasoning away to nobody, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(places, places, async (textCuts, reasoningCuts) => {
        const events = eventsOf(wire, {
          reasoning: cutAt(`the key is ${key}, I think`, reasoningCuts),
          text: cutAt(`Here: ${key}!`, textCuts),
        })
        const recording = await redact(recordingOf(wire, [exchangeOf(1, { events })]))
        expect(serializeRecording(recording)).not.toContain(key.slice(4, 20))
        expect(read(wire, recording.exchanges[0]?.events ?? [])).toMatchObject({
          reasoning: 'the key is {{secret:1}}, I think',
          text: 'Here: {{secret:1}}!',
        })
        expect(await redact(recording)).toEqual(recording)
      }),
      { numRuns: 25 },
    )
  })

  it('gives none in the arguments of a tool away', async () => {
    await fc.assert(
      fc.asyncProperty(places, async (cuts) => {
        const argument = JSON.stringify({ command: `echo "${key}" > ${key}.txt` })
        // Arguments of Gemini come whole.
        const pieces = wire === 'gemini' ? [argument] : cutAt(argument, cuts)
        const events = eventsOf(wire, { argument: pieces })
        const recording = await redact(recordingOf(wire, [exchangeOf(1, { events })]))
        expect(read(wire, recording.exchanges[0]?.events ?? []).argument).toBe(
          JSON.stringify({ command: 'echo "{{secret:1}}" > {{secret:1}}.txt' }),
        )
      }),
      { numRuns: 25 },
    )
  })

  it('is left as it is when it has none', async () => {
    const recording = recordingOf(wire, [
      exchangeOf(1, {
        events: eventsOf(wire, { reasoning: ['a ', 'b'], text: ['{"ok":', ' 1}'] }),
      }),
    ])
    const [before] = recording.exchanges
    const [after] = (await redact(recording)).exchanges
    expect(after?.events).toEqual(before?.events)
  })
})

const part = (index: number, text: string): { event: string; id: string; data: string } => ({
  event: 'message',
  id: '',
  data: JSON.stringify({
    choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: text } }] } }],
  }),
})

const event = (text: string): string =>
  JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })

describe('a secret', () => {
  it('has the same number in a request, in the answer and in the echo of a tool', async () => {
    const other = `glpat-${drawn(20)}`
    const recording = await redact(
      recordingOf('openai-chat', [
        exchangeOf(1, {
          body: { messages: [{ role: 'user', content: `use ${key}` }] },
          events: eventsOf('openai-chat', {
            argument: ['{"command":"login ', key.slice(0, 9), key.slice(9), ' ', other, '"}'],
          }),
        }),
        exchangeOf(2, {
          body: { messages: [{ role: 'tool', content: `saved ${other}, ${key}` }] },
        }),
      ]),
    )
    const [first, second] = recording.exchanges
    expect(first?.request.body).toEqual({
      messages: [{ role: 'user', content: 'use {{secret:1}}' }],
    })
    expect(read('openai-chat', first?.events ?? []).argument).toBe(
      '{"command":"login {{secret:1}} {{secret:2}}"}',
    )
    expect(second?.request.body).toEqual({
      messages: [{ role: 'tool', content: 'saved {{secret:2}}, {{secret:1}}' }],
    })
  })

  it('is found in names of members, paths, queries, headers, bodies and the header of the recording', async () => {
    const recording = await redact({
      ...recordingOf('openai-chat', [
        exchangeOf(1, {
          path: `/v1/models?key=${key}&session=${key}`,
          headers: { location: `https://example.com/?t=${key}` },
          body: { [key]: { deep: [`a ${key}`] } },
          responseBody: JSON.stringify({ error: { message: `bad key ${key}` } }),
        }),
        exchangeOf(2, { responseBody: `no JSON: ${key}`, body: `no JSON either: ${key}` }),
      ]),
      provenance: { note: `made with ${key}` },
    })
    const [first, second] = recording.exchanges
    expect(first?.request.path).toBe('/v1/models?key=&session={{secret:1}}')
    expect(first?.response?.headers).toEqual({ location: 'https://example.com/?t={{secret:1}}' })
    expect(first?.request.body).toEqual({ '{{secret:1}}': { deep: ['a {{secret:1}}'] } })
    expect(first?.body).toBe('{"error":{"message":"bad key {{secret:1}}"}}')
    expect(second?.body).toBe('no JSON: {{secret:1}}')
    expect(second?.request.body).toBe('no JSON either: {{secret:1}}')
    expect(recording.provenance).toEqual({ note: 'made with {{secret:1}}' })
    expect(serializeRecording(recording)).not.toContain(key)
  })

  it('is found in names and ids of events, and in what a redirect asks with', async () => {
    const exchange = exchangeOf(1, {
      headers: { location: 'https://example.com/x?sig=of-no-shape&page=2' },
    })
    const data = '{"a":1}'
    const length = `event: ${key}\nid: a-${key}\ndata: ${data}\n\n`.length
    exchange.events = [{ dtMs: 0, event: key, id: `a-${key}`, data, cuts: [length - 3] }]
    const { exchanges } = await redact(recordingOf('openai-chat', [exchange]))
    const [frame] = exchanges[0]?.events ?? []
    expect(frame).toMatchObject({ event: '{{secret:1}}', id: 'a-{{secret:1}}', data })
    expect(frame?.cuts).toEqual([
      `event: ${frame?.event}\nid: ${frame?.id}\ndata: ${data}\n\n`.length - 3,
    ])
    expect(exchanges[0]?.response?.headers.location).toBe('https://example.com/x?sig=&page=2')
  })

  it('is found over the members of a list, which Gemini gives in place of events', async () => {
    const ofModel = (said: object): object => ({
      candidates: [{ content: { parts: [said] } }],
    })
    const list = (texts: string[]): string => JSON.stringify(texts.map((text) => ofModel({ text })))
    const spelled = list(['it is ', key.slice(0, 9), key.slice(9), ' ok', `and ${key}`, ' end'])
    const asLines = (texts: string[]): string =>
      texts.map((text) => `${JSON.stringify(ofModel({ text }))}\n`).join('')
    const signed = JSON.stringify([ofModel({ thoughtSignature: key })], null, 2)
    const bodies = [spelled, signed].map((responseBody, index) =>
      exchangeOf(index + 1, { responseBody }),
    )
    const { exchanges } = await redact(recordingOf('gemini', bodies))
    const [first, second] = exchanges.map(({ body }) => body)
    expect(first).toBe(list(['it is ', '{{secret:1}}', '', ' ok', 'and {{secret:1}}', ' end']))
    // Known by now, it is taken out of what only the provider can read, too.
    expect(second).toContain('{{secret:1}}')
    const cut = asLines(['it is ', key.slice(0, 9), key.slice(9)])
    const lines = await redact(recordingOf('gemini', [exchangeOf(1, { responseBody: cut })]))
    expect(lines.exchanges[0]?.body).toBe(asLines(['it is ', '{{secret:1}}', '']))
    const alone = await redact(recordingOf('gemini', [exchangeOf(1, { responseBody: signed })]))
    expect(alone.exchanges[0]?.body).toBe(signed)
  })

  it('is found when parallel calls stream their arguments in turn', async () => {
    const middle = Math.floor(key.length / 2)
    const events = [
      part(0, `a ${key.slice(0, middle)}`),
      part(1, 'b '),
      part(0, key.slice(middle)),
      part(1, key),
    ]
    const { exchanges } = await redact(recordingOf('openai-chat', [exchangeOf(1, { events })]))
    const parts = exchanges[0]?.events.map(({ data }) => /"arguments":"([^"]*)"/.exec(data)?.[1])
    expect(parts).toEqual(['a {{secret:1}}', 'b ', '', '{{secret:1}}'])
  })

  it('is found where a stream broke off in it', async () => {
    const head = `data: {"choices":[{"index":0,"delta":{"content":"`
    const recording = recordingOf('openai-chat', [
      exchangeOf(1, {
        events: [{ event: 'message', id: '', data: event(`it is ${key.slice(0, 30)}`) }],
        end: { kind: 'reset', tail: `${head}${key.slice(30, 36)}` },
      }),
    ])
    const { exchanges } = await redact(recording)
    expect(exchanges[0]?.events[0]?.data).toBe(event('it is {{secret:1}}'))
    expect(exchanges[0]?.end.tail).toBe(head)
  })

  it('is found by its beginning at the end of a broken stream, when it is known', async () => {
    const text = (said: string): Parameters<typeof exchangeOf>[1] => ({
      body: `the key is ${key}`,
      events: eventsOf('openai-chat', { text: [said] }),
    })
    const said = `ends with ${key.slice(0, 12)}`
    const { exchanges } = await redact(
      recordingOf('openai-chat', [
        exchangeOf(1, { ...text(said), end: { kind: 'aborted' } }),
        exchangeOf(2, { ...text(said), end: { kind: 'eof' } }),
      ]),
    )
    const texts = exchanges.map(({ events }) => read('openai-chat', events).text)
    expect(texts).toEqual(['ends with {{secret:1}}', said])
  })

  it('takes its cuts with it and leaves the others where they were', async () => {
    const data = JSON.stringify({ choices: [{ index: 0, delta: { content: `ab ${key} cd` } }] })
    const length = `data: ${data}\n\n`.length
    const at = `data: ${data}`.indexOf(key)
    const exchange = exchangeOf(1, {})
    exchange.events = [{ dtMs: 0, data, cuts: [3, at + 5, at + 9, length - 4, length] }]
    const { exchanges } = await redact(recordingOf('openai-chat', [exchange]))
    const [moved] = exchanges[0]?.events ?? []
    const redacted = `data: ${moved?.data}\n\n`.length
    expect(moved?.cuts).toEqual([3, redacted - 4, redacted])
  })
})

describe('values that only the provider can read', () => {
  const signature = shapedKeys['a JSON web token'] ?? ''
  it.each([
    [
      'anthropic',
      {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'x', signature },
              { type: 'redacted_thinking', data: signature },
            ],
          },
        ],
      },
    ],
    [
      'gemini',
      {
        contents: [
          {
            role: 'model',
            parts: [{ functionCall: { name: 'f', args: {} }, thoughtSignature: signature }],
          },
        ],
      },
    ],
    ['openai-responses', { input: [{ type: 'reasoning', encrypted_content: signature }] }],
    [
      'openai-chat',
      {
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ extra_content: { google: { thought_signature: signature } } }],
          },
        ],
      },
    ],
  ] as const)('of %s stay', async (wire, body) => {
    const { exchanges } = await redact(recordingOf(wire, [exchangeOf(1, { body })]))
    expect(exchanges[0]?.request.body).toEqual(body)
  })

  it.each([
    [
      'anthropic',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { signature } }] }] },
    ],
    [
      'gemini',
      {
        contents: [
          {
            role: 'model',
            parts: [{ functionCall: { name: 'f', args: { thoughtSignature: signature } } }],
          },
        ],
      },
    ],
    [
      'openai-responses',
      { input: [{ type: 'function_call_output', output: { encrypted_content: signature } }] },
    ],
  ] as const)('of %s do not hide a secret of the same name in a tool', async (wire, body) => {
    const { exchanges } = await redact(recordingOf(wire, [exchangeOf(1, { body })]))
    expect(JSON.stringify(exchanges[0]?.request.body)).toContain('{{secret:1}}')
    expect(JSON.stringify(exchanges[0]?.request.body)).not.toContain(signature)
  })

  it('lose a known secret all the same', async () => {
    const body = { input: [{ type: 'reasoning', encrypted_content: `xx${signature}` }] }
    const recording = recordingOf('openai-responses', [exchangeOf(1, { body })])
    const { exchanges } = await redact(recording, [{ name: 'MY_KEY', value: signature }])
    expect(JSON.stringify(exchanges[0]?.request.body)).toContain('xx{{secret:1}}')
  })
})

it('reports what looks drawn, does not show it, and leaves it', async () => {
  const body = {
    id: drawn(30, 3),
    messages: [{ role: 'tool', content: `session ${drawn(32)}`, tool_call_id: drawn(30, 2) }],
  }
  const recording = recordingOf('openai-chat', [exchangeOf(3, { body })])
  const redacted = redactRecording(recording, await createRedactor())
  expect(redacted.recording.exchanges[0]?.request.body).toEqual(body)
  expect(redacted.report).toEqual({
    secrets: [],
    suspects: [{ n: 3, path: 'request messages.*.content', units: 32 }],
  })
})

it('finds leaks by place and rule, and tells none of them', async () => {
  const recording = recordingOf('openai-chat', [
    exchangeOf(1, {
      body: { a: key },
      events: eventsOf('openai-chat', { text: [key.slice(0, 7), key.slice(7)] }),
    }),
  ])
  const redactor = await createRedactor()
  const leaks = findLeaks(recording, redactor)
  expect(leaks).toEqual([
    expect.stringMatching(/^exchange 1, request a: \S+$/),
    expect.stringMatching(/^exchange 1, event choices\.\*\.delta\.content: \S+$/),
  ])
  expect(leaks.join()).not.toContain(key)
  expect(findLeaks(await redact(recording), redactor)).toEqual([])
})

it('redacts any JSON in one go: what is left has nothing more to redact', async () => {
  const keys = Object.values(shapedKeys)
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(...keys),
    fc
      .tuple(fc.string(), fc.constantFrom(...keys), fc.string())
      .map(([before, one, after]) => `${before} ${one}"${after}`),
  )
  const body = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const once = await redact(recordingOf('openai-chat', [exchangeOf(1, { body: value })]))
      expect(await redact(once)).toEqual(once)
      for (const one of keys)
        expect(JSON.stringify(once)).not.toContain(JSON.stringify(one).slice(1, -1))
    }),
    { numRuns: 60 },
  )
})

const recordings = new URL('../../../../../shared/recordings/', import.meta.url)
const isThere = existsSync(recordings)
const needsShared = isThere ? '' : ' (skipped: no folder ../shared beside the checkout)'

describe.skipIf(!isThere)(`streams of real providers${needsShared}`, () => {
  const folders = {
    anthropic: 'anthropic',
    deepseek: 'deepseek',
    gemini: 'google',
    'openai-chat': 'openai-chat',
    'openai-responses': 'openai-responses',
  }
  it.each(wireNames)(
    'of %s stay as they are: nothing in them is taken for a secret',
    async (wire) => {
      const folder = new URL(`${folders[wire]}/`, recordings)
      const files = readdirSync(folder)
      expect(files).not.toEqual([])
      for (const file of files) {
        const lines = readFileSync(new URL(file, folder), 'utf8').split('\n')
        const recording = recordingOf(wire, [
          exchangeOf(1, { events: wires[wire].readPayloads(lines) }),
        ])
        const { exchanges } = await redact(recording)
        expect(exchanges[0]?.events, file).toEqual(recording.exchanges[0]?.events)
      }
    },
  )
})
