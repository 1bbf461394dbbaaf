/** What the session adapter claims of a log: turns, calls, approvals, holes, versions. */
import { createAdapter, turnOutcome } from '@runproof/progress/session'
import { describe, expect, it } from 'vitest'
import { claimsOf, envelopesOf, fixture, linesOf, storyOf } from '../acp/judge.ts'

type Event = { type: string; data?: Record<string, unknown>; ignorable?: true }

/** A log of these events with a header and numbers. */
const logOf = (events: readonly Event[], header: Record<string, unknown> = {}): unknown[] => [
  { type: 'session', version: 0, id: 's', createdAt: 0, ...header },
  ...events.map((event, seq) => ({ data: {}, ...event, seq, time: 0 })),
]

const turn = (...events: readonly Event[]): Event[] => [{ type: 'turn/start' }, ...events]
const end = (kind = 'completed'): Event => ({
  type: 'turn/end',
  data: { turn: 1, reason: { kind } },
})
const chunk = (text: string): Event => ({
  type: 'assistant/chunk',
  data: { chunk: { type: 'text-delta', index: 0, text } },
})
const message = (content: readonly unknown[], fields: Record<string, unknown> = {}): Event => ({
  type: 'assistant/message',
  data: { turn: 1, step: 1, content, ...fields },
})
const text = (value: string): unknown => ({ type: 'text', text: value })
const asks = (id: string): unknown => ({ type: 'tool-call', id, name: 'look', arguments: '{}' })
const called = (callId: string): Event => ({ type: 'tool/call', data: { callId } })
const returned = (callId: string, isError = false): Event => ({
  type: 'tool/result',
  data: { callId, isError },
})

const approval = (type: string): Event => ({ type, data: { id: 'x' } })

const judge = (lines: readonly unknown[], runtimeFailed = false): string[] =>
  claimsOf(envelopesOf(createAdapter({ run: 't' }), lines, { runtimeFailed }))
const story = (lines: readonly unknown[]): string[] =>
  storyOf(envelopesOf(createAdapter({ run: 't' }), lines, {}))

describe('the end of a turn', () => {
  it.each([
    ['completed', 'checking ""'],
    ['max-tokens', 'incomplete'],
    ['interrupted', 'incomplete'],
    ['aborted', 'cancelled'],
    ['disposed', 'cancelled'],
    ['rejected', 'cancelled'],
    ['blocked', 'cancelled'],
    ['error', 'failed'],
    ['brand-new', 'unknown'],
  ])('%s', (kind, claim) => {
    expect(judge(logOf(turn(end(kind))))).toEqual([claim])
  })

  it('is not there in a log that stops, unless its writer is known dead', () => {
    expect(judge(logOf(turn(chunk('a'))))).toEqual(['unknown'])
    expect(judge(logOf(turn(chunk('a'))), true)).toEqual(['failed'])
    expect(judge(logOf([]), true)).toEqual([])
  })

  it('needs a reason that is one', () => {
    for (const reason of [undefined, null, 'completed', { kind: 7 }]) {
      expect(turnOutcome(reason)).toBeNull()
    }
  })
})

describe('the final text', () => {
  it('is what was committed after the last tool event', () => {
    const lines = logOf(
      turn(
        chunk('I will look.'),
        message([text('I will look.'), asks('c')]),
        called('c'),
        returned('c'),
        chunk('half an ans'),
        chunk('whole '),
        chunk('answer'),
        message([text('whole answer')]),
        end(),
      ),
    )
    expect(judge(lines)).toEqual(['checking "whole answer"'])
    expect(story(lines)).toEqual([
      '[t-1/1]',
      'text.delta',
      'text.delta I will look.',
      'model.completed 1.1',
      'tool.requested c',
      'tool.finished c',
      'text.delta half an ans',
      'text.delta whole',
      'text.delta answer',
      'model.completed 1.1',
      'run.ended succeeded',
    ])
  })

  it('is told of a message that was not streamed', () => {
    expect(story(logOf(turn(message([text('a')]), end()))).slice(-3)).toEqual([
      'model.completed 1.1',
      'text.delta a',
      'run.ended succeeded',
    ])
  })

  it('an interrupted message completes no response', () => {
    const lines = logOf(
      turn(chunk('a'), message([text('a')], { interrupted: true }), end('aborted')),
    )
    expect(story(lines)).not.toContain('model.completed 1.1')
  })
})

