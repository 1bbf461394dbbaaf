/** Snapshots: their format, which must be read for ever, and what is refused. */
import {
  createProducer,
  createProgress,
  ProgressError,
  reduceProgress,
  restoreProgress,
} from '@runproof/progress'
import type { Snapshot } from '@runproof/progress'
import { describe, expect, test } from 'vitest'

const run = 'r'

/** As written by version 1; change the reader, never this. */
const version1 = {
  format: 'runproof.progress',
  version: 1,
  options: { run, window: 4, reorderEventsMax: 2, ignoreKinds: ['beat'] },
  issues: ['sequence_gap_or_reorder'],
  duplicates: 1,
  foreign: 2,
  lastSeq: 6,
  closed: false,
  evidence: {
    tools: [['__proto__', 'requested']],
    waiting: false,
    cancelRequested: true,
    terminal: null,
    finalText: null,
    verdict: null,
  },
  seen: {
    forgotten: 1,
    regular: 3,
    textSlots: null,
    textDropped: 1,
    events: [
      ['text.delta', 'b'],
      ['tool.requested', '__proto__'],
      ['text.delta', 'c', 5, 'r:5'],
      [null, '["cancel.requested",{}]', 6, 'other'],
    ],
  },
  held: [['text.delta', 'd', 8, 'r:8']],
}

test('version 1 is written as it always was', () => {
  const producer = createProducer(run)
  const say = (text: string): unknown => producer.emit('text.delta', { text })
  const [first, second] = [say('a'), say('b')]
  const call = producer.emit('tool.requested', { call_id: '__proto__' })
  const progress = reduceProgress([first, second, second, call], version1.options)
  progress.feed({ ...Object(first), run: 'yesterday' })
  progress.feed({ ...Object(first), run: 'today' })
  // 5 and 8 wait for 4 and 7; the third early one overflows the buffer.
  progress.feed({ run, id: 'r:5', seq: 5, kind: 'text.delta', data: { text: 'c' } })
  progress.feed({ run, id: 'r:8', seq: 8, kind: 'text.delta', data: { text: 'd' } })
  progress.feed({ run, id: 'other', seq: 6, kind: 'cancel.requested', data: {} })
  expect(progress.snapshot()).toEqual(version1)
})

test('version 1 is read as it always was', () => {
  const progress = restoreProgress(version1)
  expect(progress.snapshot()).toEqual(version1)
  expect([progress.text, progress.status]).toEqual(['bc', 'unknown'])
  expect(Object.entries(progress.tools)).toEqual([['__proto__', 'requested']])
  expect(progress.window).toEqual({ events: 4, forgotten: 1, textDropped: 1 })
  progress.feed({ run, id: 'r:5', seq: 5, kind: 'text.delta', data: { text: 'c' } })
  progress.feed({ run, id: 'other', seq: 6, kind: 'cancel.requested', data: {} })
  progress.feed({ run, id: 'r:2', seq: 2, kind: 'text.delta', data: { text: 'b' } })
  expect(progress.duplicates).toBe(4)
  progress.feed({ run, id: 'r:7', seq: 7, kind: 'beat', data: {} })
  expect([progress.lastSeq, progress.text]).toEqual([8, 'cd'])
  progress.feed({ run, id: 'r:1', seq: 9, kind: 'beat', data: {} })
  expect(progress.issues).toEqual(['sequence_gap_or_reorder', 'id_conflict'])
})

test('a snapshot is a copy', () => {
  const progress = createProgress({ run })
  const before = progress.snapshot()
  progress.feed(null)
  expect(before.issues).toEqual([])
})

test('an ended run does not take text again', () => {
  const producer = createProducer(run)
  const ended = producer.emit('run.ended', { outcome: 'failed', final_text: null })
  const restored = restoreProgress(reduceProgress([ended], { run }).snapshot())
  restored.feed(producer.emit('text.delta', { text: 'late' }))
  expect([restored.text, restored.issues]).toEqual(['', ['event_after_terminal']])
})

