/** Long texts made to be slow: each is scanned in a time that grows with its length. */
import { beforeAll, expect, it } from 'vitest'
import { createRedactor, type Redactor } from '@runproof/replay/redact'
import { requestKey } from '@runproof/replay'

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
