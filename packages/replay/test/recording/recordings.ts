/** Recordings the tests run over: our fixtures, small ones built here, and arbitrary ones. */
import fc from 'fast-check'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseRecording } from '@runproof/replay'
import type { Exchange, RecordedEvent, Recording } from '@runproof/replay'

const folder = new URL('../../../../fixtures/recording/valid/', import.meta.url)

export type Fixture = { name: string; file: string; text: string; recording: Recording }

export const fixtures: Fixture[] = readdirSync(folder)
  .toSorted()
  .map((name) => {
    const file = fileURLToPath(new URL(name, folder))
    const text = readFileSync(file, 'utf8')
    const { recording, issues } = parseRecording(text)
    if (recording === null || issues.length > 0) throw new Error(`${name}: ${issues[0]?.message}`)
    return { name, file, text, recording }
  })

export function fixture(name: string): Fixture {
  const found = fixtures.find((some) => some.name === name)
  if (found === undefined) throw new Error(`no fixture ${name}`)
  return found
}

/** A chat request with these words. */
export function ask(words: string): Record<string, unknown> {
  return { model: 'm', stream: true, messages: [{ role: 'user', content: words }] }
}

export type Sketch = Partial<Omit<Exchange, 'request' | 'events'>> & {
  ask?: unknown
  path?: string
  method?: string
  events?: (string | RecordedEvent)[]
}

/** An exchange that streams `events`, complete unless something else is said. */
export function exchange({
  ask: body = ask('hello'),
  path = '/v1/chat/completions',
  method = 'POST',
  events = [],
  ...rest
}: Sketch): Exchange {
  return {
    n: 1,
    request: { method, path, headers: {}, key: '', body },
    response: { status: 200, headers: {} },
    events: events.map((event) => (typeof event === 'string' ? { dtMs: 0, data: event } : event)),
    body: null,
    end: { kind: 'eof' },
    ...rest,
  }
}

/** The exchanges as a recording, numbered in order. */
export function recordingOf(
  sketches: readonly Sketch[],
  fields: Partial<Recording> = {},
): Recording {
  return {
    version: 1,
    wire: 'openai-chat',
    source: 'authored',
    provenance: {},
    exchanges: sketches.map((sketch, index) => exchange({ n: index + 1, ...sketch })),
    ...fields,
  }
}

/** A line of text without what ends it. */
const line = fc
  .string({ unit: 'grapheme' })
  .filter((text) => !/[\r\n\0]/.test(text) && text.isWellFormed())

const data = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))

export const anyEvent: fc.Arbitrary<RecordedEvent> = fc
  .record(
    {
      dtMs: fc.nat({ max: 5000 }),
      data,
      event: line,
      id: line,
      cutSeeds: fc.uniqueArray(fc.nat({ max: 400 }), { maxLength: 4 }),
    },
    { requiredKeys: ['dtMs', 'data'] },
  )
  .map(({ cutSeeds, ...event }) => {
    if (cutSeeds === undefined) return event
    // The frame with LF is the shorter one: what lies in it lies in both.
    const frameBytes = Buffer.byteLength(
      [
        ...(event.event === undefined ? [] : [`event: ${event.event}`]),
        ...(event.id === undefined ? [] : [`id: ${event.id}`]),
        ...event.data.split('\n').map((text) => `data: ${text}`),
        '',
        '',
      ].join('\n'),
    )
    const cuts = cutSeeds.map((seed) => (seed % frameBytes) + 1)
    return { ...event, cuts: [...new Set(cuts)].toSorted((a, b) => a - b) }
  })

const headers = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,12}$/), fc.string())

/** JSON values as a request may have them, also those that look like a reference to a blob. */
export const anyBody: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constant(null),
  fc.string(),
  fc.record({ $blob: fc.jsonValue() }),
  fc.tuple(fc.string({ minLength: 256, maxLength: 300 }), fc.jsonValue()).map(([long, schema]) => ({
    system: long,
    messages: [{ role: 'user', content: long }],
    tools: [{ name: long, schema }, { functionDeclarations: [{ name: long }] }, { $blob: 'x' }],
  })),
)

const answer: fc.Arbitrary<Pick<Exchange, 'response' | 'events' | 'body' | 'end'>> = fc
  .record({
    kind: fc.constantFrom('stream', 'body', 'none'),
    // Of two statuses HTTP has no body.
    status: fc.integer({ min: 200, max: 999 }).filter((one) => one !== 204 && one !== 304),
    headers,
    events: fc.array(anyEvent, { maxLength: 5 }),
    body: fc.string(),
    end: fc.record(
      {
        kind: fc.constantFrom(
          'eof' as const,
          'reset' as const,
          'aborted' as const,
          'timeout' as const,
        ),
        tail: fc.string(),
        optional: fc.boolean(),
      },
      { requiredKeys: ['kind'] },
    ),
    head: fc.record(
      { dtMs: fc.nat(), lineEnd: fc.constant('crlf' as const) },
      { requiredKeys: [] },
    ),
  })
  .map(({ kind, status, headers: kept, events, body, end: { tail, ...end }, head }) => ({
    response: kind === 'none' ? null : { status, headers: kept, ...head },
    events: kind === 'stream' ? events : [],
    body: kind === 'body' ? body : null,
    end: {
      ...end,
      // What never began was not complete, and only a stream breaks off inside a frame.
      ...(kind === 'none' && end.kind === 'eof' && { kind: 'reset' as const }),
      ...(kind === 'stream' && tail !== undefined && { tail }),
    },
  }))

export const anyRecording: fc.Arbitrary<Recording> = fc
  .record({
    wire: fc.constantFrom(
      'deepseek' as const,
      'openai-chat' as const,
      'openai-responses' as const,
      'anthropic' as const,
      'gemini' as const,
    ),
    source: fc.constantFrom('live' as const, 'emulated' as const, 'authored' as const),
    provenance: fc.dictionary(fc.stringMatching(/^[a-uw-z]{1,8}$/), fc.jsonValue()),
    exchanges: fc.array(
      fc.tuple(
        answer,
        fc.record({
          method: fc.constantFrom('POST', 'GET', 'HEAD'),
          path: fc.constantFrom('/v1/chat/completions', '/v1/messages?beta=true', '/x'),
          headers,
          key: fc.string(),
          body: anyBody,
        }),
        fc.integer({ min: 1, max: 3 }),
      ),
      { maxLength: 5 },
    ),
  })
  .map(({ exchanges, provenance, ...head }) => {
    let n = 0
    return {
      version: 1,
      ...head,
      // JSON has no difference between 0 and -0.
      provenance: JSON.parse(JSON.stringify(provenance)),
      exchanges: exchanges.map(([answered, request, step]) => {
        n += step
        return { n, request: JSON.parse(JSON.stringify(request)), ...answered }
      }),
    }
  })
