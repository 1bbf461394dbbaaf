/** Secrets on the whole way: recorded, redacted, proved, written, replayed. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseRecording, ReplayError, type Recording } from '@runproof/replay'
import { createEmulator } from '@runproof/replay/emulator'
import {
  createBodyRedactor,
  createRecorder,
  holdsSecrets,
  secretsOfEnvironment,
  writeRecording,
} from '@runproof/replay/recorder'
import { eventsOf, exchangeOf, recordingOf } from '../redact/exchanges.ts'
import { drawn, shapedKeys } from '../redact/keys.ts'
import { ask, startProvider } from './provider.ts'

const folder = mkdtempSync(join(tmpdir(), 'recordings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const env = {
  OPENAI_API_KEY: `key-of-mine-${drawn(12)}`,
  DEPLOY_PASSWORD: 'correct horse battery staple',
}
const found = shapedKeys['a GitHub token'] ?? ''

/** An agent of two turns that is told a secret, says it, and has it come back from a tool. */
const turns = (secrets: { password: string; token: string }): unknown[] => [
  { messages: [{ role: 'user', content: `deploy with ${secrets.password}` }] },
  {
    messages: [
      { role: 'user', content: `deploy with ${secrets.password}` },
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'call_1',
            function: { name: 'run', arguments: `{"command":"login ${secrets.password}"}` },
          },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: `export GH=${secrets.token}\nbase64: ${Buffer.from(env.DEPLOY_PASSWORD).toString('base64')}`,
      },
    ],
  },
]

async function recordTurns(): Promise<Recording> {
  const answers = [
    eventsOf('openai-chat', {
      argument: ['{"command":"login correct ho', 'rse battery st', 'aple"}'],
    }),
    eventsOf('openai-chat', { text: ['done, with ', found.slice(0, 11), found.slice(11)] }),
  ]
  const provider = await startProvider((_, response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'x-request-id': `for ${env.OPENAI_API_KEY}`,
    })
    for (const { data } of answers.shift() ?? []) response.write(`data: ${data}\n\n`)
    response.end()
  })
  const recorder = await createRecorder({
    upstream: provider.url,
    wire: 'openai-chat',
    clock: () => 0,
    env,
  })
  for (const body of turns({ password: env.DEPLOY_PASSWORD, token: found })) {
    const headers = {
      authorization: `Bearer ${env.OPENAI_API_KEY}`,
      cookie: `session=${drawn(20)}`,
    }
    await ask(recorder.url, { headers, body: JSON.stringify(body) })
  }
  const recording = await recorder.close()
  expect(recorder.report?.secrets.map(({ rule }) => rule)).toEqual([
    'DEPLOY_PASSWORD',
    'OPENAI_API_KEY',
    'github-token',
  ])
  await provider.close()
  return recording
}