const good: Snapshot = reduceProgress([createProducer(run).emit('text.delta', { text: 'a' })], {
  run,
}).snapshot()
const evidence = (fields: object): object => ({
  ...good,
  evidence: { ...good.evidence, ...fields },
})
const seen = (fields: object): object => ({ ...good, seen: { ...good.seen, ...fields } })

const heldEvent = ['text.delta', 'a', 3, 'r:3']

describe('what is refused', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'format must be runproof.progress'],
    ['a list', [], 'format must be'],
    ['another format', { ...good, format: 'x' }, 'format must be'],
    ['no run', { ...good, options: {} }, 'run must be a non-empty string'],
    ['options that are none', { ...good, options: null }, 'options must be an object'],
    ['a window of 0', { ...good, options: { run, window: 0 } }, 'window must be'],
    ['an unknown issue', { ...good, issues: ['x'] }, 'issues must be issue codes'],
    ['half a duplicate', { ...good, duplicates: 0.5 }, 'duplicates must be a count'],
    ['negative foreign', { ...good, foreign: -1 }, 'foreign must be a count'],
    ['lastSeq as text', { ...good, lastSeq: '1' }, 'lastSeq must be a count'],
    ['closed as a number', { ...good, closed: 0 }, 'closed must be a boolean'],
    ['held that is no list', { ...good, held: {} }, 'held must be an array'],
    ['held without a buffer', { ...good, held: [heldEvent] }, 'held must fit reorderEventsMax'],
    ['no evidence', { ...good, evidence: null }, 'evidence must be an object'],
    ['a tool in no state', evidence({ tools: [['c', 'lost']] }), 'tools must be pairs'],
    ['waiting as a number', evidence({ waiting: 0 }), 'waiting must be a boolean'],
    ['a cancel as text', evidence({ cancelRequested: '' }), 'cancelRequested must be'],
    ['an unknown outcome', evidence({ terminal: 'done' }), 'terminal must be an outcome'],
    ['a final text of 0', evidence({ finalText: 0 }), 'finalText must be text'],
    ['a verdict of 1', evidence({ verdict: 1 }), 'verdict must be a boolean'],
    ['success without a text', evidence({ terminal: 'succeeded' }), 'must have a finalText'],
    ['a verdict on nothing', evidence({ verdict: true }), 'only a succeeded run'],
    ['no seen events', { ...good, seen: null }, 'seen must be an object'],
    ['forgotten as text', seen({ forgotten: '' }), 'forgotten must be a count'],
    ['regular as null', seen({ regular: null }), 'regular must be a count'],
    ['textSlots as text', seen({ textSlots: '' }), 'textSlots must be a count or null'],
    ['textDropped below 0', seen({ textDropped: -1 }), 'textDropped must be a count'],
    ['events that are no list', seen({ events: {} }), 'events must be an array'],
    ['an event that is no list', seen({ events: ['a'] }), 'an event must be an array'],
    ['a piece of 1', seen({ events: [['text.delta', 1]] }), 'must be text'],
    ['a kind of 1', seen({ events: [[1, 'a']] }), 'a kind or null'],
    ['a kind that needs JSON', seen({ events: [['run.ended', 'a']] }), 'must be stored as null'],
    ['a seq of half', seen({ events: [['text.delta', 'a', 0.5, 'x']] }), 'a seq and an id'],
    ['JSON that is none', seen({ events: [[null, 'x']] }), 'the JSON of [kind, data]'],
    ['JSON of no event', seen({ events: [[null, '{}']] }), 'the JSON of [kind, data]'],
  ])('%s', (_, snapshot, rule) => {
    expect(() => restoreProgress(snapshot)).toThrow(
      expect.objectContaining({
        name: 'ProgressError',
        code: 'snapshot-invalid',
        message: expect.stringContaining(rule),
      }),
    )
  })

  test('a later version', () => {
    expect(() => restoreProgress({ ...good, version: 2 })).toThrow(
      expect.objectContaining({ code: 'snapshot-version' }),
    )
  })

  test('ProgressError.is knows its own', () => {
    expect(ProgressError.is(new ProgressError('snapshot-invalid', 'x'))).toBe(true)
    expect([ProgressError.is(new Error('x')), ProgressError.is(null)]).toEqual([false, false])
  })
})