describe('calls and approvals', () => {
  it.each([
    ['failed', [called('c'), returned('c', true)], 'checking'],
    ['without a result', [called('c')], 'unknown'],
    ['asked for and never called', [message([asks('c')])], 'unknown'],
    ['a result of nothing', [returned('c')], 'unknown'],
    ['a second result', [called('c'), returned('c'), returned('c', true)], 'unknown'],
    ['a call without an id', [{ type: 'tool/call' }], 'unknown'],
    ['an approval without an id', [{ type: 'approval/asked' }], 'unknown'],
    ['an approval that nobody decided', [{ type: 'approval/asked', data: { id: 'x' } }], 'unknown'],
  ])('%s', (_, events, claim) => {
    expect(judge(logOf(turn(...events, end())))[0]?.split(' ')[0]).toBe(claim)
  })

  it('a decided approval makes two runs', () => {
    const events = [
      called('c'),
      approval('approval/asked'),
      approval('approval/decided'),
      returned('c'),
    ]
    expect(story(logOf(turn(...events, end())))).toEqual([
      '[t-1/1]',
      'text.delta',
      'tool.requested c',
      'approval.wait',
      'run.ended paused',
      '[t-1/2]',
      'tool.requested c',
      'tool.finished c',
      'run.ended succeeded',
    ])
  })
})

describe('what a reader of format 0 must not pass over', () => {
  it('an unknown type, unless it says so itself', () => {
    expect(judge(logOf(turn({ type: 'brand/new' }, end())))).toEqual(['unknown ""'])
    expect(judge(logOf(turn({ type: 'brand/new', ignorable: true }, end())))).toEqual([
      'checking ""',
    ])
    expect(judge(logOf([{ type: 'brand/new' }, ...turn(end())]))).toEqual(['checking ""'])
  })

  it.each([
    'todo/write',
    'request/header',
    'hook/invoked',
    'permission/preset',
    'llm/retry',
    'step/end',
  ])('but %s claims nothing', (type) => {
    expect(judge(logOf(turn({ type }, end())))).toEqual(['checking ""'])
  })

  it('another version', () => {
    expect(judge(logOf(turn(end()), { version: 2 }))).toEqual(['unknown ""'])
  })

  it('a line that is no event, in a turn or before one', () => {
    const [header, start, ...rest] = logOf(turn(end()))
    expect(judge([header, start, 42, ...rest])).toEqual(['unknown ""'])
    expect(judge([header, null, start, ...rest])).toEqual(['unknown ""'])
  })

  it('an event of a turn that never began', () => {
    expect(judge(logOf([chunk('a'), end()]))).toEqual(['unknown ""'])
  })

  it('but a log made for comparing may have no numbers', () => {
    const lines = [{ type: 'turn/start' }, end()]
    expect(judge(lines)).toEqual(['checking ""'])
  })
})

it('a turn that begins inside another makes both unknown', () => {
  expect(judge(logOf([...turn(chunk('a')), ...turn(end())]))).toEqual(['unknown', 'unknown ""'])
})

it('leaves out what was copied from a parent', () => {
  const events = [
    ...turn(chunk('old'), message([text('old')]), end()),
    ...turn(chunk('new'), message([text('new')]), end()),
  ]
  expect(judge(logOf(events, { parentSession: 'p', seedLength: 4 }))).toEqual(['checking "new"'])
})

it.each([
  ['two-turns', ['checking "Four minutes."', 'checking "No."']],
  ['compacted', ['checking "Uno."', 'checking "Dos."']],
  ['crashed-in-tool', ['unknown']],
])('fixtures/session-log/%s', (name, claims) => {
  expect(judge(linesOf(fixture(`session-log/${name}.jsonl`)))).toEqual(claims)
})

it('throws on an empty run', () => {
  expect(() => createAdapter({ run: '' })).toThrow(TypeError)
})
