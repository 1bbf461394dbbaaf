/** Programs that try to leave: what they get, and what is noted of it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeAttempt, egressFact } from '../../src/fence/attempt.ts'
import { createFence, type Fence, type FenceLevel } from '../../src/fence/fence.ts'
import { launchAgent } from '../../src/launch/process.ts'

const program = join(import.meta.dirname, 'tries.mjs')

/** What this machine permits. */
const probe = await createFence({ ports: [] })
const best = probe.level
probe.close()

let emulator: Server
let port: number
beforeAll(async () => {
  emulator = createServer((request, response) => {
    if (request.url === '/stream') {
      response.write('one ')
      setImmediate(() => response.write('two '))
      setTimeout(() => response.destroy(), 20)
    } else response.end(`served ${request.method} ${request.url}`)
  })
  emulator.listen(0, '127.0.0.1')
  await once(emulator, 'listening')
  const address = emulator.address()
  if (typeof address === 'object' && address !== null) port = address.port
})
afterAll(() => void emulator.close())

type Ran = { lines: string[]; code: number | null; signal: string | null }

/** Runs a command in the fence, with its variables. */
async function run(fence: Fence, command: readonly string[]): Promise<Ran> {
  const [name = '', ...args] = fence.wrap(command)
  const child = spawn(name, args, {
    env: { PATH: process.env['PATH'] ?? '', ...fence.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { lines: output.trimEnd().split('\n'), code, signal }
}

const tries = (fence: Fence, ...wanted: string[]): Promise<Ran> =>
  run(fence, [process.execPath, program, ...wanted])

/** Gives the fence to `use` and takes it down. */
async function within(
  level: FenceLevel,
  use: (fence: Fence) => Promise<void>,
  allow: string[] = [],
): Promise<void> {
  const fence = await createFence({ ports: [port], level, allow })
  try {
    expect(fence.level).toBe(level)
    await use(fence)
  } finally {
    fence.close()
  }
}

const levels: FenceLevel[] = best === 'namespace' ? ['namespace', 'proxy'] : ['proxy']

describe.each(levels)('level %s', (level) => {
  it('leaves the way to the emulator open, with and without a proxy', async () => {
    await within(level, async (fence) => {
      const url = `http://127.0.0.1:${port}/v1/x`
      const { lines } = await tries(
        fence,
        `direct ${url}`,
        `fetch ${url}`,
        `proxied ${url}`,
        `tunnel 127.0.0.1:${port}`,
      )
      expect(lines).toEqual([
        `direct ${url} => 200 served GET /v1/x`,
        `fetch ${url} => served GET /v1/x`,
        `proxied ${url} => 200 served GET /v1/x`,
        `tunnel 127.0.0.1:${port} => 200`,
      ])
      expect(fence.attempts).toEqual([])
    })
  })

  it('refuses what a proxy is asked for, and notes it once', async () => {
    await within(level, async (fence) => {
      const wanted = [
        'proxied http://example.com/a',
        'proxied http://example.com/b',
        'tunnel api.example.com:443',
        'tunnel [2001:db8::1]:8443',
        'fetch https://models.example.com/',
      ]
      const { lines } = await tries(fence, ...wanted)
      expect(lines.map((line) => line.slice(line.indexOf('=>')))).toEqual([
        '=> 403 runproof: this run may not leave the machine',
        '=> 403 runproof: this run may not leave the machine',
        '=> 403',
        '=> 403',
        expect.stringMatching(/^=> (?!200)/),
      ])
      expect(fence.attempts.map((attempt) => describeAttempt(attempt))).toEqual([
        'example.com:80 (through the proxy)',
        'api.example.com:443 (through the proxy)',
        '2001:db8::1:8443 (through the proxy)',
        'models.example.com:443 (through the proxy)',
      ])
    })
  })

  it('tells allowed attempts from others, and refuses both', async () => {
    await within(
      level,
      async (fence) => {
        const { lines } = await tries(
          fence,
          'tunnel telemetry.example.com:443',
          'tunnel example.com:443',
        )
        expect(lines.every((line) => line.endsWith('=> 403'))).toBe(true)
        expect(fence.attempts.map((attempt) => egressFact(attempt))).toEqual([
          { egress: { host: 'telemetry.example.com', port: 443, via: 'proxy', allowed: true } },
          { egress: { host: 'example.com', port: 443, via: 'proxy', allowed: false } },
        ])
      },
      ['*.example.com:443'],
    )
  })

  it('passes streams on piece by piece, and their breaking off', async () => {
    await within(level, async (fence) => {
      const code = `
        const { get } = await import('node:http')
        get('http://127.0.0.1:${port}/stream', (response) => {
          response.on('data', (data) => console.log(String(data)))
          response.on('error', () => console.log('broken', response.complete))
        })`
      const { lines } = await run(fence, [process.execPath, '--input-type=module', '-e', code])
      expect(lines).toEqual(['one ', 'two ', 'broken false'])
    })
  })

  it('is the same process with the same stdio, folder, exit code and signal', async () => {
    await within(level, async (fence) => {
      const exits = await run(fence, [
        process.execPath,
        '-e',
        'console.log(process.cwd()); process.exit(7)',
      ])
      expect(exits).toEqual({ lines: [process.cwd()], code: 7, signal: null })
      const dies = await run(fence, [
        process.execPath,
        '-e',
        'process.kill(process.pid, "SIGTERM")',
      ])
      expect(dies.signal).toBe('SIGTERM')
      const [name = '', ...args] = fence.wrap([
        process.execPath,
        '-e',
        'process.stdin.pipe(process.stdout)',
      ])
      const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      const bytes = Buffer.from(
        Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256),
      )
      child.stdin.end(bytes)
      expect((await buffer(child.stdout)).equals(bytes)).toBe(true)
    })
  })

  it('holds an agent that the harness starts and ends, and leaves nothing behind', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fence-')))
    await within(level, async (fence) => {
      const command = fence.wrap([
        process.execPath,
        '-e',
        'process.stdin.resume(); console.log(process.pid)',
      ])
      const tree = { pids: [], folder }
      const agent = await launchAgent({
        command,
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: `${folder}/home`, ...fence.env },
        tree,
        exitMs: 5_000,
        settleMs: 300,
      })
      const said: string[] = []
      for await (const batch of agent.lines) {
        said.push(...batch.map((line) => line.text))
        void agent.stop()
      }
      expect(said).toEqual([String(tree.pids[0])])
      expect(await agent.stop()).toEqual({ exitCode: 0, signal: null, forced: null, leftovers: [] })
    })
    rmSync(folder, { recursive: true })
  })
})

