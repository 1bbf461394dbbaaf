import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createInterface } from 'node:readline'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { main } from '../../src/cli.ts'
import { runEmulate } from '../../src/emulate/command.ts'
import type { EmulateOptions } from '../../src/emulate/options.ts'

const fixtures = join(import.meta.dirname, '../../../../fixtures')
const twice = join(fixtures, 'recording/valid/twice.deepseek.jsonl')
const kitchen = join(fixtures, 'replay/kitchen/session.jsonl')

const coin = {
  model: 'garden-1',
  stream: true,
  messages: [{ role: 'user', content: 'Heads or tails?' }],
}

const createTerminal = (env: Record<string, string> = {}) => ({
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env,
})

type Running = {
  url: string
  stdin: PassThrough
  ask: (body: unknown, path?: string) => Promise<Response>
  /** Ends it; the lines after the first. */
  stop: () => Promise<{ code: number; lines: string[]; stderr: string }>
}

/** Runs the command until it says its address. */
async function start(files: string[], options: EmulateOptions = {}, env = {}): Promise<Running> {
  const terminal = createTerminal(env)
  const stopped = Promise.withResolvers<void>()
  const code = runEmulate(files, options, terminal, stopped.promise)
  const lines: string[] = []
  const first = Promise.withResolvers<string>()
  createInterface({ input: terminal.stdout }).on('line', (line) => {
    lines.push(line)
    first.resolve(line)
  })
  const stderr = textOf(terminal.stderr)
  const address = await Promise.race([first.promise, code.then(() => '')])
  const url: string = options.json === true ? JSON.parse(address).url : address
  onTestFinished(() => stopped.resolve())
  return {
    url,
    stdin: terminal.stdin,
    ask: (body, path = '/chat/completions') =>
      fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) }),
    async stop() {
      stopped.resolve()
      const result = await code
      terminal.stdout.end()
      terminal.stderr.end()
      return { code: result, lines: lines.slice(1), stderr: await stderr }
    },
  }
}

