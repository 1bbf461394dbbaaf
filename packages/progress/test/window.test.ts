/** The window: what is forgotten, what is said about it, and that it is never silently wrong. */
import { createProducer, createProgress, reduceProgress } from '@runproof/progress'
import type { Envelope, Progress } from '@runproof/progress'
import { describe, expect, test } from 'vitest'

const run = 'r'
const window = 10

const texts = (count: number, name?: (seq: number) => string): Envelope[] => {
  const producer = createProducer(run)
  return Array.from({ length: count }, (_, index) => {
    const event = producer.emit('text.delta', { text: `${index} ` })
    return name === undefined ? event : { ...event, id: name(event.seq) }
  })
}

const fed = (events: readonly unknown[]): Progress => reduceProgress(events, { run, window })

test('says nothing of itself when it is off', () => {
  expect(reduceProgress(texts(100), { run }).window).toBe(null)
})

test('says how much was forgotten, and keeps the newest text', () => {
  const progress = fed(texts(3000))
  const kept = Array.from({ length: window }, (_, index) => `${2990 + index} `).join('')
  const all = Array.from({ length: 3000 }, (_, index) => `${index} `).join('')
  expect(progress.text).toBe(kept)
  expect(progress.window).toEqual({
    events: window,
    forgotten: 2990,
    textDropped: all.length - kept.length,
  })
  expect([progress.status, progress.issues, progress.lastSeq]).toEqual(['running', [], 3000])
})

test('text that was never shown is not counted as dropped', () => {
  const producer = createProducer(run)
  const progress = createProgress({ run, window: 1 })
  progress.feed(producer.emit('run.ended', { outcome: 'failed', final_text: null }))
  for (let count = 0; count < 3; count++)
    progress.feed(producer.emit('text.delta', { text: 'late' }))
  expect([progress.text, progress.window?.textDropped]).toEqual(['', 0])
})

const namings: [string, ((seq: number) => string) | undefined][] = [
  ['as the producer does', undefined],
  ['in another way', (seq) => `event-${seq}`],
  ['from 0 on', (seq) => `r:${seq - 1}`],
  ['regular at first only', (seq) => (seq < 20 ? `r:${seq}` : `late-${seq}`)],
]

describe.each(namings)('ids named %s', (_, name) => {
  const events = texts(50, name)
  const at = (index: number): Envelope => {
    const event = events.at(index)
    if (event === undefined) throw new Error(`no event at ${index}`)
    return event
  }

  test('a repetition inside the window is a duplicate', () => {
    const progress = fed([...events, at(-1), at(-window)])
    expect([progress.duplicates, progress.issues]).toEqual([2, []])
  })

  test('a conflict inside the window is a conflict', () => {
    expect(fed([...events, { ...at(-window), data: { text: 'other' } }]).issues).toEqual([
      'id_conflict',
    ])
  })

  test('what is older cannot be told from a repetition: an issue, and its text is not doubled', () => {
    const progress = fed([...events, at(-window - 1), at(0)])
    expect([progress.duplicates, progress.issues]).toEqual([0, ['sequence_gap_or_reorder']])
    expect(progress.text).toBe(fed(events).text)
  })

  test('a new id with an old seq is an issue', () => {
    expect(fed([...events, { ...at(0), id: 'new' }]).issues).toEqual(['sequence_gap_or_reorder'])
  })
})

test('reuse of a producer’s id under the next seq is a conflict however old it is', () => {
  const events = texts(5000)
  const reused = { run, id: 'r:1', seq: 5001, kind: 'text.delta', data: { text: 'x' } }
  expect(fed([...events, reused]).issues).toEqual(['id_conflict'])
})

test('the limit: reuse of a foreign id under the next seq is seen inside the window only', () => {
  const events = texts(50, (seq) => `event-${seq}`)
  const next = { run, seq: 51, kind: 'text.delta', data: { text: 'x' } }
  expect(fed([...events, { ...next, id: 'event-41' }]).issues).toEqual(['id_conflict'])
  expect(fed([...events, { ...next, id: 'event-40' }]).issues).toEqual([])
})

test.each([3, 30, 40])(
  'an id forgotten after event %i and taken up again is known again',
  (seq) => {
    const events = texts(50, (number) => `event-${number}`)
    const again = { run, id: `event-${seq}`, seq: 51, kind: 'text.delta', data: { text: 'x' } }
    const progress = fed([...events, again, again])
    expect([progress.duplicates, progress.issues]).toEqual([1, []])
    progress.feed({ ...again, data: { text: 'y' } })
    expect(progress.issues).toEqual(['id_conflict'])
  },
)

test('the oldest remembered event is known at every length of log and window', () => {
  const events = texts(2100)
  for (const wide of [1, 1023, 1024, 1025, 2048]) {
    const progress = createProgress({ run, window: wide })
    for (const [index, event] of events.entries()) {
      progress.feed(event)
      progress.feed(events[Math.max(0, index - wide + 1)])
    }
    expect([wide, progress.duplicates, progress.issues]).toEqual([wide, events.length, []])
  }
})

test('a tool call is never forgotten', () => {
  const producer = createProducer(run)
  const call = producer.emit('tool.requested', { call_id: 'c' })
  const later = Array.from({ length: 50 }, () => producer.emit('text.delta', { text: '.' }))
  const ended = producer.emit('run.ended', { outcome: 'succeeded', final_text: 'x' })
  const progress = fed([call, ...later, ended])
  expect([progress.tools, progress.issues]).toEqual([
    { c: 'requested' },
    ['bad_payload_or_transition'],
  ])
})

test('very long texts are forgotten page by page', () => {
  const producer = createProducer(run)
  const progress = createProgress({ run, window: 3 })
  for (let count = 0; count < 20; count++) {
    progress.feed(producer.emit('text.delta', { text: String(count % 10).repeat(70_000) }))
  }
  for (let count = 0; count < 1100; count++)
    progress.feed(producer.emit('text.delta', { text: '.' }))
  expect(progress.text).toBe('...')
  expect(progress.window).toEqual({ events: 3, forgotten: 1117, textDropped: 20 * 70_000 + 1097 })
})
