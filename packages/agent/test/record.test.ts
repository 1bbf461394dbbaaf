/**
 * Record mode, end to end: the built bin with the real adapter against a
 * provider on the loopback device, and the log it leaves.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openSession, promptParams, startDriver, type Driver, type Message } from './driver.ts'
import { at, parseObject } from './json.ts'
import {
  callTools,
  expectDerivedRequests,
  failure,
  key,
  payloads,
  prefix,
  say,
  startLoopback,
  stream,
  type Loopback,
  type Reply,
} from './loopback.ts'
import { behaviourOf, normaliseLog } from './normalise.ts'
import { readLog, temporaryFolder } from './scenario.ts'

type Run = {
  driver: Driver
  answer: Message
  provider: Loopback
  log: string[]
  cwd: string
  root: string
}

async function recordPrompt(
  replies: Reply[],
  options: { args?: string[]; prefix?: string; env?: Record<string, string>; prompt?: string } = {},
): Promise<Run> {
  const provider = await startLoopback(replies, options.prefix)
  const cwd = temporaryFolder('cwd')
  const root = temporaryFolder('sessions')
  const driver = startDriver({
    cwd,
    args: options.args ?? [],
    env: { ...provider.env, RUNPROOF_SESSIONS_ROOT: root, ...options.env },
  })
  const sessionId = await openSession(driver, cwd)
  const answer = await driver.call(
    'session/prompt',
    promptParams(sessionId, options.prompt ?? 'Hello'),
  )
  await driver.close()
  // Whatever happened: the key is in its header and nowhere else.
  for (const text of [...driver.lines, driver.stderr(), ...readLog(root)])
    expect(text).not.toContain(key.slice(0, 8))
  return { driver, answer, provider, log: readLog(root), cwd, root }
}

/** A composition that waits for no retry. */
const impatient = ['--config', fileURLToPath(new URL('impatient.yml', import.meta.url))]

function endOf(log: readonly string[]): unknown {
  const last = parseObject(log.at(-1) ?? '{}')
  expect(last['type']).toBe('turn/end')
  return at(last, 'data', 'reason')
}

const shared = fileURLToPath(new URL('../../../../shared/recordings/deepseek/', import.meta.url))

function readStream(name: string): Reply {
  return payloads(readFileSync(join(shared, name), 'utf8').trim().split('\n'))
}

