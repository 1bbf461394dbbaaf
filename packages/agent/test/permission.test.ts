/** Who may do what without asking, and what happens when somebody is asked. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Message } from './driver.ts'
import { at, objectsAt, type Json } from './json.ts'
import { callTools, expectDerivedRequests, say, stream } from './loopback.ts'
import { cardsOf, startScripted } from './run.ts'
import { readLog, temporaryFolder } from './scenario.ts'

const allow = { outcome: { outcome: 'selected', optionId: 'allow-once' } }
const reject = { outcome: { outcome: 'selected', optionId: 'reject-once' } }

type Call = [name: string, args: Json]
const run: Call = ['bash', { command: 'echo hi' }]
const readInside: Call = ['read', { file_path: 'inside.txt' }]
const readOutside: Call = ['read', { file_path: '../outside.txt' }]
const writeInside: Call = ['write', { file_path: 'new.txt', content: 'x' }]
const writeOutside: Call = ['write', { file_path: '/tmp/runproof-never-written', content: 'x' }]
const writeThroughLink: Call = ['write', { file_path: 'link/new.txt', content: 'x' }]
const writeThroughDeadLink: Call = ['write', { file_path: 'dead-link', content: 'x' }]
/** The link's target is relative to where the link really is, which the way to it does not show. */
const writeThroughDeepLink: Call = ['write', { file_path: 'a/b/c/way/dead', content: 'x' }]
const editInside: Call = ['edit', { file_path: 'inside.txt', old_string: 'a', new_string: 'b' }]
const plan: Call = ['todo_write', { todos: [] }]

const table: { mode: string; asks: Call[]; free: Call[] }[] = [
  {
    mode: 'read-only',
    asks: [
      run,
      readOutside,
      writeInside,
      writeOutside,
      writeThroughLink,
      writeThroughDeadLink,
      writeThroughDeepLink,
      editInside,
    ],
    free: [readInside, plan],
  },
  {
    mode: 'workspace-write',
    asks: [
      run,
      readOutside,
      writeOutside,
      writeThroughLink,
      writeThroughDeadLink,
      writeThroughDeepLink,
    ],
    free: [readInside, writeInside, editInside, plan],
  },
  { mode: 'danger-full-access', asks: [], free: [run, readInside, readOutside, writeInside, plan] },
]

describe('what must be asked for', () => {
  it.each(table)('$mode', async ({ mode, asks, free }) => {
    const calls = [...asks, ...free]
    const asked: string[] = []
    const scripted = await startScripted(
      [
        stream(
          callTools(
            ...calls.map(([name, args], i) => [`call_${i}`, name, args] as [string, string, Json]),
          ),
        ),
        stream(say('Done.')),
      ],
      {
        answer: ({ params }: Message) => {
          asked.push(String(at(params, 'toolCall', 'toolCallId')))
          return reject
        },
      },
    )
    const outside = temporaryFolder('outside')
    writeFileSync(join(scripted.cwd, 'inside.txt'), 'a\n')
    symlinkSync(outside, join(scripted.cwd, 'link'))
    symlinkSync(join(outside, 'nothing-yet'), join(scripted.cwd, 'dead-link'))
    mkdirSync(join(scripted.cwd, 'a/b/c'), { recursive: true })
    mkdirSync(join(scripted.cwd, 'd'))
    symlinkSync(join(scripted.cwd, 'd'), join(scripted.cwd, 'a/b/c/way'))
    symlinkSync(join('../..', basename(outside), 'new'), join(scripted.cwd, 'd/dead'))
    expect((await scripted.setMode(mode)).result).toMatchObject({
      configOptions: [{ id: 'permission', currentValue: mode }],
    })
    expect((await scripted.prompt()).result).toEqual({ stopReason: 'end_turn' })
    await scripted.driver.close()

    expect(asked).toEqual(asks.map((_, i) => `call_${i}`))
    // What was rejected did not happen.
    if (asks.includes(writeInside)) expect(existsSync(join(scripted.cwd, 'new.txt'))).toBe(false)
    expect(readdirSync(outside)).toEqual([])
    expect(existsSync('/tmp/runproof-never-written')).toBe(false)
    expectDerivedRequests(readLog(scripted.root), scripted.provider.requests)
  })
})

const script = () => [stream(callTools(['call_1', ...run])), stream(say('Done.'))]

