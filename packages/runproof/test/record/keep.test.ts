/** A re-record keeps what is the same and nothing else. */
import { describe, expect, it } from 'vitest'
import { keepEqualLines } from '../../src/record/keep.ts'
import { parseLog, type SessionLog } from '../../src/run/harvest.ts'

type Header = { id: string; parentSession?: string; cwd?: string; createdAt?: number }

const log = (header: Header, ...texts: string[]): SessionLog => {
  const lines = [
    { type: 'session', version: 0, createdAt: 1, ...header },
    ...texts.map((text, seq) => ({ type: 'user/message', seq, time: header.createdAt, text })),
  ]
  return parseLog(lines.map((line) => JSON.stringify(line)).join('\n'))
}

const old = log({ id: 'session-old-1', cwd: '/tmp/old', createdAt: 1 }, 'a', 'in /tmp/old/x', 'c')

describe('lines of a log that is recorded again', () => {
  it('stay as they were, byte for byte, when nothing changed', () => {
    const fresh = log(
      { id: 'session-new-1', cwd: '/tmp/new', createdAt: 2 },
      'a',
      'in /tmp/new/x',
      'c',
    )
    expect(keepEqualLines([old], [fresh])).toEqual([old.lines])
  })

  it('name the old session and folder where they are new', () => {
    const said = 'in /tmp/new/y of session-new-1, not /tmp/newer or session-new-10'
    const fresh = log({ id: 'session-new-1', cwd: '/tmp/new', createdAt: 2 }, 'a', said, 'c')
    const [kept = []] = keepEqualLines([old], [fresh])
    expect(kept.toSpliced(2, 1)).toEqual(old.lines.toSpliced(2, 1))
    expect(kept[2]).toContain('in /tmp/old/y of session-old-1, not /tmp/newer or session-new-10')
  })

  it('do not have a short id replaced in whatever has its letters', () => {
    const before = log({ id: '1', createdAt: 1 }, 'one')
    const fresh = log({ id: '2', createdAt: 2 }, '2 of 12')
    const [kept = []] = keepEqualLines([before], [fresh])
    expect(kept[0]).toBe(before.lines[0])
    expect(kept[1]).toContain('"2 of 12"')
  })

  it('do not keep the old parent of a child that has another one', () => {
    const ids = (run: string) => [`primary-${run}`, `child-one-${run}`, `child-two-${run}`] as const
    const [primary, one, two] = ids('old')
    const before = [
      log({ id: primary }),
      log({ id: one, parentSession: primary }),
      log({ id: two, parentSession: primary }),
    ]
    const [newPrimary, newOne, newTwo] = ids('new')
    const fresh = [
      log({ id: newPrimary }),
      log({ id: newOne, parentSession: newPrimary }),
      log({ id: newTwo, parentSession: newOne }),
    ]
    const kept = keepEqualLines(before, fresh)
    expect(kept.map(([header = '']) => JSON.parse(header).parentSession)).toEqual([
      undefined,
      primary,
      one,
    ])
  })

  it('are the new ones where there was no log', () => {
    const fresh = log({ id: 'session-new-1' }, 'a')
    expect(keepEqualLines([null], [fresh])).toEqual([fresh.lines])
  })
})
