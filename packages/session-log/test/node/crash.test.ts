/** Kill -9 at every operation: no acknowledged event is lost and the log always loads. */
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deriveClosers, parseSessionLog, serializeEvent } from '@runproof/session-log'
import { openSessionLog, readSessionLog } from '@runproof/session-log/node'
import { createClock, makeFolder } from './folder.ts'

const writer = fileURLToPath(new URL('crashing-writer.ts', import.meta.url))

/** `acknowledged`: lines of the log that the writer was promised. */
type Run = { acknowledged: string[]; killed: boolean; stderr: string }

/** Compiled sources, filled by one run that is let live: a killed process keeps none. */
let compileCache: string

beforeAll(async () => {
  compileCache = mkdtempSync(join(tmpdir(), 'runproof-compiled-'))
  await runWriter(join(compileCache, 'session.jsonl'), '0', 'in', 'first')
})

afterAll(() => rmSync(compileCache, { recursive: true, force: true }))

function startProgram(program: string, ...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, ['--conditions=@runproof/source', program, ...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
}

async function runWriter(...args: string[]): Promise<Run> {
  const child = startProgram(writer, ...args)
  const exit = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('close', (_code, signal) => resolve(signal))
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const acknowledged = stdout.split('\n').filter((line) => line !== '')
  return { acknowledged, killed: (await exit) === 'SIGKILL', stderr }
}

async function expectIntact(file: string, acknowledged: string[]): Promise<void> {
  const { events } = await readSessionLog(file)
  const lines = new Set(events.map((event) => serializeEvent(event)))
  expect(acknowledged.filter((line) => !lines.has(line))).toEqual([])
  expect(deriveClosers([...events, ...deriveClosers(events)])).toEqual([])
}

const moments = ['in', 'after']

describe('killed at its n-th operation', () => {
  it.concurrent.for(moments)(
    '%s it, for every n, on one log that goes on and on',
    async (moment, { onTestFinished }) => {
      const file = join(makeFolder(onTestFinished), 'deep', 'session.jsonl')
      const acknowledged: string[] = []
      let runs = 0
      let killed = true
      while (killed) {
        runs++
        const run = await runWriter(file, String(runs), moment, `${moment} ${runs}`)
        expect(run.stderr).toBe('')
        acknowledged.push(...run.acknowledged)
        killed = run.killed
        if (acknowledged.length > 0) await expectIntact(file, acknowledged)
      }
      expect(runs).toBeGreaterThan(10)
      expect(parseSessionLog(readFileSync(file, 'utf8')).torn).toBeNull()
    },
  )
})

describe('the lock', () => {
  it('keeps writers apart that open, append and close as fast as they can', async () => {
    const file = join(makeFolder(), 'session.jsonl')
    const racer = fileURLToPath(new URL('racing-writer.ts', import.meta.url))
    const runs = await Promise.all(
      [1, 2, 3].map(async () => {
        return text(startProgram(racer, file, '60').stderr)
      }),
    )
    expect(runs).toEqual(['', '', ''])
    // Two at once would have written the same `seq` twice.
    const { events } = await readSessionLog(file)
    expect(events).toHaveLength(180)
    expect(new Set(events.map(({ data }) => JSON.stringify(data))).size).toBe(180)
  })

  it('names the living writer, and falls with its death', async () => {
    const file = join(makeFolder(), 'session.jsonl')
    // Acknowledges its first batch, then halts with the log open.
    const child = startProgram(writer, file, '3', 'stop', 'first')
    const closed = new Promise((resolve) => child.once('close', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const options = { file, clock: createClock() }
    await expect(openSessionLog(options)).rejects.toMatchObject({ code: 'locked', file })
    await expect(openSessionLog(options)).rejects.toThrow(`in process ${child.pid} on `)
    child.kill('SIGKILL')
    await closed
    await (await openSessionLog(options)).close()
  })
})
