/** Sessions outlive their process: list, load, go on; and one process owns a log at a time. */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { initializeParams, openSession, promptParams, startDriver, type Driver } from './driver.ts'
import { objectsAt, type Json } from './json.ts'
import { callTools, expectDerivedRequests, say, stream } from './loopback.ts'
import { cardsOf, startScripted } from './run.ts'
import { readLog, temporaryFolder } from './scenario.ts'

const allow = { outcome: { outcome: 'selected', optionId: 'allow-once' } }

function logFile(root: string): string {
  return join(root, globSync('**/session.jsonl', { cwd: root })[0] ?? 'missing')
}

describe('session/load', () => {
  it('shows the past as it was shown live, then goes on with the same history', async () => {
    const first = await startScripted(
      [
        stream(
          callTools(['call_1', 'bash', { command: 'echo hi' }], ['call_2', 'nonsense', { a: 1 }]),
        ),
        stream(
          callTools(['call_3', 'todo_write', { todos: [{ content: 'x', status: 'pending' }] }]),
        ),
        stream(say('All ', 'done.')),
        stream(say('Once more.')),
      ],
      { answer: () => allow },
    )
    await first.setMode('read-only')
    await first.prompt('First.')
    const live = first.driver.updates()
    await first.driver.close()

    const { root, cwd, sessionId, provider } = first
    const second = startDriver({ env: { ...provider.env, RUNPROOF_SESSIONS_ROOT: root } })
    await second.call('initialize', initializeParams)
    const loaded = await second.call('session/load', { sessionId, cwd, mcpServers: [] })
    // The past comes before the answer, and the mode comes back.
    const past = second.updates()
    expect(second.messages.at(-1)).toBe(loaded)
    expect(past[0]).toEqual({
      sessionUpdate: 'user_message_chunk',
      content: { type: 'text', text: 'First.' },
    })
    expect(past.slice(1)).toEqual(live)
    expect(loaded.result).toMatchObject({ configOptions: [{ currentValue: 'read-only' }] })

    const answer = await second.call('session/prompt', promptParams(sessionId, 'Second.'))
    expect(answer.result).toEqual({ stopReason: 'end_turn' })
    await second.close()
    expectDerivedRequests(readLog(root), provider.requests)
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('All done.')
    // The request header did not change, so it stands in the log once.
    expect(first.events().filter(({ type }) => type === 'request/header')).toHaveLength(1)
  })

  it('closes a turn that a crash left open', async () => {
    const first = await startScripted([
      stream(callTools(['call_1', 'bash', { command: 'sleep 5' }])),
      stream(say('Ok.')),
    ])
    void first.prompt().catch(() => undefined)
    await first.driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
    first.driver.child.kill('SIGKILL')
    await first.driver.exited
    const { root, cwd, sessionId, provider } = first
    appendFileSync(logFile(root), '{"type":"tool/res')

    const second = startDriver({ env: { ...provider.env, RUNPROOF_SESSIONS_ROOT: root } })
    await second.call('initialize', initializeParams)
    await second.call('session/load', { sessionId, cwd, mcpServers: [] })
    expect(second.updates().at(-1)).toMatchObject({ toolCallId: 'call_1', status: 'failed' })
    expect(second.stderr()).toMatch(/dropped 17 bytes.*\n.*closed the turn/)
    expect((await second.call('session/prompt', promptParams(sessionId, 'So?'))).result).toEqual({
      stopReason: 'end_turn',
    })
    await second.close()
    expectDerivedRequests(readLog(root), provider.requests)
  })

  it('refuses what is not there, another folder, a log in use, and a log that is damaged', async () => {
    const first = await startScripted([stream(say('Hi.'))])
    await first.prompt()
    const { root, cwd, sessionId, provider } = first
    const second = startDriver({ env: { ...provider.env, RUNPROOF_SESSIONS_ROOT: root } })
    await second.call('initialize', initializeParams)
    const load = (params: Json) =>
      second.call('session/load', { sessionId, cwd, mcpServers: [], ...params })

    for (const id of ['nobody', '', '../..']) {
      expect((await load({ sessionId: id })).error).toMatchObject({ code: -32002 })
    }
    expect((await load({})).error).toMatchObject({ code: -32603, data: { code: 'locked' } })
    await first.driver.close()
    expect((await load({ cwd: '/' })).error).toMatchObject({ code: -32602 })
    expect((await load({})).error).toBeUndefined()
    expect((await second.call('session/close', { sessionId })).error).toBeUndefined()

    const file = logFile(root)
    writeFileSync(file, readFileSync(file, 'utf8').replace('"seq":1,', '"seq":7,'))
    expect((await load({})).error).toMatchObject({ code: -32603, data: { code: 'bad-seq' } })
    expect((await second.close()).code).toBe(0)
  })
})

