/** The rules S1–S6 over session logs, sound and spoiled. */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { briefly, check, fixture, hasShared, rulesWith, shared, sharedSuite } from './check.ts'

type Json = Record<string, unknown>

const header = { type: 'session', version: 0, id: 's', createdAt: 0 }
const place = { turn: 1, step: 1 }
const turnStart = { type: 'turn/start', data: { turn: 1 } }
const turnEnd = (kind = 'completed'): Json => ({
  type: 'turn/end',
  data: { turn: 1, reason: { kind } },
})
const stepStart = { type: 'step/start', data: place }
const stepEnd = { type: 'step/end', data: place }
const message = (content: readonly unknown[], fields: Json = {}): Json => ({
  type: 'assistant/message',
  data: { ...place, content },
  ...fields,
})
const asks = (id: string): Json => ({ type: 'tool-call', id, name: 'look', arguments: '{}' })
const call = (callId: string): Json => ({
  type: 'tool/call',
  data: { ...place, callId, name: 'look', arguments: '{}' },
})
const result = (callId: string): Json => ({
  type: 'tool/result',
  data: { ...place, callId, content: [], isError: false },
})
const chunk = (value: Json): Json => ({ type: 'assistant/chunk', data: { ...place, chunk: value } })
const asked = (id: string): Json => ({ type: 'approval/asked', data: { id, toolName: 'look' } })
const decided = (id: string): Json => ({
  type: 'approval/decided',
  data: { id, outcome: 'rejected' },
})
const hello = [
  chunk({ type: 'block-start', index: 0, blockType: 'text' }),
  chunk({ type: 'text-delta', index: 0, text: 'Hello' }),
  chunk({ type: 'block-end', index: 0, block: { type: 'text', text: 'Hello' } }),
  chunk({ type: 'finish', reason: { kind: 'stop' } }),
]
const text = (value: string): Json => ({ type: 'text', text: value })

const logOf = (events: readonly Json[]): string =>
  [header, ...events.map((event, seq) => ({ seq, time: 0, ...event }))]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
const audit = (stdin: string | Uint8Array): ReturnType<typeof check> =>
  check(['-', '--from', 'session'], { stdin })
const violationsOf = async (...events: readonly Json[]): Promise<string[]> =>
  briefly((await audit(logOf(events))).violations)
const inStep = (...events: readonly Json[]): Json[] => [
  turnStart,
  stepStart,
  ...events,
  stepEnd,
  turnEnd(),
]

describe('rules', () => {
  it.each<[string, Json[], string[]]>([
    ['a whole turn', inStep(...hello, message([text('Hello')])), []],
    [
      'a turn with a call and an approval',
      inStep(message([asks('c')]), call('c'), asked('x'), decided('x'), result('c')),
      [],
    ],
    [
      'a call that was asked for and never started has a result',
      inStep(message([asks('c')]), result('c')),
      [],
    ],
    ['a turn in a turn', [turnStart, turnStart, turnEnd()], ['S3 3 turn/start']],
    [
      'a turn left out',
      [
        turnStart,
        turnEnd(),
        { type: 'turn/start', data: { turn: 3 } },
        { type: 'turn/end', data: { turn: 3, reason: { kind: 'error' } } },
      ],
      ['S3 4 turn/start'],
    ],
    [
      'an end of another turn',
      [turnStart, { type: 'turn/end', data: { turn: 2, reason: { kind: 'error' } } }],
      ['S3 3 turn/end'],
    ],
    [
      'a step in a step',
      [turnStart, stepStart, stepStart, stepEnd, turnEnd()],
      ['S3 4 step/start'],
    ],
    [
      'a step left out',
      [
        turnStart,
        { type: 'step/start', data: { turn: 1, step: 2 } },
        { type: 'step/end', data: { turn: 1, step: 2 } },
        turnEnd(),
      ],
      ['S3 3 step/start'],
    ],
    ['an open step', [turnStart, stepStart, turnEnd()], ['S3 4 turn/end']],
    [
      'a call outside a step',
      [turnStart, message([asks('c')]), turnEnd('error')],
      ['S3 3 assistant/message'],
    ],
    [
      'a call in another step',
      [
        turnStart,
        stepStart,
        { ...call('c'), data: { ...place, step: 2, callId: 'c', name: 'look', arguments: '{}' } },
        stepEnd,
        turnEnd('error'),
      ],
      ['S3 4 tool/call', 'S4 4 tool/call'],
    ],
    [
      'a chunk outside any turn',
      [chunk({ type: 'finish', reason: { kind: 'stop' } })],
      ['S3 2 assistant/chunk'],
    ],
    ['a turn without its end', [turnStart, stepStart], ['S3 3 step/start']],
    ['a call that nobody asked for', inStep(call('c'), result('c')), ['S4 4 tool/call']],
    [
      'a call made twice',
      inStep(message([asks('c')]), call('c'), call('c'), result('c')),
      ['S4 6 tool/call'],
    ],
    ['a result of nothing', inStep(result('c')), ['S4 4 tool/result']],
    [
      'a second result',
      inStep(message([asks('c')]), call('c'), result('c'), result('c')),
      ['S4 7 tool/result'],
    ],
    ['no result', inStep(message([asks('c')]), call('c')), ['S4 7 turn/end']],
    [
      'no result of a turn that failed',
      [turnStart, stepStart, message([asks('c')]), stepEnd, turnEnd('error')],
      [],
    ],
    [
      'a message that says something else',
      inStep(...hello, message([text('Goodbye')])),
      ['S5 8 assistant/message'],
    ],
    [
      'a stream without a finish',
      inStep(...hello.slice(0, 3), message([text('Hello')])),
      ['S5 7 assistant/message'],
    ],
    [
      'an attempt that the message does not cite',
      inStep(
        ...hello.slice(0, 2),
        ...hello,
        message([text('Hello')], { sourceEventSeqs: [4, 5, 6, 7] }),
      ),
      [],
    ],
    ['a stream that broke off', inStep(...hello.slice(0, 2)), []],
    ['an attempt that was given up', inStep(...hello.slice(0, 2), ...hello.slice(0, 2)), []],
    [
      'a stream that broke off in a block that never began',
      inStep(...hello.slice(1, 2)),
      ['S5 5 step/end'],
    ],
    ['an undecided approval', inStep(asked('x')), ['S6 6 turn/end']],
    ['a decision of nothing', inStep(decided('x')), ['S6 4 approval/decided']],
    [
      'a citation of what follows',
      [{ ...turnStart, sourceEventSeqs: [0] }, turnEnd()],
      ['S2 2 turn/start'],
    ],
  ])('%s', async (_, events, violations) => {
    expect(await violationsOf(...events)).toEqual(violations)
  })

  it('an interrupted message is not compared', async () => {
    const events = inStep(...hello.slice(0, 2), {
      type: 'assistant/message',
      data: { ...place, content: [], interrupted: true },
    })
    const checked = await audit(logOf(events))
    expect(checked.violations).toEqual([])
    expect(checked.reports[0]?.reasons).toEqual({ S5: 'no message cites its chunks' })
  })
})