describe('recording', () => {
  it('streams, persists what was sent, and replays without a key', async () => {
    const { driver, answer, provider, log, cwd } = await recordPrompt([
      stream(callTools(['call_1', 'write', { file_path: 'note.txt', content: 'one\n' }])),
      stream(say('Wrote ', 'it', '.')),
    ])

    expect(answer.result).toEqual({ stopReason: 'end_turn' })
    expect(readFileSync(join(cwd, 'note.txt'), 'utf8')).toBe('one\n')
    expect(provider.requests[0]).toMatchObject({
      path: '/chat/completions',
      headers: { authorization: `Bearer ${key}` },
      body: { model: 'deepseek-v4-flash', stream: true },
    })
    expectDerivedRequests(log, provider.requests)

    const replayed = await replayLog(log, 'Hello')
    expect(behaviourOf(replayed.driver.lines, replayed.cwd)).toEqual(behaviourOf(driver.lines, cwd))
    expect(normaliseLog(replayed.log)).toEqual(normaliseLog(log))
    expect(readFileSync(join(replayed.cwd, 'note.txt'), 'utf8')).toBe('one\n')
  })

  it.skipIf(!existsSync(shared))(
    `serves two streams of the real DeepSeek API${existsSync(shared) ? '' : ' (../shared is not there)'}`,
    async () => {
      const { driver, answer, provider, log } = await recordPrompt([
        readStream('deepseek-tool-call.jsonl'),
        readStream('deepseek-reasoning.jsonl'),
      ])

      expect(answer.result).toEqual({ stopReason: 'end_turn' })
      const updates = driver.updates()
      const textOf = (kind: string): string =>
        updates
          .filter((update) => update['sessionUpdate'] === kind)
          .map((update) => at(update, 'content', 'text'))
          .join('')
      expect(textOf('agent_message_chunk')).toBe('The word "strawberry" contains three "r"s.')
      expect(textOf('agent_thought_chunk')).toMatch(/^The user is asking/)
      // The recorded model calls a tool this agent does not have: told, not hidden.
      expect(updates).toContainEqual(
        expect.objectContaining({
          sessionUpdate: 'tool_call',
          title: 'weather',
          rawInput: { location: 'San Francisco' },
        }),
      )
      expect(JSON.stringify(provider.requests[1]?.body)).toContain('There is no tool')
      expectDerivedRequests(log, provider.requests)
    },
  )

  it.each([
    {
      wire: 'openai-chat',
      prefix: 'OPENAI',
      path: '/v1/chat/completions',
      header: 'authorization',
    },
    { wire: 'openai-responses', prefix: 'OPENAI', path: '/v1/responses', header: 'authorization' },
    { wire: 'anthropic', prefix: 'ANTHROPIC', path: '/v1/messages', header: 'x-api-key' },
    {
      wire: 'gemini',
      prefix: 'GEMINI',
      path: '/v1beta/models/model-x:streamGenerateContent?alt=sse',
      header: 'x-goog-api-key',
    },
  ] as const)('speaks $wire', async ({ wire, prefix: envPrefix, path, header }) => {
    const { answer, provider, log } = await recordPrompt(
      [
        stream(
          callTools(['call_1', 'todo_write', { todos: [{ content: 'a', status: 'pending' }] }]),
          wire,
        ),
        stream(say('Done.'), wire),
      ],
      { args: ['--provider', wire, '--model', 'model-x'], prefix: envPrefix },
    )
    expect(answer.result).toEqual({ stopReason: 'end_turn' })
    expect(provider.requests[0]?.path).toBe(path)
    expect(provider.requests[0]?.headers[header]).toContain(key)
    expectDerivedRequests(log, provider.requests, { wire })
  })
})

const failures: { title: string; reply: Reply; code: string }[] = [
  {
    title: 'refuses the key, and repeats it',
    reply: failure(401, { error: { message: `Authentication Fails, ${key} is invalid` } }),
    code: 'AUTH',
  },
  {
    title: 'refuses with a page that is cut within the key',
    reply: {
      status: 403,
      headers: { 'content-type': 'text/html' },
      body: [`${'x'.repeat(190)}${key}`],
    },
    code: 'AUTH',
  },
  {
    title: 'answers with a page',
    reply: { headers: { 'content-type': 'text/html' }, body: ['<h1>Hi</h1>'] },
    code: 'MALFORMED_RESPONSE',
  },
  {
    title: 'ends the stream in the middle',
    reply: prefix(stream(say('half ', 'a ', 'word')), 3, 'end'),
    code: 'STREAM_CLOSED',
  },
  {
    title: 'breaks the connection in the middle',
    reply: prefix(stream(say('half ', 'a ', 'word')), 3, 'cut'),
    code: 'TRANSPORT',
  },
  {
    title: 'sends what is no JSON',
    reply: { body: ['data: {"choices": [\n\n'] },
    code: 'MALFORMED_RESPONSE',
  },
]

