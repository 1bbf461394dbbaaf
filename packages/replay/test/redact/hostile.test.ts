/** Long texts made to be slow: each is scanned in a time that grows with its length. */
import { beforeAll, expect, it } from 'vitest'
import { createRedactor, type Redactor } from '@runproof/replay/redact'
import { requestKey, type Exchange } from '@runproof/replay'
import { redactRecording } from '@runproof/replay/recorder'
import { recordingOf } from './exchanges.ts'

const secret = 'a-known-secret-value'
let redactor: Redactor
beforeAll(async () => {
  redactor = await createRedactor([{ name: 'KNOWN', value: secret }])
  redactor.find('warm up')
})

/** The part of a secret's base64 that stands alone, over and over: one run of it. */
const encoded = btoa(`xx${secret}xx`).slice(3, 29)

const units = [
  'a',
  '-',
  '.',
  'a.',
  'a-',
  'A_',
  'A1b',
  ' ',
  '/',
  ':',
  '@',
  '=',
  '\\',
  '"',
  '0',
  '{{',
]
const heads = [
  'eyJ-',
  'eyJaaaaaaaa.',
  'sk-ant-',
  'xoxb-',
  'AKIA',
  'AIza',
  'gh',
  'a://',
  'a://a:',
  'https://a:',
  'Bearer ',
  'Basic aaaa:',
  'A_KEY = ',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '{{secret:',
  encoded,
]
const unitsLength = 100_000

it.each([...units, ...heads])('%j again and again', (unit) => {
  const run = unit.repeat(Math.ceil(unitsLength / unit.length))
  for (const text of [run, `eyJ${run}!`, `/tmp/${run}.x`]) {
    const startedAt = performance.now()
    redactor.find(text)
    requestKey('gemini', { method: 'POST', path: '/x', body: text }, { cwd: '/tmp/w/x' })
    // Linear: some 10 ms. Quadratic: more than 10 s.
    expect(performance.now() - startedAt).toBeLessThan(5000)
  }
})

it('an answer too deep for any stack is scanned as a text', () => {
  const deep = `{"a":${'['.repeat(1e5)}"${secret}"${']'.repeat(1e5)}}`
  const answers: Pick<Exchange, 'events' | 'body'>[] = [
    { events: [], body: deep },
    { events: [{ dtMs: 0, data: deep }], body: null },
  ]
  const exchanges = answers.map((answer, index): Exchange => ({
    n: index + 1,
    request: { method: 'POST', path: '/v1/chat/completions', headers: {}, key: '', body: {} },
    response: { status: 200, headers: {} },
    end: { kind: 'eof' },
    ...answer,
  }))
  const { recording } = redactRecording(recordingOf('openai-chat', exchanges), redactor)
  const placed = deep.replace(secret, '{{secret:1}}')
  expect(recording.exchanges.map(({ body, events }) => body ?? events[0]?.data)).toEqual([
    placed,
    placed,
  ])
})