describe('a file that cannot be trusted', () => {
  const sound = readFileSync(fixture('session-log/two-turns.jsonl'), 'utf8')
  const lines = sound.trimEnd().split('\n')
  const spoiled = (index: number, ...instead: readonly string[]): string =>
    `${lines.toSpliced(index, 1, ...instead).join('\n')}\n`

  it.each<[string, string | Uint8Array, string, string[]]>([
    ['another version', spoiled(0, '{"type":"session","version":7}'), 'version 7', ['S1 1 line']],
    ['no header', spoiled(0), 'session header', ['S1 1 line']],
    ['a lost line', spoiled(5), 'seq is 5', ['S2 6 line']],
    [
      'a line twice',
      spoiled(5, ...lines.slice(5, 6), ...lines.slice(5, 6)),
      'seq is 4',
      ['S2 7 line'],
    ],
    ['no JSON', spoiled(5, '{"type":'), 'not JSON', ['S1 6 line']],
    [
      'an event of a wrong shape',
      spoiled(1, '{"type":"turn/start","seq":0,"time":0}'),
      'data',
      ['S1 2 line'],
    ],
    [
      'bytes that are no text',
      Buffer.concat([
        Buffer.from(`${lines[0]}\n`),
        Buffer.from([0xff, 0x0a]),
        Buffer.from(`${lines[1]}\n`),
      ]),
      'UTF-8',
      ['S1 2 line'],
    ],
    ['nothing but blank lines', '\n \n{}', 'session header', ['S1 3 line']],
  ])('%s: refused from there on', async (_, stdin, why, violations) => {
    const checked = await audit(stdin)
    expect(briefly(checked.violations)).toEqual(violations)
    expect(checked.violations[0]?.message).toMatch(why)
    expect(checked.violations[0]?.message).toMatch('the log is judged up to here')
    expect(rulesWith(checked, 'held')).toBe('')
    expect(checked.exitCode).toBe(1)
  })

  it('a torn last line is what a crash leaves: a warning, and the open turn an error', async () => {
    const torn = await audit(sound.slice(0, -20))
    expect(briefly(torn.violations)).toEqual(['S1? 42 line', 'S3 42 step/end'])
    const between = await audit(`${lines.slice(0, 29).join('\n')}\n{"type":"tu`)
    expect(briefly(between.violations)).toEqual(['S1? 30 line'])
    expect(between.exitCode).toBe(0)
  })

  it('blank lines do not shift the numbers', async () => {
    const checked = await audit(lines.toSpliced(3, 0, '', '').toSpliced(7, 1).join('\n'))
    expect(briefly(checked.violations)).toEqual(['S2 8 line'])
  })
})

it.each([
  ['compacted', []],
  ['crashed-in-tool', ['S3 13 tool/call']],
  ['next-generation-header', []],
  ['two-turns', []],
])('fixtures/session-log/%s', async (name, violations) => {
  const checked = await check([fixture(`session-log/${name}.jsonl`)])
  expect(briefly(checked.violations)).toEqual(violations)
  expect(checked.reports[0]?.from).toBe('session')
})

describe.skipIf(!hasShared)(sharedSuite('logs of another project'), () => {
  const root = shared('recordings/deepseek-harness')
  it.each(hasShared ? readdirSync(root) : [])('%s is sound', async (folder) => {
    const files = readdirSync(`${root}/${folder}`).filter((name) => /^session.*jsonl$/.test(name))
    const { violations, reports } = await check(files.map((name) => `${root}/${folder}/${name}`))
    expect(violations).toEqual([])
    expect(reports).toHaveLength(files.length)
  })
})
