/** The n-th operation on the file fails, for every n until none does. */
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSessionLog } from '@runproof/session-log'
import type { SessionEvent } from '@runproof/session-log'
import { openSessionLog } from '@runproof/session-log/node'
import type { LogHandle, OpenFile } from '@runproof/session-log/node'
import { createClock, makeFolder } from './folder.ts'
import { header } from './header.ts'

type Fault = (operation: string) => boolean

/** Real files whose operations fail when `fault` says so; a failing write has written half. */
function createFaultyFiles(fault: Fault): OpenFile {
  return async (path, flags) => {
    fail('open')
    const handle = await open(path, flags)
    return {
      async write(bytes, offset, length) {
        if (!fault('write')) return handle.write(bytes, offset, length)
        await handle.write(bytes, offset, Math.floor(length / 2))
        throw broken('write')
      },
      truncate: (length) => run('truncate', () => handle.truncate(length)),
      datasync: () => run('datasync', () => handle.datasync()),
      close: () => handle.close(),
    } satisfies LogHandle
  }

  function fail(operation: string): void {
    if (fault(operation)) throw broken(operation)
  }

  async function run(operation: string, body: () => Promise<void>): Promise<void> {
    fail(operation)
    await body()
  }
}

function broken(operation: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${operation}`), {
    code: 'ENOSPC',
  })
}

type Outcome = { acknowledged: SessionEvent[]; failures: unknown[]; file: string }

/** Three turns with checkpoints, on whatever files; goes on after failures as an agent would. */
async function writeThreeTurns(openFile: OpenFile): Promise<Outcome> {
  const file = join(makeFolder(), 'sub', 's.jsonl')
  const log = await openSessionLog({ file, header, clock: createClock(), openFile })
  const outcome: Outcome = { acknowledged: [], failures: [], file }
  const attempt = async (body: () => Promise<SessionEvent[] | void>): Promise<void> => {
    try {
      outcome.acknowledged.push(...((await body()) ?? []))
    } catch (reason) {
      outcome.failures.push(reason)
    }
  }
  for (const turn of [1, 2, 3]) {
    await attempt(() => log.append([{ type: 'turn/start', data: { turn } }]))
    await attempt(() => log.checkpoint())
    await attempt(() =>
      log.append([
        { type: 'test/note', data: { text: 'ü'.repeat(50) } },
        { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
      ]),
    )
    await attempt(() => log.checkpoint())
  }
  await attempt(() => log.close())
  expect(log.events).toEqual(outcome.acknowledged)
  return outcome
}

async function countOperations(): Promise<number> {
  let count = 0
  await writeThreeTurns(
    createFaultyFiles(() => {
      count++
      return false
    }),
  )
  return count
}

/** Fails the n-th operation of one kind. */
function failNth(operation: string, n: number): Fault {
  let at = 0
  return (name) => name === operation && ++at === n
}

/** Real files that take only a part of each write. */
function createDrippingFiles(part: (length: number) => number): OpenFile {
  return async (path, flags) => {
    const handle = await open(path, flags)
    return {
      async write(bytes, offset, length) {
        const count = part(length)
        return count === 0 ? { bytesWritten: 0 } : handle.write(bytes, offset, count)
      },
      truncate: (length) => handle.truncate(length),
      datasync: () => handle.datasync(),
      close: () => handle.close(),
    }
  }
}

describe('when the n-th operation fails', () => {
  it('the log holds what was acknowledged and nothing else, for every n', async () => {
    const count = await countOperations()
    expect(count).toBeGreaterThan(12)
    for (let n = 1; n <= count; n++) {
      let at = 0
      const { acknowledged, failures, file } = await writeThreeTurns(
        createFaultyFiles(() => ++at === n),
      )
      expect(failures.length).toBeGreaterThan(0)
      for (const failure of failures) expect(failure).toMatchObject({ code: 'io', file })
      const log = parseSessionLog(readFileSync(file, 'utf8'))
      expect(log).toMatchObject({ issue: null, torn: null, events: acknowledged })
      const again = await openSessionLog({ file, clock: createClock() })
      expect(again.events.slice(0, acknowledged.length)).toEqual(acknowledged)
      await again.close()
    }
  })

  it('goes on after a failed write, and stops after a failed sync', async () => {
    const afterWrite = await writeThreeTurns(createFaultyFiles(failNth('write', 2)))
    expect(afterWrite.failures).toHaveLength(1)
    expect(afterWrite.acknowledged).toHaveLength(7)
    expect(String(afterWrite.failures[0])).toMatch(/nothing was appended: ENOSPC/)

    const afterSync = await writeThreeTurns(createFaultyFiles(failNth('datasync', 1)))
    expect(afterSync.acknowledged).toHaveLength(1)
    expect(String(afterSync.failures[0])).toMatch(/cannot be synced.*open the log again/)
  })

  it('is broken when the roll-back fails too; the next opening cuts the rest off', async () => {
    let writes = 0
    const files = createFaultyFiles(
      (name) => name === 'truncate' || (name === 'write' && ++writes === 3),
    )
    const { acknowledged, failures, file } = await writeThreeTurns(files)
    expect(acknowledged).toHaveLength(3)
    expect(String(failures[0])).toMatch(/cannot cut off an unfinished append/)
    const again = await openSessionLog({ file, clock: createClock() })
    expect(again.recovery.tornBytes).toBeGreaterThan(0)
    expect(again.events).toEqual(acknowledged)
    await again.close()
  })

  it('a short write is completed, and a file that takes nothing is an error', async () => {
    const dripped = await writeThreeTurns(createDrippingFiles((length) => Math.ceil(length / 3)))
    expect(dripped.failures).toEqual([])
    expect(parseSessionLog(readFileSync(dripped.file, 'utf8')).events).toEqual(dripped.acknowledged)

    const full = await writeThreeTurns(createDrippingFiles(() => 0))
    expect(full.acknowledged).toEqual([])
    expect(String(full.failures[0])).toMatch(/takes no more bytes/)
  })

  it('an existing log that cannot be opened gives its lock back', async () => {
    const { file } = await writeThreeTurns(open)
    const noOpen = createFaultyFiles((name) => name === 'open')
    const options = { file, clock: createClock() }
    await expect(openSessionLog({ ...options, openFile: noOpen })).rejects.toMatchObject({
      code: 'io',
    })
    await (await openSessionLog(options)).close()
  })
})