const onNamespaces =
  best === 'namespace' ? 'in a namespace' : `in a namespace (skipped: ${probe.reason})`

describe.skipIf(best !== 'namespace')(onNamespaces, () => {
  it('there is no other way, and what ignores the proxy is noted too', async () => {
    await within('namespace', async (fence) => {
      const other = createServer((_, response) => void response.end('not for you')).listen(
        0,
        '127.0.0.1',
      )
      await once(other, 'listening')
      const address = other.address()
      const otherPort = typeof address === 'object' ? address?.port : 0
      const { lines } = await tries(
        fence,
        'name play.example.com',
        'name play.example.com',
        'direct http://stats.example.com/',
        'address 198.51.100.7:443',
        'address 198.51.100.8:80',
        'address 198.51.100.9:9418',
        'address 2001:db8::1:4317',
        `address 127.0.0.1:${otherPort}`,
      )
      other.close()
      expect(lines.map((line) => line.slice(line.indexOf('=>')))).toEqual([
        '=> ENOTFOUND',
        '=> ENOTFOUND',
        '=> ENOTFOUND',
        '=> ECONNRESET',
        '=> ECONNRESET',
        '=> ECONNREFUSED',
        '=> ECONNREFUSED',
        '=> ECONNREFUSED',
      ])
      await fence.settle()
      expect(fence.attempts.map((attempt) => describeAttempt(attempt))).toEqual([
        'play.example.com (looked up)',
        'stats.example.com (looked up)',
        '198.51.100.7:443 (directly)',
        '198.51.100.8:80 (directly)',
        // Noted when they were closed.
        '198.51.100.9:9418 (directly)',
        '2001:db8::1:4317 (directly)',
      ])
    })
  })

  it('programs reach each other', async () => {
    await within('namespace', async (fence) => {
      const code = `
        const { createServer } = await import('node:http')
        const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1', async () => {
          console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text())
          server.close()
        })`
      expect(
        (await run(fence, [process.execPath, '--input-type=module', '-e', code])).lines,
      ).toEqual(['hello'])
      expect(fence.attempts).toEqual([])
    })
  })

  it('nothing is left of it when it is closed', async () => {
    const fence = await createFence({ ports: [port] })
    const [, , holder = ''] = fence.wrap([])
    expect(readFileSync(`/proc/${holder}/cmdline`, 'utf8')).toContain('inside')
    fence.close()
    fence.close()
    const isAlive = (): boolean => {
      try {
        return !readFileSync(`/proc/${holder}/stat`, 'latin1').includes(') Z ')
      } catch {
        return false
      }
    }
    while (isAlive()) await new Promise((resolve) => setImmediate(resolve))
    expect(isAlive()).toBe(false)
  })
})

it('says why there is no namespace, and goes on with the proxy', async () => {
  const path = process.env['PATH']
  process.env['PATH'] = import.meta.dirname
  const fence = await createFence({ ports: [] })
  process.env['PATH'] = path
  expect(fence.level).toBe('proxy')
  expect(fence.reason).toMatch(process.platform === 'linux' ? /unshare/ : /Linux/)
  fence.close()
})