describe('a call that must be approved', () => {
  it('is pending while the question is open, then in progress, then done', async () => {
    let statusWhenAsked: unknown
    const scripted = await startScripted(script(), {
      answer: () => {
        statusWhenAsked = cardsOf(scripted.driver, 'call_1').at(-1)?.['status']
        return allow
      },
    })
    await scripted.setMode('workspace-write')
    await scripted.prompt()
    await scripted.driver.close()

    expect(statusWhenAsked).toBe('pending')
    expect(cardsOf(scripted.driver, 'call_1').map(({ status }) => status)).toEqual([
      'pending',
      'in_progress',
      'completed',
    ])
    const question = scripted.driver.messages.find(
      ({ method }) => method === 'session/request_permission',
    )
    expect(question?.params).toEqual({
      sessionId: scripted.sessionId,
      toolCall: { toolCallId: 'call_1' },
      options: [
        { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
        { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
      ],
    })
    const types = scripted.events().map(({ type }) => type)
    expect(types.slice(0, 3)).toEqual(['turn/start', 'permission/preset', 'user/message'])
    expect(types.filter((type) => /^(tool|approval)\//.test(type))).toEqual([
      'tool/call',
      'approval/asked',
      'approval/decided',
      'tool/result',
    ])
  })

  it.each([
    { title: 'rejected', answer: reject, outcome: 'rejected', says: 'did not allow' },
    {
      title: 'cancelled',
      answer: { outcome: { outcome: 'cancelled' } },
      outcome: 'cancelled',
      says: 'did not run',
    },
    {
      title: 'answered with an option that was not offered',
      answer: { outcome: { outcome: 'selected', optionId: 'allow-always' } },
      outcome: 'rejected',
      says: 'did not allow',
    },
    {
      title: 'not understood by the editor',
      answer: null,
      outcome: 'unavailable',
      says: 'nobody could be asked',
    },
  ])('does not run when it is $title', async ({ answer, outcome, says }) => {
    const scripted = await startScripted(
      [
        stream(
          callTools([
            'call_1',
            'write',
            { file_path: '/tmp/runproof-never-written', content: 'x' },
          ]),
        ),
        stream(say('Oh.')),
      ],
      answer ? { answer: () => answer } : {},
    )
    await scripted.setMode('workspace-write')
    expect((await scripted.prompt()).result).toEqual({ stopReason: 'end_turn' })
    await scripted.driver.close()

    expect(existsSync('/tmp/runproof-never-written')).toBe(false)
    expect(scripted.events().find(({ type }) => type === 'approval/decided')?.data).toMatchObject({
      outcome,
    })
    expect(cardsOf(scripted.driver, 'call_1').map(({ status }) => status)).toEqual([
      'pending',
      'failed',
    ])
    // The model hears it.
    expect(JSON.stringify(scripted.provider.requests[1]?.body)).toContain(says)
  })

  it('ends with the turn when the turn is cancelled while the question is open', async () => {
    const scripted = await startScripted(script(), {
      answer: async () => {
        scripted.driver.notify('session/cancel', { sessionId: scripted.sessionId })
        await scripted.driver.waitFor(({ result }) => result?.['stopReason'] !== undefined)
        return { outcome: { outcome: 'cancelled' } }
      },
    })
    await scripted.setMode('read-only')
    expect((await scripted.prompt()).result).toEqual({ stopReason: 'cancelled' })
    await scripted.driver.close()

    expect(scripted.provider.requests).toHaveLength(1)
    expect(cardsOf(scripted.driver, 'call_1').map(({ status }) => status)).toEqual([
      'pending',
      'failed',
    ])
    expect(scripted.events().at(-1)?.data['reason']).toEqual({
      kind: 'aborted',
      reason: 'session/cancel',
    })
  })

  it('is refused when stdin ends while the question is open', async () => {
    const scripted = await startScripted(script(), {
      answer: () => new Promise<Json>(() => undefined),
    })
    await scripted.setMode('read-only')
    void scripted.prompt()
    await scripted.driver.waitFor(({ method }) => method === 'session/request_permission')
    const exit = await scripted.driver.close()

    expect(exit).toMatchObject({ code: 0 })
    expect(exit.ms).toBeLessThan(1000)
    expect(scripted.events().find(({ type }) => type === 'approval/decided')?.data).toMatchObject({
      outcome: 'unavailable',
    })
  })
})

describe('the option', () => {
  it('says that commands always ask without a sandbox, and refuses what it does not have', async () => {
    const { driver, setMode, sessionId } = await startScripted([])
    const opened = driver.messages.find(({ id }) => id === 2)?.result
    const options = objectsAt(opened, 'configOptions', 0, 'options')
    expect(options.map(({ value }) => value)).toEqual(table.map(({ mode }) => mode))
    for (const { description } of options.slice(0, 2))
      expect(description).toContain('shell command')
    expect((await setMode('god-mode')).error).toMatchObject({ code: -32602 })
    const unknown = { sessionId, configId: 'colour', value: 'red' }
    expect((await driver.call('session/set_config_option', unknown)).error).toMatchObject({
      code: -32602,
    })
    await driver.close()
  })

  it('starts careful in an editor and free in a scenario', async () => {
    const { driver } = await startScripted([], { env: { RUNPROOF_MODE: '' } })
    expect(JSON.stringify(driver.messages[1]?.result)).toContain('"currentValue":"workspace-write"')
    await driver.close()
    const scenario = await startScripted([])
    expect(JSON.stringify(scenario.driver.messages[1]?.result)).toContain(
      '"currentValue":"danger-full-access"',
    )
    await scenario.driver.close()
  })
})