describe('runproof emulate', () => {
  it('serves a recording, tells what was asked, and all was', async () => {
    const { url, ask, stop } = await start([twice])
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await ask(coin)).text()).toContain('Heads.')
    expect(await (await ask(coin)).text()).toContain('Tails.')
    expect(await stop()).toEqual({
      code: 0,
      lines: [
        `POST /chat/completions => recorded 1 of ${twice}`,
        `POST /chat/completions => recorded 2 of ${twice}`,
        '2 requests, 0 not recorded; 0 recorded never asked for',
      ],
      stderr: '',
    })
  })

  it('fails for what was not recorded and for what nobody asked for, and says both', async () => {
    const { ask, stop } = await start([twice], { json: true })
    expect((await ask({ ...coin, model: 'garden-2\u001b[31m' })).status).toBe(400)
    const { code, lines, stderr } = await stop()
    expect(code).toBe(1)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { request: { outcome: 'miss', miss: { code: 'request-mismatch', exchange: 1 } } },
      { unused: { file: twice, exchange: 1 } },
      { unused: { file: twice, exchange: 2 } },
      { end: true, requests: 1, misses: 1, unused: 2 },
    ])
    expect(stderr).toContain('body.model')
    expect(stderr + lines.join('')).not.toContain('\u001b')
  })

  it('names what nobody asked for', async () => {
    const { stop } = await start([twice])
    expect((await stop()).lines[0]).toBe(`never asked for: 1 of ${twice}`)
  })

  it('serves a session log as the wire it is told, from the folder it is told', async () => {
    const { ask, stop } = await start([kitchen], { wire: 'anthropic', cwd: '/live', repeat: true })
    const tools = [{ name: 'bash', input_schema: {} }]
    const messages = [{ role: 'user', content: 'List the pantry.' }]
    const response = await ask({ stream: true, tools, messages }, '/v1/messages')
    expect(await response.text()).toContain('event: message_stop')
    expect((await stop()).lines[0]).toBe(`POST /v1/messages => scripted 1 of ${kitchen}`)
  })

  it('answers auxiliary calls when it is told to', async () => {
    const { ask, stop } = await start([kitchen], { wire: 'anthropic', auxiliary: true })
    expect(
      (await ask({ messages: [{ role: 'user', content: 'A title?' }] }, '/v1/messages')).status,
    ).toBe(200)
    expect((await stop()).lines[0]).toBe('POST /v1/messages => auxiliary')
  })

  it('at pace step, lets out what stdin says', async () => {
    const { ask, stdin, stop } = await start([twice], { pace: 'step' })
    const response = await ask(coin)
    const reader = response.body?.getReader()
    const read = async (): Promise<string> =>
      new TextDecoder().decode((await reader?.read())?.value)
    stdin.write('\n')
    expect(await read()).toMatch(/^data: .*\n\n$/)
    stdin.write('2\n')
    let seen = ''
    while (seen.split('data: ').length < 3) seen += await read()
    expect(seen.split('data: ')).toHaveLength(3)
    await reader?.cancel()
    expect((await stop()).code).toBe(1)
  })

  it('takes secrets out of requests when the recording has none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emulate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'recording.jsonl')
    const lines = [
      { type: 'recording', version: 1, wire: 'deepseek', source: 'authored' },
      {
        type: 'exchange/request',
        n: 1,
        method: 'POST',
        path: '/chat/completions',
        headers: {},
        key: '',
        body: { messages: [{ role: 'user', content: 'My key is {{secret:1}}.' }] },
      },
      { type: 'exchange/response', n: 1, status: 200, headers: {} },
      { type: 'exchange/body', n: 1, body: '{"ok":true}' },
      { type: 'exchange/end', n: 1, kind: 'eof' },
    ]
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { ask, stop } = await start([file], {}, { GARDEN_API_KEY: 'walnut-shells-7781-ripe' })
    const content = 'My key is walnut-shells-7781-ripe.'
    expect((await ask({ messages: [{ role: 'user', content }] })).status).toBe(200)
    expect((await stop()).code).toBe(0)
  })

  it.each([{}, { json: true }])('tells no secret of the environment: %o', async (options) => {
    const key = 'walnut-shells-7781-ripe'
    const { ask, stop } = await start([twice], options, { GARDEN_API_KEY: key })
    await ask({ messages: [{ role: 'user', content: `My key is ${key}.` }] })
    await ask({}, `/bot${key}/say`)
    const { lines, stderr } = await stop()
    const told = lines.join('\n')
    expect(told).toContain('/bot{{secret:1}}/say')
    expect(stderr).toContain('My key is {{secret:1}}.')
    expect(told + stderr).not.toContain(key)
  })

  it.each<[string, string[], EmulateOptions, string]>([
    ['usage', [kitchen], {}, '--wire'],
    ['usage', [twice], { port: '65536' }, '--port'],
    ['usage', [twice], { port: 'http' }, '--port'],
    ['usage', [twice], { pace: 'x0' }, '--pace'],
    ['usage', [twice], { wire: 'telegraph' }, '--wire'],
    ['unreadable', ['/nowhere.jsonl'], {}, '/nowhere.jsonl'],
    ['unreadable', [join(fixtures, 'recording/PROVENANCE.md')], {}, 'PROVENANCE.md:1'],
  ])('refuses what it cannot use: %s %j %o', async (code, files, options, words) => {
    const running = runEmulate(files, options, createTerminal(), Promise.resolve())
    await expect(running).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })

  it('refuses a recording whose bytes were damaged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emulate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'recording.jsonl')
    const bytes = readFileSync(twice)
    bytes[bytes.lastIndexOf('ails')] = 0xff
    writeFileSync(file, bytes)
    const running = runEmulate([file], {}, createTerminal(), Promise.resolve())
    await expect(running).rejects.toMatchObject({
      code: 'unreadable',
      message: `${file} is damaged: it is no UTF-8 text`,
    })
  })

  it('exits 3 when the port is taken', async () => {
    const { url } = await start([twice])
    const running = start([twice], { port: new URL(url).port })
    await expect(running).rejects.toMatchObject({ exitCode: 3 })
  })

  it('understands xN', async () => {
    const { ask, stop } = await start([twice], { pace: 'x1000', json: true })
    expect((await ask(coin)).status).toBe(200)
    await stop()
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends when the process gets %s', async (signal) => {
    const bin = join(import.meta.dirname, '../../bin/runproof.js')
    const child = spawn(process.execPath, [bin, 'emulate', twice], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (lines.push(line) === 1) child.kill(signal)
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect([code, lines.at(-1)]).toEqual([
      1,
      '0 requests, 0 not recorded; 2 recorded never asked for',
    ])
  })

  it('has a help with examples', async () => {
    const terminal = createTerminal()
    const stdout = textOf(terminal.stdout)
    expect(await main(['emulate', '--help'], terminal)).toBe(0)
    terminal.stdout.end()
    expect(await stdout).toContain('runproof emulate recording.jsonl --port 4010')
  })
})
