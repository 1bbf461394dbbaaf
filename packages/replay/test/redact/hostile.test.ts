/** Long texts made to be slow: each is scanned in a time that grows with its length. */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRedactor, redactLines, type Redactor } from '@runproof/replay/redact'
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

describe('secrets that were found in a text', () => {
  const drawn = (n: number): string =>
    `sk-proj-${createHash('sha256').update(`${n}`).digest('hex')}`

  it('may be many', async () => {
    const finder = await createRedactor()
    const texts = Array.from({ length: 1000 }, (_, n) => drawn(n))
    const startedAt = performance.now()
    for (const text of texts) finder.learn([text])
    // Some 100 ms, when one more is not more work than the one before; else more than a minute.
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(finder.find(`it is (${texts.join(')(')})`, { isOpaque: true })).toHaveLength(1000)
  })

  it('may be long', async () => {
    const finder = await createRedactor()
    const long = `sk-ant-${'0123456789abcdef'.repeat(10_000)}`
    finder.learn([long])
    const texts = [`"${long}"`, JSON.stringify({ a: long })]
    expect(texts.flatMap((text) => finder.redact([text]))).toEqual([
      '"{{secret:1}}"',
      '{"a":"{{secret:1}}"}',
    ])
  })

  it('may stand between many that are redacted already', async () => {
    const finder = await createRedactor([{ name: 'KNOWN', value: secret }])
    const startedAt = performance.now()
    const [redacted] = finder.redact([`{{secret:1}} ${secret} `.repeat(30_000)])
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(redacted).toBe('{{secret:1}} {{secret:1}} '.repeat(30_000))
  })
})

it('lines of no JSON cost no exception each', async () => {
  const startedAt = performance.now()
  const lines = Array.from({ length: 500_000 }, () => 'a')
  expect(redactLines(lines, redactor)).toEqual(lines)
  expect(performance.now() - startedAt).toBeLessThan(5000)
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
