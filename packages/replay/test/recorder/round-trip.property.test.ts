/**
 * Recording a replay gives the recording back: bytes, cuts and ends survive the
 * whole way recording → emulator → recorder → recording.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wireNames } from '@runproof/llm'
import {
  encodeFrame,
  parseRecording,
  serializeRecording,
  type Exchange,
  type Recording,
} from '@runproof/replay'
import { createEmulator } from '@runproof/replay/emulator'
import { createRecorder } from '@runproof/replay/recorder'
import { eventsOf, recordingOf } from '../redact/exchanges.ts'
import { ask } from './provider.ts'

/** Serves a recording, asks for all of it, and gives what was recorded of that. */
async function recordReplayOf(recording: Recording): Promise<Recording> {
  const emulator = await createEmulator({ recordings: [recording] })
  const recorder = await createRecorder({
    upstream: emulator.url,
    wire: recording.wire,
    source: recording.source,
    clock: () => 0,
    provenance: recording.provenance,
  })
  for (const { request } of recording.exchanges) {
    const headers = { 'content-type': 'application/json' }
    const { method, path, body } = request
    await ask(recorder.url, { method, path, headers, body: JSON.stringify(body) }).catch(() => null)
  }
  expect(emulator.misses).toEqual([])
  expect(emulator.unused()).toEqual([])
  const recorded = await recorder.close()
  await emulator.close()
  return recorded
}

const paths = {
  deepseek: '/chat/completions',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages?beta=true',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
} as const

const said = fc.record({
  text: fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 4 }),
})

/** Cuts of a frame from random places in it. */
function cutsOf(bytes: number, places: readonly number[], isLast: boolean): number[] | undefined {
  const inner = [...new Set(places.map((place) => 1 + (place % bytes)))].toSorted((a, b) => a - b)
  const cuts = isLast && inner.at(-1) !== bytes ? [...inner, bytes] : inner
  return cuts.length === 1 && cuts[0] === bytes ? undefined : cuts
}

const exchanges = fc
  .tuple(
    fc.constantFrom(...wireNames),
    fc.array(
      fc.tuple(
        said,
        fc.array(fc.array(fc.nat(400), { maxLength: 3 }), { maxLength: 30 }),
        fc.boolean(),
        fc.constantFrom(undefined, 'crlf' as const),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([wire, answers]): Recording => {
    const list = answers.map(([text, cuts, isBroken, lineEnd], index): Exchange => {
      const whole = eventsOf(wire, text).map(({ event, data }) => ({
        dtMs: 0,
        ...(event === 'message' ? {} : { event }),
        data,
      }))
      const events = (isBroken ? whole.slice(0, 2) : whole).map((event, at, all) => {
        const length = encodeFrame(event, lineEnd).length
        const made = cutsOf(length, cuts[at] ?? [length - 1], at === all.length - 1 && !isBroken)
        return { ...event, ...(made === undefined ? {} : { cuts: made }) }
      })
      return {
        n: index + 1,
        request: {
          method: 'POST',
          path: paths[wire],
          headers: { 'content-type': 'application/json' },
          key: '',
          body: { model: 'm', messages: [{ role: 'user', content: `question ${index}` }] },
        },
        response: {
          status: 200,
          headers: { 'content-type': 'text/event-stream', 'x-request-id': `req_${index}` },
          dtMs: 0,
          ...(lineEnd === undefined ? {} : { lineEnd }),
        },
        events,
        body: null,
        end: isBroken ? { kind: 'reset', tail: 'data: {"brok' } : { kind: 'eof' },
      }
    })
    return { ...recordingOf(wire, list), provenance: { upstream: 'http://authored' } }
  })

const withoutKeys = (recording: Recording): Recording => ({
  ...recording,
  exchanges: recording.exchanges.map((one) => ({
    ...one,
    request: { ...one.request, key: '' },
  })),
})

it('for streams of every wire, however they were cut and however they ended', async () => {
  await fc.assert(
    fc.asyncProperty(exchanges, async (authored) => {
      const recorded = await recordReplayOf(authored)
      expect(withoutKeys(recorded)).toEqual(authored)
      // From here on it is a fixed point, as text too, keys included.
      const again = await recordReplayOf(recorded)
      expect(serializeRecording(again)).toBe(serializeRecording(recorded))
      expect(parseRecording(serializeRecording(again))).toEqual({ recording: again, issues: [] })
    }),
    { numRuns: 40 },
  )
})

const answer = (n: number, status: number, body: string): Exchange => ({
  n,
  request: {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    key: '',
    body: { n },
  },
  response: {
    status,
    headers: { 'content-type': 'application/json', 'retry-after': '7' },
    dtMs: 0,
  },
  events: [],
  body,
  end: { kind: 'eof' },
})

it('for answers that are no streams', async () => {
  const authored = {
    ...recordingOf('openai-chat', [
      answer(1, 200, '{"id":"x"}'),
      answer(2, 429, '{"error":{}}'),
      answer(3, 500, 'oops'),
    ]),
    provenance: { upstream: 'http://authored' },
  }
  const recorded = await recordReplayOf(authored)
  expect(
    recorded.exchanges.map(({ request, ...rest }) => ({
      ...rest,
      request: { ...request, key: '' },
    })),
  ).toEqual(authored.exchanges)
})
