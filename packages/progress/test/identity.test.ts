/** What makes two envelopes the same event, at every place of the ledger. */
import { createProducer, createProgress } from '@runproof/progress'
import type { Envelope } from '@runproof/progress'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const run = 'r'
const kind = 'x.y'

/** The effect of a second envelope with the id of the first. */
function second(first: object, again: object): 'duplicate' | 'conflict' {
  const base = { run, id: 'e', seq: 1, kind, data: {} }
  const progress = createProgress({ run, ignoreKinds: [kind] })
  progress.feed({ ...base, ...first })
  progress.feed({ ...base, ...first, ...again })
  return progress.duplicates === 1 && progress.issues.length === 0 ? 'duplicate' : 'conflict'
}

test.each<[string, Partial<Envelope>, object, 'duplicate' | 'conflict']>([
  ['nothing changed', {}, {}, 'duplicate'],
  ['another kind', {}, { kind: 'text.delta', data: { text: '' } }, 'conflict'],
  ['another seq', {}, { seq: 2 }, 'conflict'],
  [
    'keys in another order',
    { data: { a: 1, b: { c: 2, d: 3 } } },
    { data: { b: { d: 3, c: 2 }, a: 1 } },
    'duplicate',
  ],
  ['items in another order', { data: { a: [1, 2] } }, { data: { a: [2, 1] } }, 'conflict'],
  [
    '1 and 1.0, which JavaScript reads alike',
    { data: { n: 1 } },
    { data: JSON.parse('{"n":1.0}') },
    'duplicate',
  ],
  ['0 and -0', { data: { n: 0 } }, { data: { n: -0 } }, 'duplicate'],
  ['1 and true', { data: { n: 1 } }, { data: { n: true } }, 'conflict'],
  ['0 and false', { data: { n: 0 } }, { data: { n: false } }, 'conflict'],
  ['1 and "1"', { data: { n: 1 } }, { data: { n: '1' } }, 'conflict'],
  ['null and a missing key', { data: { n: null } }, { data: {} }, 'conflict'],
  ['null and "null"', { data: { n: null } }, { data: { n: 'null' } }, 'conflict'],
  ['[] and {}', { data: { n: [] } }, { data: { n: {} } }, 'conflict'],
  ['neighbouring doubles', { data: { n: 0.1 } }, { data: { n: 0.10000000000000002 } }, 'conflict'],
  ['composed and decomposed é', { data: { s: '\u00E9' } }, { data: { s: 'e\u0301' } }, 'conflict'],
  ['an own __proto__', { data: JSON.parse('{"__proto__":1}') }, { data: {} }, 'conflict'],
  [
    'two own __proto__',
    { data: JSON.parse('{"__proto__":1}') },
    { data: JSON.parse('{"__proto__":2}') },
    'conflict',
  ],
  [
    'a quote that looks like the next field',
    { data: { s: 'a","t":"b' } },
    { data: { s: 'a', t: 'b' } },
    'conflict',
  ],
  ['text', { kind: 'text.delta', data: { text: 'ab' } }, { data: { text: 'ac' } }, 'conflict'],
  [
    'text and a longer one',
    { kind: 'text.delta', data: { text: 'ab' } },
    { data: { text: 'abc' } },
    'conflict',
  ],
  [
    'one string, two kinds',
    { kind: 'tool.requested', data: { call_id: 'a' } },
    { kind: 'tool.started' },
    'conflict',
  ],
  [
    'a string payload and its JSON',
    { kind: 'text.delta', data: { text: '["text.delta",{}]' } },
    { data: {} },
    'conflict',
  ],
  ['a lone surrogate', { data: { s: '\uD800' } }, { data: { s: '\uD801' } }, 'conflict'],
])('%s', (_, first, again, expected) => {
  expect(second(first, again)).toBe(expected)
})

/** The same JSON value with the keys of every object written the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, turned(member)]),
  )
}

/** Levels around a payload, up to more than are looked over before they are written. */
const nested = (value: unknown, levels: number): unknown =>
  levels === 0 ? value : { around: nested(value, levels - 1) }

test('the order of keys never matters, the value always does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.nat(40), (value, other, levels) => {
      const data = { value: nested(value, levels) }
      expect(second({ data: { ...data } }, { data: turned(data) })).toBe('duplicate')
      const longer = { value: nested([value, other], levels) }
      expect(second({ data }, { data: longer })).toBe('conflict')
    }),
  )
})

test('the order of keys does not matter in a payload of many members', () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => [`k${100_000 + index}`, index])
  const data = Object.fromEntries(entries)
  expect(second({ data }, { data: turned(data) })).toBe('duplicate')
  expect(second({ data }, { data: { ...data, k119999: 0 } })).toBe('conflict')
})

test('an id is remembered before its seq is judged', () => {
  const progress = createProgress({ run })
  const early = { run, id: 'early', seq: 9, kind: 'text.delta', data: { text: 'x' } }
  progress.feed(early)
  progress.feed(early)
  expect([progress.issues, progress.duplicates]).toEqual([['sequence_gap_or_reorder'], 1])
  expect([progress.text, progress.lastSeq]).toEqual(['x', 9])
})

