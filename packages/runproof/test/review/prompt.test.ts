/** The prompt itself, on streams that say they are a terminal. */
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runReview } from '../../src/review/command.ts'
import { groupByCause } from '../../src/review/group.ts'
import { createPrompt } from '../../src/review/prompt.ts'
import type { Decision } from '../../src/review/walk.ts'
import { createScene } from './scene.ts'

/** Presses the keys one by one, each when the question before it is on the screen. */
async function press(
  keys: string[],
  groupIndex: number,
  columns: number = 100,
): Promise<{ decision: Decision; screen: string }> {
  const { store } = await createScene()
  const group = groupByCause((await store.list()).pending)[groupIndex]
  if (group === undefined) throw new Error('no such group')
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 60 })
  let screen = ''
  let asked = 0
  const waiting = [...keys]
  stdout.on('data', (data: Buffer) => {
    screen += data.toString()
    const questions = stripVTControlCharacters(screen).split(' q  quit').length - 1
    if (questions <= asked) return
    asked = questions
    const key = waiting.shift()
    if (key !== undefined) setImmediate(() => stdin.write(key))
  })
  const prompt = createPrompt({ stdin, stdout, stderr: new PassThrough(), env: {} })
  const decision = await prompt.decide(group, 1, 3)
  return { decision, screen: stripVTControlCharacters(screen) }
}

describe('the prompt', () => {
  it.each<[key: string, decision: Decision]>([
    ['a', 'accept'],
    ['r', 'reject'],
    ['s', 'skip'],
    ['e', 'each'],
    ['l', 'accept-all'],
    ['q', 'quit'],
    ['\u0003', 'quit'],
  ])('%j: %s', async (key, decision) => {
    expect((await press([key], 0)).decision).toBe(decision)
  })

  it('shows the difference, who shares its cause, and the same as text on request', async () => {
    const { decision, screen } = await press(['t', 's'], 0)
    expect(decision).toBe('skip')
    expect(screen).toContain('result.agentInfo.version: "0.0.1" → "0.0.2"')
    expect(screen).toContain('the same cause in 1 more:')
    expect(screen).toContain('accept these 2')
    expect(screen).toContain('as text')
    expect(screen).toContain('show as events again')
  })

  it('keeps to a narrow terminal, what goes on below itself included', async () => {
    const { screen } = await press(['t', 's'], 0, 60)
    const lines = screen.split(/[\r\n]+/)
    expect(lines.filter((line) => line.length > 60)).toEqual([])
    const start = lines.findIndex((line) => /^│ +as text/.test(line))
    expect(lines.slice(start + 1, start + 4)).toEqual([
      expect.stringMatching(/^│ {4}-\S/),
      expect.stringMatching(/^│ {4}\S/),
      expect.stringMatching(/^│ {4}\S/),
    ])
  })

  it('does not offer to accept what a replay reads', async () => {
    const { decision, screen } = await press(['as'], 2)
    expect(decision).toBe('skip')
    expect(screen).toContain('three session.jsonl')
    expect(screen).toContain('of 3: three/session.jsonl')
    expect(screen).not.toContain('accept')
  })
})

describe('runproof review on a terminal', () => {
  it('asks until all is settled, and says how it ended', async () => {
    const { root, store } = await createScene()
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 60 })
    let screen = ''
    let asked = 0
    stdout.on('data', (data: Buffer) => {
      screen += data.toString()
      const questions = stripVTControlCharacters(screen).split(' q  quit').length - 1
      if (questions > asked) setImmediate(() => stdin.write(['a', 'r', 's'][asked++]))
    })
    const terminal = { stdin, stdout, stderr: new PassThrough(), env: {} }
    expect(await runReview({}, terminal, root)).toBe(1)
    expect(stripVTControlCharacters(screen)).toContain('accepted one/stdout.golden.jsonl')
    expect(screen).toContain('2 accepted, 1 rejected, 1 still pending')
    expect((await store.list()).pending.map(({ key }) => key)).toEqual(['three/session.jsonl'])
    await store.reject('three/session.jsonl')
    expect(await runReview({}, terminal, root)).toBe(0)
  })
})