/** Lets the process write files up to so many bytes; more fails with EFBIG. */
function limitFiles({ child }: Driver, bytes: number | 'unlimited'): boolean {
  const args = ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]
  return spawnSync('prlimit', args).status === 0
}

const idsOf = (result: Json): unknown[] =>
  objectsAt(result, 'sessions').map((one) => one['sessionId'])

describe('a log that cannot be written', () => {
  it('ends the turn with the reason, before the model is asked', async () => {
    const root = join(temporaryFolder('sessions'), 'later')
    const { driver, prompt, provider } = await startScripted([stream(say('Hi.'))], {
      env: { RUNPROOF_SESSIONS_ROOT: root },
    })
    writeFileSync(root, 'a file where the folder should be')
    expect((await prompt()).error).toMatchObject({ code: -32603, data: { code: 'io' } })
    expect(provider.requests).toEqual([])
    expect((await driver.close()).code).toBe(0)
  })

  it.skipIf(spawnSync('prlimit', ['--version']).error !== undefined)(
    'for a moment costs the turn, and the session goes on (needs prlimit)',
    async () => {
      const scripted = await startScripted([
        stream(callTools(['call_1', 'bash', { command: 'sleep 1' }])),
        stream(say('Here again.')),
      ])
      const { driver, root, provider } = scripted
      const answer = scripted.prompt()
      await driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
      expect(limitFiles(driver, statSync(logFile(root)).size)).toBe(true)
      expect((await answer).error).toMatchObject({ data: { code: 'io' } })
      limitFiles(driver, 'unlimited')

      expect((await scripted.prompt()).result).toEqual({ stopReason: 'end_turn' })
      await driver.close()
      // No provider accepts a call without a result.
      expect(cardsOf(driver, 'call_1').at(-1)).toMatchObject({ status: 'failed' })
      const ends = scripted.events().filter(({ type }) => type === 'turn/end')
      expect(ends.map(({ data }) => data['reason'])).toEqual([
        { kind: 'interrupted' },
        { kind: 'completed' },
      ])
      expectDerivedRequests(readLog(root), provider.requests)
    },
  )
})

describe('session/list', () => {
  it('lists by folder and page, newest first, whatever else lies there', async () => {
    const root = temporaryFolder('sessions')
    const folders = [temporaryFolder('a'), temporaryFolder('b')] as const
    for (const [i, cwd] of [folders[0], folders[0], folders[0], folders[1]].entries()) {
      writeSession(root, `s-${i}`, cwd, i)
    }
    mkdirSync(join(root, '--x--', 'bad'), { recursive: true })
    writeFileSync(join(root, '--x--', 'bad', 'session.jsonl'), 'not a log\n')

    const paged = fileURLToPathOf('two-a-page.yml')
    const driver = startDriver({ args: ['--config', paged], env: { RUNPROOF_SESSIONS_ROOT: root } })
    await driver.call('initialize', initializeParams)
    const list = async (params: Json): Promise<Json> =>
      (await driver.call('session/list', params)).result ?? {}

    const one = await list({ cwd: folders[0] })
    expect(idsOf(one)).toEqual(['s-2', 's-1'])
    expect(one['sessions']).toContainEqual({
      sessionId: 's-2',
      cwd: folders[0],
      title: 'Prompt 2',
      updatedAt: '1970-01-01T00:00:02.000Z',
    })
    const two = await list({ cwd: folders[0], cursor: one['nextCursor'] })
    expect(idsOf(two)).toEqual(['s-0'])
    expect(two['nextCursor']).toBeUndefined()
    expect(idsOf(await list({}))).toEqual(['s-3', 's-2'])
    expect((await driver.call('session/list', { cursor: 'nowhere' })).error).toMatchObject({
      code: -32602,
    })
    await driver.close()
    expect(driver.stderr()).toContain('left out of the list')
  })
})