describe('a provider that fails', () => {
  it.each(failures)('$title', async ({ reply, code }) => {
    const { answer, log, provider } = await recordPrompt([reply])

    expect(answer.error).toMatchObject({ code: -32603, data: { code } })
    expect(answer.error?.message).toMatch(/^Internal error: turn failed: ./)
    expect(endOf(log)).toMatchObject({ kind: 'error', step: 1, code })
    expect(provider.requests).toHaveLength(1)

    // The log tells the failure, so it replays without an override.
    const replayed = await replayLog(log, 'Hello')
    expect(replayed.answer.error).toEqual(answer.error)
    expect(normaliseLog(replayed.log)).toEqual(normaliseLog(log))
  })

  it('is tried again when it is busy, and the replay goes the same way', async () => {
    const busy = failure(429, { error: { message: 'slow \u001b[2Jdown' } }, { 'retry-after': '2' })
    const { answer, log, provider, driver } = await recordPrompt(
      [busy, failure(503, { error: { message: 'overloaded' } }), stream(say('Here.'))],
      { args: impatient },
    )
    expect(answer.result).toEqual({ stopReason: 'end_turn' })
    expect(provider.requests).toHaveLength(3)
    // Not in the words of the terminal.
    expect(driver.stderr()).toContain('slow [2Jdown; trying again')

    const replayed = await replayLog(log, 'Hello')
    expect(replayed.ms).toBeLessThan(2000)
    expect(replayed.answer.result).toEqual({ stopReason: 'end_turn' })
    expect(normaliseLog(replayed.log)).toEqual(normaliseLog(log))
  })

  it('is given up after the last retry', async () => {
    const busy = failure(429, { error: { message: 'slow down' } })
    const { answer, provider } = await recordPrompt([busy, busy, busy], { args: impatient })
    expect(answer.error).toMatchObject({ data: { code: 'RATE_LIMIT' } })
    expect(provider.requests).toHaveLength(3)
  })

  it('is not waited for longer than the policy allows', async () => {
    const busy = failure(
      429,
      { error: { message: 'come back tomorrow' } },
      { 'retry-after': '86400' },
    )
    const { answer, provider } = await recordPrompt([busy])
    expect(answer.error).toMatchObject({ data: { code: 'RATE_LIMIT' } })
    expect(provider.requests).toHaveLength(1)
  })

  it('is silent for too long', async () => {
    const half = prefix(stream(say('half ', 'a ', 'word')), 3, 'hang')
    const { answer, provider } = await recordPrompt([half], { args: impatient })
    expect(answer.error).toMatchObject({ data: { code: 'TIMEOUT' } })
    await provider.abandoned
  })

  it('cannot be reached', async () => {
    const { answer } = await recordPrompt([], {
      args: impatient,
      env: { DEEPSEEK_BASE_URL: 'http://127.0.0.1:9' },
    })
    expect(answer.error).toMatchObject({ data: { code: 'TRANSPORT' } })
  })

  it('has an endpoint with a password in it', async () => {
    const { answer, log } = await recordPrompt([], {
      env: { DEEPSEEK_BASE_URL: 'http://user:hunter2@127.0.0.1:9' },
    })
    expect(answer.error).toMatchObject({ data: { code: 'INVALID_CREDENTIAL' } })
    expect(`${log.join()}${answer.error?.message}`).not.toContain('hunter2')
  })

  it('has an endpoint that is no URL', async () => {
    const { answer } = await recordPrompt([], { env: { DEEPSEEK_BASE_URL: 'localhost' } })
    expect(answer.error).toMatchObject({ data: { code: 'INVALID_REQUEST' } })
  })

  it('has no key', async () => {
    const { answer } = await recordPrompt([], { env: { DEEPSEEK_API_KEY: '' } })
    expect(answer.error).toMatchObject({ data: { code: 'MISSING_CREDENTIAL' } })
    expect(answer.error?.message).toContain('DEEPSEEK_API_KEY')
  })
})

async function replayLog(
  log: readonly string[],
  prompt: string,
): Promise<Omit<Run, 'provider'> & { ms: number }> {
  const { writeFileSync } = await import('node:fs')
  const folder = temporaryFolder('recorded')
  const file = join(folder, 'session.jsonl')
  writeFileSync(file, `${log.join('\n')}\n`)
  const cwd = temporaryFolder('cwd')
  const root = temporaryFolder('sessions')
  const driver = startDriver({
    cwd,
    env: { RUNPROOF_MODE: 'replay', RUNPROOF_SESSION_FILE: file, RUNPROOF_SESSIONS_ROOT: root },
  })
  const sessionId = await openSession(driver, cwd)
  const startedAt = performance.now()
  const answer = await driver.call('session/prompt', promptParams(sessionId, prompt))
  const ms = performance.now() - startedAt
  await driver.close()
  return { driver, answer, log: readLog(root), cwd, root, ms }
}