test('issues come in the order they were first met, each once', () => {
  const progress = createProgress({ run })
  progress.feed({ run, id: 'a', seq: 2, kind: 'x.y', data: {} })
  progress.feed(null)
  progress.feed({ run, id: 'a', seq: 3, kind: 'x.y', data: {} })
  progress.feed({ run, id: 'b', seq: 9, kind: 'x.y', data: {} })
  progress.end()
  progress.feed({ run, id: 'c', seq: 9, kind: 'x.y', data: {} })
  expect(progress.issues).toEqual([
    'sequence_gap_or_reorder',
    'unknown_event',
    'bad_envelope',
    'id_conflict',
    'event_after_transport_close',
  ])
})

/** Logs longer than a page of the ledger, by how they name their events. */
const namings: [string, (seq: number) => string][] = [
  ['as the producer does', (seq) => `r:${seq}`],
  ['from 0 on', (seq) => `r:${seq - 1}`],
  ['with leading zeros', (seq) => `r:${String(seq).padStart(6, '0')}`],
  ['with other names', (seq) => `event-${(seq * 7919) % 100_003}`],
  ['regular at first only', (seq) => (seq < 1500 ? `r:${seq}` : `late-${seq}`)],
  ['with swapped numbers', (seq) => `r:${seq % 2 === 0 ? seq - 1 : seq + 1}`],
]

/** Mostly short; long enough now and then to fill a page by itself. */
const text = (seq: number): string =>
  seq % 500 === 0 ? `<${seq}${'long'.repeat(20_000)}>` : `${seq} `

describe.each(namings)('a long log named %s', (_, name) => {
  const size = 3000
  const envelope = (seq: number, said = text(seq)): Envelope => ({
    run,
    id: name(seq),
    seq,
    ...(seq % 3 === 0
      ? { kind: 'tool.requested', data: { call_id: said } }
      : { kind: 'text.delta', data: { text: said } }),
  })
  const seqs = Array.from({ length: size }, (_unused, index) => index + 1)
  const fed = (): ReturnType<typeof createProgress> => {
    const progress = createProgress({ run })
    for (const seq of seqs) progress.feed(envelope(seq))
    return progress
  }

  test('tells every repetition and every conflict', () => {
    const progress = fed()
    for (const seq of seqs) progress.feed(envelope(seq))
    expect([progress.issues, progress.duplicates]).toEqual([[], size])
    const conflicts = seqs.filter((seq) => {
      const before = progress.duplicates
      progress.feed(envelope(seq, `${text(seq)}!`))
      return progress.duplicates === before
    })
    expect(conflicts).toEqual(seqs)
    expect(progress.issues).toEqual(['id_conflict'])
  })

  test('keeps the text whole and in order', () => {
    expect(fed().text).toBe(
      seqs
        .filter((seq) => seq % 3 !== 0)
        .map((seq) => text(seq))
        .join(''),
    )
  })
})

/**
 * Ids that all have one hash in id-index.ts: one text of each pair, in order.
 * Found offline; under another hash this is a test like the others.
 */
const pairs = [
  ['gwzx', '16cd'],
  ['yyao', '1kia'],
  ['g3zx', '1pad'],
  ['epvu', '33ea'],
  ['zwfo', '2uja'],
  ['g3zx', '1pad'],
  ['epvu', '33ea'],
]
const colliding = pairs.reduce(
  (ids, pair) => ids.flatMap((id) => pair.map((part) => id + part)),
  [''],
)

test.each([null, 200])('ids chosen to share one hash are told apart, window %s', (window) => {
  const progress = createProgress({ run, ...(window === null ? {} : { window }) })
  const envelope = (id: string, index: number): Envelope => ({
    run,
    id,
    seq: index + 1,
    kind: 'text.delta',
    data: { text: 'x' },
  })
  const filler = Array.from({ length: 5000 }, (_, index) => `filler-${index}`)
  const events = [...colliding, ...filler, ...colliding.map((id) => `${id}!`)].map((id, index) =>
    envelope(id, index),
  )
  for (const event of events) progress.feed(event)
  expect([progress.issues, progress.duplicates]).toEqual([[], 0])
  const remembered = events.slice(window === null ? 0 : -window)
  for (const event of remembered) progress.feed(event)
  expect([progress.issues, progress.duplicates]).toEqual([[], remembered.length])
  for (const event of remembered) progress.feed({ ...event, data: { text: 'y' } })
  expect([progress.issues, progress.duplicates]).toEqual([['id_conflict'], remembered.length])
})

test('text after the end of a run is remembered and not shown', () => {
  const producer = createProducer(run)
  const progress = createProgress({ run })
  progress.feed(producer.emit('text.delta', { text: 'shown' }))
  progress.feed(producer.emit('run.ended', { outcome: 'failed', final_text: null }))
  const late = producer.emit('text.delta', { text: 'late' })
  progress.feed(late)
  progress.feed(late)
  expect([progress.text, progress.duplicates]).toEqual(['shown', 1])
  expect(progress.issues).toEqual(['event_after_terminal'])
})
