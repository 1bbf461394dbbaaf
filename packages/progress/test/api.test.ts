/** The small public pieces: producer, messages, acceptance, options, envelopes. */
import {
  createProducer,
  createProgress,
  isEnvelope,
  messageFor,
  messages,
  reduceProgress,
  statuses,
  verdictFor,
} from '@runproof/progress'
import type { Lang, ProgressOptions, Status } from '@runproof/progress'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'

const run = 'r'

describe('createProducer', () => {
  test('numbers envelopes from 1 and names them after the run', () => {
    const producer = createProducer(run)
    expect(producer.seq).toBe(0)
    expect(producer.emit('text.delta', { text: 'x' })).toEqual({
      run,
      id: 'r:1',
      seq: 1,
      kind: 'text.delta',
      data: { text: 'x' },
    })
    const second = producer.emit('my.kind', { any: [1] })
    expect([second.id, second.seq, producer.seq, producer.run]).toEqual(['r:2', 2, 2, run])
    expect(isEnvelope(second)).toBe(true)
  })

  test('a wrong call numbers nothing', () => {
    const producer = createProducer(run)
    expect(() => producer.emit('', {})).toThrow(TypeError)
    // @ts-expect-error -- a known kind has its own payload
    producer.emit('text.delta', { txt: 'x' })
    // @ts-expect-error -- data is an object
    expect(() => producer.emit('my.kind', [])).toThrow(TypeError)
    expect(producer.seq).toBe(1)
    expect(() => createProducer('')).toThrow(TypeError)
  })
})

describe('messages', () => {
  test('there is one for every status in both languages, all different', () => {
    for (const lang of ['en', 'zh'] as const) {
      expect(Object.keys(messages[lang]).toSorted()).toEqual(statuses.toSorted())
      expect(new Set(Object.values(messages[lang])).size).toBe(statuses.length)
    }
    expect(messageFor('done', 'zh')).toBe(messages.zh.done)
    expect(messageFor('done')).toBe(messages.en.done)
  })

  test('no English message but done says so, and only done calls the task done', () => {
    for (const status of statuses) {
      expect([status, /\bdone\b/i.test(messages.en[status])]).toEqual([status, status === 'done'])
    }
  })

  test.each([
    ['toString', 'en'],
    ['done', 'constructor'],
    ['done', 'fr'],
  ])('%s in %s is a TypeError', (status, lang) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a JavaScript caller may pass
    expect(() => messageFor(status as Status, lang as Lang)).toThrow(TypeError)
  })
})

const ended = (outcome: 'succeeded' | 'failed', text: string) =>
  reduceProgress([createProducer(run).emit('run.ended', { outcome, final_text: text })], { run })

describe('acceptance', () => {
  test.each(['', 'All tidy.', '合成 ✓', '😀\u0000'])(
    'the digest of %j is SHA-256 of its UTF-8',
    (text) => {
      const digest = createHash('sha256').update(text, 'utf8').digest('hex')
      expect(verdictFor(ended('succeeded', text), true)).toEqual({ digest, ok: true })
      expect(verdictFor(ended('succeeded', text), false)).toEqual({ digest, ok: false })
    },
  )

  test('without a candidate it is a TypeError', () => {
    expect(() => verdictFor(createProgress({ run }), true)).toThrow(TypeError)
    expect(() => verdictFor(ended('failed', 'x'), true)).toThrow(TypeError)
    // @ts-expect-error -- a verdict is a boolean, not something truthy
    expect(() => verdictFor(ended('succeeded', 'x'), 1)).toThrow(TypeError)
  })

  test('a second verdict is refused, whatever it says', () => {
    const producer = createProducer(run)
    const progress = createProgress({ run })
    progress.feed(producer.emit('run.ended', { outcome: 'succeeded', final_text: 'x' }))
    const verdict = verdictFor(progress, false)
    progress.feed(producer.emit('app.checked', verdict))
    expect(progress.status).toBe('rejected')
    progress.feed(producer.emit('app.checked', { ...verdict, ok: true }))
    expect([progress.issues, progress.verdict]).toEqual([['bad_payload_or_transition'], false])
  })
})

describe('options', () => {
  test.each<[string, object]>([
    ['no run', {}],
    ['an empty run', { run: '' }],
    ['a window of 0', { run, window: 0 }],
    ['half a window', { run, window: 1.5 }],
    ['a window as text', { run, window: '5' }],
    ['a reorder buffer of 0', { run, reorderEventsMax: 0 }],
    ['a reorder buffer above its limit', { run, reorderEventsMax: 1025 }],
    ['kinds that are no list', { run, ignoreKinds: 'x.y' }],
    ['kinds that are no text', { run, ignoreKinds: [1] }],
    ['evidence to be ignored', { run, ignoreKinds: ['x.y', 'cancel.requested'] }],
  ])('%s is a TypeError', (_, options) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a JavaScript caller may pass
    expect(() => createProgress(options as ProgressOptions)).toThrow(TypeError)
  })

  test('limits are allowed', () => {
    const options = { run, window: 1, reorderEventsMax: 1024, ignoreKinds: [] }
    expect(createProgress(options).status).toBe('running')
  })
})

test('an ignorable kind is evidence of disorder like any other', () => {
  const producer = createProducer(run)
  const progress = createProgress({ run, ignoreKinds: ['beat'] })
  progress.feed(producer.emit('beat', { n: 1 }))
  progress.feed(producer.emit('run.ended', { outcome: 'succeeded', final_text: 'x' }))
  expect(progress.status).toBe('checking')
  progress.feed(producer.emit('beat', { n: 2 }))
  expect(progress.issues).toEqual(['event_after_terminal'])
})
