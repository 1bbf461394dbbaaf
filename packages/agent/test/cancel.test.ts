/** A cancelled turn stops what it does, says so once, and leaves a log that goes on. */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callTools, expectDerivedRequests, prefix, say, stream, type Reply } from './loopback.ts'
import { cardsOf, startScripted, type Scripted } from './run.ts'
import { readLog } from './scenario.ts'

const half = prefix(stream(say('half ', 'a ', 'word')), 3, 'hang')
const goOn = stream(say('Still here.'))
const cancelled = { stopReason: 'cancelled' }

async function cancel({ driver, sessionId }: Scripted): Promise<void> {
  driver.notify('session/cancel', { sessionId })
}

/** The session answers another prompt, and its log derives every request that was sent. */
async function expectUsable(scripted: Scripted, unsent = 0): Promise<void> {
  expect((await scripted.prompt('Again.')).result).toEqual({ stopReason: 'end_turn' })
  await scripted.driver.close()
  expectDerivedRequests(readLog(scripted.root), scripted.provider.requests, { unsent })
  const ends = scripted.events().filter(({ type }) => type === 'turn/end')
  expect(ends.map(({ data }) => data['reason'])).toEqual([
    { kind: 'aborted', reason: 'session/cancel' },
    { kind: 'completed' },
  ])
}

/** Polls the world, not the agent; the limit is the test's own. */
async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await delay(10)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid)
  } catch {
    return false
  }
}

function isZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

describe('cancelling', () => {
  it('before the model says anything', async () => {
    const scripted = await startScripted([{ body: [], after: 'hang' }, goOn])
    const answer = scripted.prompt()
    await until(() => scripted.provider.requests.length === 1)
    await cancel(scripted)
    expect((await answer).result).toEqual(cancelled)
    await scripted.provider.abandoned
    await expectUsable(scripted)
  })

  it('before the request is sent', async () => {
    const scripted = await startScripted([goOn, goOn])
    const answer = scripted.prompt()
    await cancel(scripted)
    expect((await answer).result).toEqual(cancelled)
    expect(scripted.provider.requests).toEqual([])
    await expectUsable(scripted, 1)
  })

  it('while the answer streams', async () => {
    const scripted = await startScripted([half, goOn])
    const answer = scripted.prompt()
    await scripted.driver.waitFor(({ method }) => method === 'session/update')
    await cancel(scripted)
    expect((await answer).result).toEqual(cancelled)
    await scripted.provider.abandoned
    const types = scripted.events().map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['assistant/chunk', 'step/end', 'turn/end'])
    await expectUsable(scripted)
  })

  it('by $/cancel_request', async () => {
    const scripted = await startScripted([half, goOn])
    const answer = scripted.prompt()
    await scripted.driver.waitFor(({ method }) => method === 'session/update')
    // initialize, session/new, session/prompt.
    scripted.driver.notify('$/cancel_request', { requestId: 3 })
    expect((await answer).result).toEqual(cancelled)
    await expectUsable(scripted)
  })

  it('twice, when idle, and for a session that is not there: nothing happens', async () => {
    const scripted = await startScripted([half, goOn])
    await cancel(scripted)
    scripted.driver.notify('session/cancel', { sessionId: 'nobody' })
    const answer = scripted.prompt()
    await scripted.driver.waitFor(({ method }) => method === 'session/update')
    await cancel(scripted)
    await cancel(scripted)
    expect((await answer).result).toEqual(cancelled)
    await expectUsable(scripted)
  })

  it.skipIf(process.platform !== 'linux').each([
    { title: 'a child', command: 'sleep 1000 & echo $! >> pids; wait' },
    { title: 'a grandchild', command: `sh -c 'sleep 1000 & echo $! >> pids; wait'` },
    {
      title: 'a child that ignores the signals it can',
      command: `trap '' TERM INT HUP; sleep 1000 & echo $! >> pids; wait`,
    },
    {
      title: 'a child in a session of its own',
      command: `setsid sh -c 'echo $$ >> pids; exec sleep 1000' & wait`,
    },
    {
      title: 'an orphan in a session of its own',
      command: `(setsid sh -c 'echo $$ >> pids; exec sleep 1000' &) ; sleep 1000`,
    },
  ])('while a tool runs ends $title (needs /proc)', async ({ command }) => {
    const script: Reply[] = [stream(callTools(['call_1', 'bash', { command }])), goOn]
    const scripted = await startScripted(script)
    const answer = scripted.prompt()
    const file = join(scripted.cwd, 'pids')
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
    const pids = readFileSync(file, 'utf8').trim().split('\n').map(Number)
    expect(pids.every(isAlive)).toBe(true)

    await cancel(scripted)
    expect((await answer).result).toEqual(cancelled)
    await until(() => !pids.some(isAlive))
    // The card does not stay open, and the provider will accept the history.
    expect(cardsOf(scripted.driver, 'call_1').at(-1)).toMatchObject({ status: 'failed' })
    await expectUsable(scripted)
  })

  it.skipIf(process.platform !== 'linux')(
    'is not held up by a process that shed every mark and keeps the output open (needs /proc)',
    async () => {
      const command = `env -i /usr/bin/setsid --wait /bin/sh -c 'sleep 30 & echo $! > pids'`
      const scripted = await startScripted([
        stream(callTools(['call_1', 'bash', { command }])),
        goOn,
      ])
      const startedAt = performance.now()
      expect((await scripted.prompt()).result).toEqual({ stopReason: 'end_turn' })
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      await scripted.driver.close()
      const pid = Number(readFileSync(join(scripted.cwd, 'pids'), 'utf8'))
      process.kill(pid, 'SIGKILL')
    },
  )

  it('starts nothing of what was still to come, and gives every call a result', async () => {
    const scripted = await startScripted([
      stream(
        callTools(
          ['call_1', 'bash', { command: 'echo on; sleep 1000' }],
          ['call_2', 'write', { file_path: 'late.txt', content: 'late' }],
        ),
      ),
      goOn,
    ])
    const answer = scripted.prompt()
    await scripted.driver.waitFor(({ params }) => JSON.stringify(params ?? '').includes('call_1'))
    await cancel(scripted)
    expect((await answer).result).toEqual(cancelled)
    expect(existsSync(join(scripted.cwd, 'late.txt'))).toBe(false)
    // It never began, so the screen never had it.
    expect(cardsOf(scripted.driver, 'call_2')).toEqual([])
    const results = scripted.events().filter(({ type }) => type === 'tool/result')
    expect(results.map(({ data }) => [data['callId'], data['isError']])).toEqual([
      ['call_1', true],
      ['call_2', true],
    ])
    await expectUsable(scripted)
  })
})
