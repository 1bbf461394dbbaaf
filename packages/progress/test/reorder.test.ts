/** The reorder buffer: what it holds, when it lets go, and what is claimed meanwhile. */
import { createProgress, reduceProgress, verdictFor } from '@runproof/progress'
import type { Envelope, Progress } from '@runproof/progress'
import { describe, expect, test } from 'vitest'

const run = 'r'
const event = (seq: number, kind: string, data: Envelope['data']): Envelope => ({
  run,
  id: `r:${seq}`,
  seq,
  kind,
  data,
})
const say = (seq: number, text = String(seq)): Envelope => event(seq, 'text.delta', { text })
const named = (id: string, seq: number): Envelope => ({ ...say(seq), id })

const fed = (events: readonly unknown[], reorderEventsMax = 2): Progress =>
  reduceProgress(events, { run, reorderEventsMax })

const gap = 'sequence_gap_or_reorder'

test.each<[string, Envelope[], { text: string; issues: string[]; duplicates?: number }]>([
  ['holds what is early', [say(1), say(3)], { text: '1', issues: [] }],
  ['lets go when the missing one comes', [say(1), say(3), say(2)], { text: '123', issues: [] }],
  ['sorts what it holds', [say(3), say(2), say(1)], { text: '123', issues: [] }],
  [
    'counts a repetition of what it holds',
    [say(1), say(3), say(3), say(2)],
    { text: '123', issues: [], duplicates: 1 },
  ],
  [
    'counts a repetition of what it let go',
    [say(1), say(3), say(2), say(3)],
    { text: '123', issues: [], duplicates: 1 },
  ],
  [
    'finds a conflict with what it holds',
    [say(1), say(3), say(3, 'x'), say(2)],
    { text: '123', issues: ['id_conflict'] },
  ],
  ['judges an old seq at once', [say(1), say(2), named('x', 1)], { text: '121', issues: [gap] }],
  [
    'judges the second event of one seq',
    [say(1), say(3), { ...say(3, 'x'), id: 'x' }, say(2)],
    { text: '123x', issues: [gap] },
  ],
  [
    'gives the missing event up when it is full',
    [say(1), say(3), say(4), say(5), say(2)],
    { text: '13452', issues: [gap] },
  ],
  ['never holds more than it may', [say(9), say(8), say(7)], { text: '789', issues: [gap] }],
])('%s', (_, events, expected) => {
  const { text, issues, duplicates } = fed(events)
  expect({ text, issues, duplicates }).toEqual({ duplicates: 0, ...expected })
})

test('the end of the input lets all go, in order, as they are', () => {
  const progress = fed([say(4), say(2)])
  progress.end()
  expect([progress.text, progress.issues, progress.closed]).toEqual(['24', [gap], true])
  progress.feed(say(5))
  expect(progress.issues).toEqual([gap, 'event_after_transport_close'])
  progress.feed(say(9))
  expect(progress.lastSeq).toBe(9)
})

describe('claims while something is held', () => {
  const ended = event(2, 'run.ended', { outcome: 'succeeded', final_text: '1' })
  const candidate = createProgress({ run })
  candidate.feed(say(1))
  candidate.feed(ended)
  const verdict = event(3, 'app.checked', verdictFor(candidate, true))

  test('a running run is running', () => {
    expect(fed([say(1), verdict]).status).toBe('running')
  })

  test('an ended run is unknown: what is missing or what is held comes too late', () => {
    expect(fed([say(1), ended]).status).toBe('checking')
    expect(fed([say(1), ended, say(4)]).status).toBe('unknown')
    expect(fed([say(1), ended, verdict, say(5)]).status).toBe('unknown')
  })

  test('done in whatever order it came', () => {
    expect(fed([verdict, ended, say(1)]).status).toBe('done')
  })
})
