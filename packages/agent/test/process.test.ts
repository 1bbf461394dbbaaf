/** The process: what it prints, how it ends, what it leaves behind. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bin, initializeParams, openSession, promptParams, startDriver } from './driver.ts'
import { parseObject } from './json.ts'
import { callTools, key, say, startLoopback, stream } from './loopback.ts'
import { startScripted } from './run.ts'
import { readLog, temporaryFolder } from './scenario.ts'

const run = (...args: string[]) => spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8' })

describe('the command line', () => {
  it('explains itself', () => {
    const { status, stdout } = run('--help')
    expect(status).toBe(0)
    for (const word of ['--config', 'RUNPROOF_MODE', 'DEEPSEEK_API_KEY', 'Agent Client Protocol']) {
      expect(stdout).toContain(word)
    }
  })

  it('tells its version', () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    expect(run('--version').stdout.trim()).toBe(parseObject(manifest)['version'])
  })

  it.each([
    { args: ['--confg', 'x'], says: '--confg' },
    { args: ['extra'], says: 'extra' },
    { args: ['--log-level', 'loud'], says: 'error, info, warn, debug' },
    { args: ['--provider', 'anthropic'], says: '--model' },
    { args: ['--config', '/no/such/file.yml'], says: '/no/such/file.yml' },
  ])('refuses $args', ({ args, says }) => {
    const { status, stdout, stderr } = run(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
  })

  it('is plain JavaScript that an old Node can read', () => {
    // Old versions parse no TypeScript and no newer syntax than dynamic import.
    execFileSync(process.execPath, ['--check', bin])
    expect(readFileSync(bin, 'utf8')).toContain('22.12')
  })
})

describe('the README', () => {
  it('shows an example that runs', () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url))
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const file = join(temporaryFolder('readme'), 'example.ts')
    writeFileSync(file, /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '')
    const { stdout, stderr } = spawnSync(process.execPath, [file], {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`,
      },
    })
    expect([stdout.trim(), stderr]).toEqual(['Two words, \neasy.\nHello \nthere.\nend_turn', ''])
  })
})

describe('stdout', () => {
  it('answers rubbish with errors and goes on', async () => {
    const driver = startDriver()
    driver.write('not json\n[]\n{"jsonrpc":"2.0","id":9,"method":"session/new","params":{}}\n\n')
    await driver.call('initialize', { protocolVersion: 99, clientCapabilities: {} })
    expect(driver.messages.map(({ error }) => error?.code)).toEqual([
      -32700,
      -32600,
      -32600,
      undefined,
    ])
    expect(driver.messages.at(-1)?.result).toMatchObject({ protocolVersion: 1 })
    const unknown = await driver.call('session/fly', {})
    expect(unknown.error).toMatchObject({ code: -32601 })
    expect((await driver.close()).code).toBe(0)
  })

  it('has a last line even when the client sends none', async () => {
    const driver = startDriver()
    driver.write(
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${JSON.stringify(initializeParams)}}`,
    )
    expect((await driver.close()).code).toBe(0)
    expect(driver.messages).toHaveLength(1)
  })
})

describe('the end', () => {
  it.each(['idle', 'with a session', 'with a model that hangs', 'with a tool that runs'])(
    'comes within a second of the end of stdin: %s',
    async (state) => {
      const scripted = await startScripted([
        state.includes('tool')
          ? stream(callTools(['call_1', 'bash', { command: 'sleep 1000 & wait' }]))
          : { body: [], after: 'hang' },
      ])
      const { driver } = scripted
      if (state.includes('model') || state.includes('tool')) {
        void scripted.prompt()
        await (state.includes('tool')
          ? driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
          : until(() => scripted.provider.requests.length > 0))
      }
      const exit = await driver.close()
      expect([exit.code, exit.ms < 1000]).toEqual([0, true])
      // A turn on its way is answered and closed in the log.
      if (state.includes('model') || state.includes('tool')) {
        expect(driver.messages.at(-1)?.result).toEqual({ stopReason: 'cancelled' })
        expect(scripted.events().at(-1)).toMatchObject({
          type: 'turn/end',
          data: { reason: { kind: 'disposed' } },
        })
      }
    },
  )

  it('lets a turn that is nearly done finish', async () => {
    const scripted = await startScripted([
      stream(callTools(['call_1', 'bash', { command: 'sleep 0.1; echo late' }])),
      stream(say('Made it.')),
    ])
    void scripted.prompt()
    await scripted.driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
    expect((await scripted.driver.close()).code).toBe(0)
    expect(scripted.driver.messages.at(-1)?.result).toEqual({ stopReason: 'end_turn' })
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('comes with %s, in order', async (signal) => {
    const scripted = await startScripted([
      stream(callTools(['call_1', 'bash', { command: 'sleep 1000' }])),
    ])
    void scripted.prompt()
    await scripted.driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
    scripted.driver.child.kill(signal)
    expect(await scripted.driver.exited).toMatchObject({ code: 0 })
    expect(scripted.events().at(-1)?.type).toBe('turn/end')
  })

  it('comes when the reader of stdout goes away', async () => {
    const scripted = await startScripted([
      stream(callTools(['call_1', 'bash', { command: 'sleep 0.2; yes | head -c 300000' }])),
      stream(say('Oh.')),
    ])
    void scripted.prompt().catch(() => undefined)
    await scripted.driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
    scripted.driver.child.stdout?.destroy()
    expect(await scripted.driver.exited).toMatchObject({ code: 0 })
    expect(scripted.events().at(-1)?.type).toBe('turn/end')
  })
})

describe('secrets', () => {
  it('come from .env when nothing else says them, and never reach a command', async () => {
    const provider = await startLoopback([
      stream(callTools(['call_1', 'bash', { command: 'env; echo "[$DEEPSEEK_API_KEY]"' }])),
      stream(say('Empty.')),
    ])
    const cwd = temporaryFolder('cwd')
    const root = temporaryFolder('sessions')
    writeFileSync(
      join(cwd, '.env'),
      `DEEPSEEK_API_KEY=${key}\nDEEPSEEK_BASE_URL=${provider.url}\nOTHER_SECRET=hush\n`,
    )
    const driver = startDriver({
      cwd,
      env: { RUNPROOF_MODE: 'record', RUNPROOF_SESSIONS_ROOT: root, FROM_PARENT: 'x' },
    })
    const sessionId = await openSession(driver, cwd)
    const answer = await driver.call('session/prompt', promptParams(sessionId, 'Look.'))
    await driver.close()

    expect(answer.result).toEqual({ stopReason: 'end_turn' })
    expect(provider.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
    const output = readLog(root).find((line) => line.includes('"tool/result"')) ?? ''
    expect(output).toContain('PATH=')
    for (const hidden of [key, 'hush', 'FROM_PARENT']) expect(output).not.toContain(hidden)
  })

  it('are not in the log when a file shows them', async () => {
    const scripted = await startScripted([
      stream(
        callTools(
          ['call_1', 'read', { file_path: 'notes.txt' }],
          ['call_2', 'edit', { file_path: 'notes.txt', old_string: 'one', new_string: 'two' }],
        ),
      ),
      stream(say('Seen.')),
    ])
    writeFileSync(join(scripted.cwd, 'notes.txt'), `one ${key}\n`)
    expect((await scripted.prompt()).result).toEqual({ stopReason: 'end_turn' })
    await scripted.driver.close()
    expect(readFileSync(join(scripted.cwd, 'notes.txt'), 'utf8')).toBe(`two ${key}\n`)
    const log = readLog(scripted.root).join('\n')
    expect(log).toContain('1: one [redacted]')
    const sent = JSON.stringify(scripted.provider.requests.map(({ body }) => body))
    for (const text of [log, sent, ...scripted.driver.lines]) expect(text).not.toContain(key)
  })

  it('of the environment do not go where the .env of a folder says', async () => {
    const [own, foreign] = [await startLoopback([stream(say('Hi.'))]), await startLoopback([])]
    const cwd = temporaryFolder('cwd')
    const file = join(temporaryFolder('composition'), 'cordis.yml')
    const config = {
      path: fileURLToPath(new URL('../cordis.yml', import.meta.url)),
      patches: [{ id: 'provider', config: { wire: 'deepseek', baseUrl: own.url } }],
    }
    const name = '@deepseek-ai/cordis-plugin-include'
    writeFileSync(file, JSON.stringify([{ id: 'base', name, config }]))
    writeFileSync(join(cwd, '.env'), `DEEPSEEK_BASE_URL=${foreign.url}\n`)
    const driver = startDriver({
      cwd,
      args: ['--config', file],
      env: { DEEPSEEK_API_KEY: key, RUNPROOF_SESSIONS_ROOT: temporaryFolder('sessions') },
    })
    const sessionId = await openSession(driver, cwd)
    const answer = await driver.call('session/prompt', promptParams(sessionId, 'Hello.'))
    await driver.close()
    expect(answer.result).toEqual({ stopReason: 'end_turn' })
    expect([own.requests.length, foreign.requests.length]).toEqual([1, 0])
    expect(driver.stderr()).toContain('DEEPSEEK_BASE_URL of .env is not used')
  })

  it('are not even read in a replay', async () => {
    const cwd = temporaryFolder('cwd')
    writeFileSync(join(cwd, '.env'), 'RUNPROOF_SESSION_FILE=/from/dot-env\n')
    const driver = startDriver({ cwd, env: { RUNPROOF_MODE: 'replay' } })
    expect((await driver.exited).code).toBe(2)
    expect(driver.stderr()).not.toContain('/from/dot-env')
  })
})

async function until(fact: () => boolean): Promise<void> {
  const { setTimeout: delay } = await import('node:timers/promises')
  while (!fact()) await delay(5)
}
