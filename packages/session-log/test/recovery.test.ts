import { describe, expect, it } from 'vitest'
import { deriveClosers } from '@runproof/session-log'
import { fixtureLog } from './logs.ts'

describe('the closers', () => {
  it('tell a call that began from one that did not, then close step and turn', () => {
    const { events } = fixtureLog('crashed-in-tool')
    const closers = deriveClosers(events)
    expect(closers).toMatchObject([
      {
        type: 'tool/result',
        seq: 12,
        data: {
          turn: 1,
          step: 1,
          callId: 'call_b',
          isError: true,
          error: { code: 'TOOL_OUTCOME_UNKNOWN' },
        },
        sourceEventSeqs: [11],
        surfaceOp: 'append',
      },
      {
        type: 'tool/result',
        seq: 13,
        data: {
          turn: 1,
          step: 1,
          callId: 'call_c',
          isError: true,
          error: { code: 'TOOL_NOT_STARTED' },
        },
        surfaceOp: 'append',
      },
      { type: 'step/end', seq: 14, data: { turn: 1, step: 1 } },
      { type: 'turn/end', seq: 15, data: { turn: 1, reason: { kind: 'interrupted' } } },
    ])
    expect(closers[1]).not.toHaveProperty('sourceEventSeqs')
    expect(new Set(closers.map(({ time }) => time))).toEqual(new Set([events.at(-1)?.time]))
  })

  it('of a turn without a step are the end of the turn alone', () => {
    const { events } = fixtureLog('two-turns')
    expect(deriveClosers(events.slice(0, 31)).map(({ type }) => type)).toEqual(['turn/end'])
  })

  it('of a stream cut before its message leave no tool result', () => {
    const { events } = fixtureLog('two-turns')
    expect(deriveClosers(events.slice(0, 12)).map(({ type }) => type)).toEqual([
      'step/end',
      'turn/end',
    ])
  })

  it('of a log between turns, and of an empty one, are none', () => {
    expect(deriveClosers(fixtureLog('two-turns').events)).toEqual([])
    expect(deriveClosers([])).toEqual([])
  })
})
