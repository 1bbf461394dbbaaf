import { describe, expect, it } from 'vitest'
import { normaliseSessionLog, normaliseSessionLogs } from '../../src/normalise/session-log.ts'

const parent = '0b1d9d6e-7a1c-4f0e-9a57-52d0a7b7a001'
const child = '5f0c6a1e-3a52-4c57-8f21-52d0a7b7a002'
const approval = '9e107d9d-372b-4c57-8f21-52d0a7b7a003'

const header = (id: string, more: object = {}): object => ({
  type: 'session',
  version: 0,
  id,
  createdAt: 1700000000000,
  cwd: '/tmp/rec/work',
  ...more,
})
const event = (seq: number, type: string, data: object): object => ({
  type,
  seq,
  time: 1700000000000 + seq,
  data,
})
const lines = (values: object[]): string[] => values.map((value) => JSON.stringify(value))
const parsed = (texts: string[]): unknown[] => texts.map((text): unknown => JSON.parse(text))

describe('normaliseSessionLog', () => {
  it('makes times, durations, ids, prompts and folders stable, and keeps seq', () => {
    const log = lines([
      header(parent),
      event(0, 'request/header', {
        header: { config: { model: 'm' }, system: 'You …', tools: [{}] },
      }),
      event(1, 'request/header-delta', {
        system: { keepStart: 1, keepEnd: 1, insert: ['a', 'b'] },
      }),
      event(2, 'approval/asked', { id: approval, callId: approval }),
      event(3, 'approval/decided', { id: approval, outcome: 'rejected' }),
      event(4, 'hook/result', { durationMs: 31, exitCode: 2 }),
      event(5, 'tool/result', { content: [{ type: 'text', text: `/tmp/rec/work ${parent}` }] }),
    ])
    expect(parsed(normaliseSessionLog(log, {}))).toEqual([
      { type: 'session', version: 0, id: '{{session:1}}', createdAt: 0, cwd: '{{cwd}}' },
      {
        type: 'request/header',
        seq: 0,
        time: 0,
        data: { header: { config: { model: 'm' }, system: '{{system}}', tools: '{{tools}}' } },
      },
      {
        type: 'request/header-delta',
        seq: 1,
        time: 0,
        data: { system: { keepStart: 1, keepEnd: 1, insert: ['{{system}}', '{{system}}'] } },
      },
      { type: 'approval/asked', seq: 2, time: 0, data: { id: '{{approval:1}}', callId: approval } },
      {
        type: 'approval/decided',
        seq: 3,
        time: 0,
        data: { id: '{{approval:1}}', outcome: 'rejected' },
      },
      { type: 'hook/result', seq: 4, time: 0, data: { durationMs: 0, exitCode: 2 } },
      {
        type: 'tool/result',
        seq: 5,
        time: 0,
        data: { content: [{ type: 'text', text: '{{cwd}} {{session:1}}' }] },
      },
    ])
  })

  it('gives the fixture and the replayed log one form, each in its own context', () => {
    const said = event(0, 'assistant/message', { content: [{ text: 'in /tmp/rec/work' }] })
    const fixture = lines([
      header(parent),
      said,
      event(1, 'tool/result', { content: '/tmp/rec/work/a' }),
    ])
    const live = lines([
      header(child, { cwd: '/tmp/live/work', createdAt: 5 }),
      said,
      event(1, 'tool/result', { content: '/private/tmp/live/work/a' }),
    ])
    const context = { cwd: '/tmp/live/work', recordedCwd: '/tmp/rec/work' }
    expect(normaliseSessionLog(live, context)).toEqual(normaliseSessionLog(fixture, {}))
  })

  it('shows a run in the wrong folder', () => {
    const live = lines([header(parent, { cwd: '/elsewhere' })])
    expect(parsed(normaliseSessionLog(live, { cwd: '/tmp/live' }))).toMatchObject([
      { cwd: '/elsewhere' },
    ])
  })

  it('leaves what a model said alone but for folders', () => {
    const data = { chunk: { type: 'text-delta', index: 0, text: `${parent} ${approval}` } }
    const call = { callId: approval, arguments: `{"id":"${parent}"}` }
    const log = lines([
      header(parent),
      event(0, 'assistant/chunk', data),
      event(1, 'tool/call', call),
    ])
    expect(parsed(normaliseSessionLog(log, {}))).toMatchObject([{}, { data }, { data: call }])
  })

  it('has the seed’s one token where the fixture has it', () => {
    const log = lines([header(parent), event(0, 'approval/asked', { id: approval })])
    expect(parsed(normaliseSessionLog(log, { tokens: 'untyped' }))).toMatchObject([
      { id: '{{sessionId}}' },
      { data: { id: '{{sessionId}}' } },
    ])
  })

  it('keeps a line that is no event as text, and a time that is no number as it is', () => {
    const broken = ['{"type":"session"', '[1]', '{"type":"a","seq":0,"time":"now"}']
    expect(normaliseSessionLog(broken, {})).toEqual(broken)
  })
})

describe('normaliseSessionLogs', () => {
  it('keeps identity from log to log', () => {
    const logs = [
      lines([header(parent), event(0, 'tool/result', { content: child })]),
      lines([header(child, { parentSession: parent })]),
    ]
    const [, second = []] = normaliseSessionLogs(logs, {})
    expect(parsed(second)).toMatchObject([{ id: '{{session:2}}', parentSession: '{{session:1}}' }])
    const orphan = [logs[0] ?? [], lines([header(child, { parentSession: approval })])]
    expect(parsed(normaliseSessionLogs(orphan, {})[1] ?? [])).toMatchObject([
      { parentSession: '{{session:3}}' },
    ])
  })
})
