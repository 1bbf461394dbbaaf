/** Requests and recordings that would be served wrongly if they were taken for others. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ask, recordingOf } from '../recording/recordings.ts'
import { fixtureFile } from '../scenarios.ts'
import { emulate, send } from './client.ts'

describe('a body', () => {
  it('that is no text is refused, and taken for no text', async () => {
    const recording = recordingOf([{ ask: '\uFFFD', events: ['a'] }])
    const { url, misses } = await emulate({ recordings: [recording] })
    expect((await send(url, { body: Buffer.from([0xff]) })).status).toBe(400)
    expect(misses).toMatchObject([{ code: 'bad-request' }])
    expect((await send(url, { body: '\uFFFD' })).text).toBe('data: a\n\n')
  })

  it.each(['gzip', 'GZIP', ' x-gzip '])(
    'is decompressed when its coding is "%s"',
    async (coding) => {
      const { url } = await emulate({ recordings: [recordingOf([{ events: ['a'] }])] })
      const body = gzipSync(JSON.stringify(ask('hello')))
      const received = await send(url, { body, headers: { 'content-encoding': coding } })
      expect(received.text).toBe('data: a\n\n')
    },
  )

  it.each(['constructor', '__proto__', 'toString', 'gzip, br'])(
    'is refused when its coding is "%s"',
    async (coding) => {
      const { url, misses } = await emulate({ recordings: [recordingOf([{ events: ['a'] }])] })
      const received = await send(url, {
        body: ask('hello'),
        headers: { 'content-encoding': coding },
      })
      expect(received.status).toBe(400)
      expect(misses).toMatchObject([{ code: 'bad-request' }])
    },
  )

  it('nested deeper than the stack is a miss like any other', async () => {
    const { url, misses } = await emulate({ recordings: [recordingOf([{ events: ['a'] }])] })
    expect((await send(url, { body: '['.repeat(1e5) + ']'.repeat(1e5) })).status).toBe(400)
    expect(misses).toMatchObject([{ code: 'request-mismatch' }])
  })
})

it('what is no HTTP request is a miss', async () => {
  const missed = Promise.withResolvers<unknown>()
  const { url, misses } = await emulate({
    recordings: [recordingOf([{ events: ['a'] }])],
    onRequest: ({ miss }) => missed.resolve(miss?.code),
  })
  await expect(fetch(url.replace('http:', 'https:'))).rejects.toThrow('fetch failed')
  expect(await missed.promise).toBe('bad-request')
  expect(misses[0]?.message).toMatch(/^what came is no HTTP request \(HPE_\w+\), .* https\.$/)
})

describe('the same body', () => {
  const stream = '/v1beta/models/m:streamGenerateContent'

  it.each([
    [`${stream}?alt=sse`, stream],
    ['/openai/deployments/big/chat/completions', '/openai/deployments/small/chat/completions'],
    ['/v1/threads/a/messages', '/v1/threads/b/messages'],
    ['/v1/messages', '/v1/messages/count_tokens'],
    ['/v1beta/models/m:embedContent', '/v1beta/models/n:embedContent'],
  ])('at %s is not asked at %s', async (recorded, sent) => {
    const { url } = await emulate({
      recordings: [recordingOf([{ path: recorded, events: ['a'] }])],
    })
    expect((await send(url, { path: sent, body: ask('hello') })).text).not.toBe('data: a\n\n')
    expect((await send(url, { path: recorded, body: ask('hello') })).text).toBe('data: a\n\n')
  })

  it('with another key in its path is the same request', async () => {
    const path = '/v1beta/models/m:embedContent?key='
    const { url } = await emulate({ recordings: [recordingOf([{ path, events: ['a'] }])] })
    const received = await send(url, { path: `${path}of-today`, body: ask('hello') })
    expect(received.text).toBe('data: a\n\n')
  })
})

describe('counting tokens', () => {
  const path = '/v1/messages/count_tokens'
  const body = { messages: [{ role: 'user', content: 'List the pantry.' }] }
  const session = { session: fixtureFile('kitchen/session.jsonl'), wire: 'anthropic' as const }

  it('takes no call of a session log', async () => {
    const { url, misses, unused } = await emulate({ recordings: [session] })
    expect((await send(url, { path, body })).status).toBe(400)
    expect(misses).toHaveLength(1)
    expect(unused()).toHaveLength(3)
  })

  it('is answered with a number when auxiliary calls are', async () => {
    const { url, misses } = await emulate({ recordings: [session], auxiliary: 'answer' })
    expect(JSON.parse((await send(url, { path, body })).text)).toEqual({ input_tokens: 1 })
    const gemini = await send(url, { path: '/v1beta/models/m:countTokens', body: { contents: [] } })
    expect(JSON.parse(gemini.text)).toEqual({ totalTokens: 1 })
    expect(misses).toEqual([])
  })
})

it('a report of a miss shows no secret of the live request', async () => {
  const { url, misses } = await emulate({ recordings: [recordingOf([{ events: ['a'] }])] })
  const shaped = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`
  const own = 'a-key-without-any-shape'
  await send(url, {
    body: ask(`hello, ${shaped} and ${own}`),
    headers: { authorization: `Bearer ${own}` },
  })
  const report = JSON.stringify(misses)
  expect(report).toContain('hello, {{secret:1}} and {{secret:2}}')
  expect(report).not.toContain(shaped)
  expect(report).not.toContain(own)
})

it('a folder whose name is a pattern of replacements is put in place as it is', async () => {
  const recording = recordingOf([{ events: ['in {{cwd}}!'] }])
  const { url } = await emulate({ recordings: [recording], context: { cwd: "/tmp/$$a$&b$'" } })
  expect((await send(url, { body: ask('hello') })).text).toBe("data: in /tmp/$$a$&b$'!\n\n")
})