describe('an open session', () => {
  it('takes one prompt at a time', async () => {
    const { driver, prompt, sessionId } = await startScripted([
      stream(callTools(['call_1', 'bash', { command: 'sleep 5' }])),
    ])
    const first = prompt()
    expect((await prompt()).error).toMatchObject({ code: -32600 })
    driver.notify('session/cancel', { sessionId })
    expect((await first).result).toEqual({ stopReason: 'cancelled' })
    await driver.close()
  })

  it('runs beside another one', async () => {
    const scripted = await startScripted([stream(say('One.')), stream(say('Two.'))])
    const other = await scripted.driver.call('session/new', { cwd: scripted.cwd, mcpServers: [] })
    const ids = [scripted.sessionId, String(other.result?.['sessionId'])]
    const answers = await Promise.all(
      ids.map((id) => scripted.driver.call('session/prompt', promptParams(id, 'Hi.'))),
    )
    for (const answer of answers) expect(answer.result).toEqual({ stopReason: 'end_turn' })
    await scripted.driver.close()
    expect(globSync('**/session.jsonl', { cwd: scripted.root })).toHaveLength(2)
  })

  it('ends its turn when it is closed, and is gone then', async () => {
    const { driver, prompt, sessionId, events } = await startScripted([{ body: [], after: 'hang' }])
    const answer = prompt()
    await driver.call('session/close', { sessionId })
    expect((await answer).result).toEqual({ stopReason: 'cancelled' })
    expect((await prompt()).error).toMatchObject({ code: -32002 })
    expect((await driver.call('session/close', { sessionId })).error).toMatchObject({
      code: -32002,
    })
    await driver.close()
    expect(events().at(-1)?.data['reason']).toEqual({ kind: 'disposed' })
  })

  it('refuses an empty prompt and what it did not offer to take', async () => {
    const { driver, sessionId, events } = await startScripted([])
    for (const prompt of [
      [{ type: 'text', text: ' ' }],
      [],
      [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      [{ type: 'resource', resource: { uri: 'file:///a', text: 'a' } }],
    ]) {
      const { error } = await driver.call('session/prompt', { sessionId, prompt })
      expect(error).toMatchObject({ code: -32602 })
    }
    await driver.close()
    expect(events()).toEqual([])
  })

  it('takes a link', async () => {
    const { driver, sessionId, provider } = await startScripted([stream(say('Nice.'))])
    const link = { type: 'resource_link', name: 'notes', uri: 'file:///notes.txt' }
    await driver.call('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text: 'See ' }, link],
    })
    await driver.close()
    expect(JSON.stringify(provider.requests[0]?.body)).toContain('[notes](file:///notes.txt)')
  })
})

describe('session/new', () => {
  it('refuses a folder that is missing, relative or not given, and further directories', async () => {
    const driver = startDriver({ env: { RUNPROOF_SESSIONS_ROOT: temporaryFolder('sessions') } })
    await driver.call('initialize', initializeParams)
    for (const params of [
      { cwd: '/no/such/folder' },
      { cwd: 'here' },
      {},
      { cwd: '/', additionalDirectories: ['/tmp'] },
    ]) {
      const answer = await driver.call('session/new', { mcpServers: [], ...params })
      expect(answer.error).toMatchObject({ code: -32602 })
    }
    await driver.close()
  })

  it('works with an editor that sends MCP servers, and says that they are not used', async () => {
    const cwd = temporaryFolder('cwd')
    const driver = startDriver()
    await openSession(driver, cwd)
    const server = { name: 'files', command: 'mcp-files', args: [], env: [] }
    const answer = await driver.call('session/new', { cwd, mcpServers: [server] })
    expect(answer.error).toBeUndefined()
    await driver.close()
    expect(driver.stderr()).toContain('does not use MCP: files')
  })
})

function fileURLToPathOf(name: string): string {
  return new URL(name, import.meta.url).pathname
}

function writeSession(root: string, id: string, cwd: string, n: number): void {
  const folder = join(root, '--folder--', id)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'session.jsonl')
  const lines = [
    { type: 'session', version: 0, id, createdAt: n, cwd },
    { type: 'turn/start', seq: 0, time: n, data: { turn: 1 } },
    {
      type: 'user/message',
      seq: 1,
      time: n,
      data: {
        content: [{ type: 'text', text: `Prompt ${n}\nand more` }],
        source: { kind: 'user' },
      },
      surfaceOp: 'append',
    },
  ]
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  utimesSync(file, n, n)
}