describe('a recorded run', () => {
  it('has none of its secrets on disk, and is for its owner alone', async () => {
    const file = join(folder, 'recording.jsonl')
    writeFileSync(file, 'older')
    chmodSync(file, 0o644)
    const recording = await recordTurns()
    await writeRecording(file, recording, { env })
    const text = readFileSync(file, 'utf8')
    for (const secret of [
      ...Object.values(env),
      found,
      drawn(20),
      Buffer.from(env.DEPLOY_PASSWORD).toString('base64'),
    ]) {
      expect(text).not.toContain(secret)
    }
    expect(text).not.toMatch(/authorization|cookie/i)
    expect(parseRecording(text)).toEqual({ recording, issues: [] })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['recording.jsonl'])
  })

  it('answers live requests with other secrets, the placeholders being what the model said', async () => {
    const recording = await recordTurns()
    expect(holdsSecrets(recording)).toBe(true)
    const live = { DEPLOY_PASSWORD: 'another password altogether' }
    const emulator = await createEmulator({
      recordings: [recording],
      redact: await createBodyRedactor(secretsOfEnvironment(live)),
    })
    // What the model said has the placeholder; what a tool printed has the secret of today.
    const [first, second] = turns({ password: live.DEPLOY_PASSWORD, token: `ghp_${drawn(36, 7)}` })
    const answers = await Promise.all(
      [first, second].map((body) =>
        ask(emulator.url, {
          body: JSON.stringify(body)
            .replace('login another password altogether', 'login {{secret:1}}')
            .replace(
              Buffer.from(env.DEPLOY_PASSWORD).toString('base64'),
              Buffer.from(live.DEPLOY_PASSWORD).toString('base64'),
            ),
        }),
      ),
    )
    expect(emulator.misses).toEqual([])
    expect(emulator.unused()).toEqual([])
    expect(answers[0]?.text).toContain('login {{secret:1}}')
    await emulator.close()
  })

  it('has nothing of what the provider gave to authenticate with, wherever it is said', async () => {
    const [session, ticket] = ['of-the-session', 'of-the-redirect']
    const provider = await startProvider((_, response) => {
      const headers = { 'set-cookie': `sid=${session}; Path=/`, location: `/v1?key=${ticket}` }
      response.writeHead(307, headers).end(`<a href="/v1?key=${ticket}">${session}</a>`)
    })
    const recorder = await createRecorder({
      upstream: provider.url,
      wire: 'openai-chat',
      clock: () => 0,
    })
    await ask(recorder.url, { body: '{}' })
    const text = JSON.stringify(await recorder.close())
    expect(text).toContain('{{secret:2}}')
    expect(text).not.toContain(session)
    expect(text).not.toContain(ticket)
    await provider.close()
  })

  it.each([
    ['in a member that comes twice', (key: string) => `{"a":"${key}","a":"b"}`],
    ['as a number', (key: string) => `{"a":${key}}`],
  ])('is refused when a secret stands in it %s', async (_, answer) => {
    const key = '20261201123456'
    const provider = await startProvider((_request, response) => void response.end(answer(key)))
    const recorder = await createRecorder({
      upstream: provider.url,
      wire: 'openai-chat',
      clock: () => 0,
    })
    await ask(recorder.url, { headers: { 'x-api-key': key }, body: '{}' })
    const refused = await recorder.close().catch((error: unknown) => error)
    if (!ReplayError.is(refused)) throw new Error('it was not refused')
    expect(refused.code).toBe('secret-left')
    expect(refused.message).toContain('exchange 1')
    expect(refused.message).not.toContain(key)
    await provider.close()
  })

  it('needs no redactor when it has no secret', () => {
    expect(holdsSecrets(recordingOf('openai-chat', [exchangeOf(1, { body: { a: 'b' } })]))).toBe(
      false,
    )
  })

  // In the first request nothing says that this is a secret.
  it.each<[string, { given?: string; headers?: Record<string, string>; second?: unknown }]>([
    ['a text of the second request', { second: `DB_PASSWORD=${drawn(20)}` }],
    ['a member of the second request', { second: [{ type: 'mcp', api_key: drawn(20) }] }],
    ['a header', { headers: { 'x-auth-mode': drawn(20) } }],
    ['a cookie of the provider', { given: `region=${drawn(20)}` }],
  ])('is refused when %s alone tells what its requests must not hold', async (_, told) => {
    const { given, headers = {}, second = '' } = told
    const provider = await startProvider((_request, response) => {
      response.writeHead(200, given === undefined ? {} : { 'set-cookie': given }).end('{}')
    })
    const recorder = await createRecorder({
      upstream: provider.url,
      wire: 'openai-chat',
      clock: () => 0,
    })
    const secret = drawn(20)
    for (const content of [`it is ${secret}`, second]) {
      await ask(recorder.url, {
        headers,
        body: JSON.stringify({ messages: [{ role: 'user', content }] }),
      })
    }
    const refused = await recorder.close().catch((error: unknown) => error)
    if (!ReplayError.is(refused)) throw new Error('it was not refused')
    expect(refused.code).toBe('proof-failed')
    expect(refused.message).toContain('exchange 1:')
    expect(refused.message).not.toContain(secret)
    await provider.close()
  })
})

describe('a recording with a secret', () => {
  it.each([
    [
      'of a known shape',
      recordingOf('openai-chat', [exchangeOf(1, { body: { text: found } })]),
      found,
    ],
    [
      'of the environment',
      recordingOf('openai-chat', [exchangeOf(1, { responseBody: `<${env.DEPLOY_PASSWORD}>` })]),
      env.DEPLOY_PASSWORD,
    ],
    [
      'of the environment, in base64',
      recordingOf('openai-chat', [exchangeOf(1, { body: btoa(`a:${env.DEPLOY_PASSWORD}`) })]),
      env.DEPLOY_PASSWORD,
    ],
    [
      'cut in two',
      recordingOf('openai-chat', [
        exchangeOf(1, {
          events: eventsOf('openai-chat', { text: [found.slice(0, 20), found.slice(20)] }),
        }),
      ]),
      found,
    ],
  ])('%s is not written, and the reason does not show it', async (_, recording, secret) => {
    const file = join(folder, 'refused.jsonl')
    const refused = await writeRecording(file, recording, { env }).catch((error: unknown) => error)
    if (!ReplayError.is(refused)) throw new Error('it was written')
    expect(refused.code).toBe('secret-left')
    expect(refused.message).toContain('exchange 1')
    expect(refused.message).not.toContain(secret)
    expect(existsSync(file)).toBe(false)
  })

  it('leaves what was there when it cannot be written', async () => {
    const file = join(folder, 'no', 'such', 'folder.jsonl')
    await expect(writeRecording(file, recordingOf('openai-chat', []))).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})
