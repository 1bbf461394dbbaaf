/**
 * Generators of logs: what a producer would write, and what a bad transport or
 * a wrong program makes of it. All values are I-JSON.
 */
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import type { Envelope } from '@runproof/progress'

export const run = 'run'
export const finalTexts = ['', 'ab', '合成 ✓ 😀'] as const
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const fixed = (kind: string, data: Envelope['data']): fc.Arbitrary<Envelope> =>
  fc.constant({ run, id: '', seq: 0, kind, data })
const oneOf = (kind: string, field: string, values: readonly string[]): fc.Arbitrary<Envelope> =>
  fc
    .constantFrom(...values)
    .map((value) => ({ run, id: '', seq: 0, kind, data: { [field]: value } }))

const calls = ['c', 'd', '__proto__'] as const

/** One event that keeps the rules by itself; most sequences of them do, too. */
const goodEvent: fc.Arbitrary<Envelope> = fc.oneof(
  { arbitrary: oneOf('text.delta', 'text', [...finalTexts, 'a']), weight: 6 },
  { arbitrary: oneOf('model.completed', 'response_id', ['m']), weight: 2 },
  { arbitrary: oneOf('tool.requested', 'call_id', calls), weight: 3 },
  { arbitrary: oneOf('tool.started', 'call_id', calls), weight: 3 },
  { arbitrary: oneOf('tool.finished', 'call_id', calls), weight: 3 },
  { arbitrary: oneOf('tool.failed', 'call_id', calls), weight: 2 },
  { arbitrary: fixed('approval.wait', {}), weight: 1 },
  { arbitrary: fixed('cancel.requested', {}), weight: 1 },
)

const outcomes = [
  'succeeded',
  'succeeded',
  'succeeded',
  'paused',
  'cancelled',
  'failed',
  'incomplete',
]

const ending: fc.Arbitrary<Envelope[]> = fc
  .record({
    outcome: fc.constantFrom(...outcomes),
    text: fc.constantFrom(...finalTexts),
    isNull: fc.nat(5).map((draw) => draw === 0),
    checked: fc.constantFrom(...finalTexts, null),
    ok: fc.boolean(),
  })
  .map(({ outcome, text, isNull, checked, ok }) => {
    const ended = { outcome, final_text: isNull ? null : text }
    const events = [{ run, id: '', seq: 0, kind: 'run.ended', data: ended }]
    const data = { digest: digestOf(checked ?? text), ok }
    return [...events, { run, id: '', seq: 0, kind: 'app.checked', data }]
  })

/** How a producer names its events; the first is this package's own way. */
const namings: ((seq: number) => string)[] = [
  (seq) => `${run}:${seq}`,
  (seq) => `${run}:${seq}`,
  (seq) => `event-${seq}`,
  (seq) => `${run}:0${seq}`,
  (seq) => `${run}:${seq - 1}`,
  (seq) => (seq > 3 ? `${run}:${seq + 1}` : `${run}:${seq}`),
]

/** A log as one producer writes it: numbered without gaps, ids of one make. */
export const ownLog: fc.Arbitrary<Envelope[]> = fc
  .tuple(
    fc.array(goodEvent, { maxLength: 8 }),
    fc.option(ending, { nil: [], freq: 4 }),
    fc.array(goodEvent, { maxLength: 1 }),
    fc.constantFrom(...namings),
  )
  .map(([before, end, after, name]) =>
    [...before, ...end, ...after].map((event, index) => {
      const seq = index + 1
      return { ...event, id: name(seq), seq }
    }),
  )

/** Integers beyond 2^53 are no I-JSON: JavaScript cannot tell them from their neighbours. */
const json = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !/(?<![.\d])\d{16}/.test(JSON.stringify(value)))
/** Values that a field may wrongly have. */
const wrong: fc.Arbitrary<unknown> = fc.oneof(
  json,
  fc.constantFrom<unknown>(
    0,
    -1,
    1.5,
    2,
    40,
    2 ** 53,
    true,
    '',
    '1',
    null,
    [],
    {},
    'run:1',
    'other',
  ),
  fc.constantFrom('text.delta', 'run.ended', 'app.checked', 'tool.started', 'future.kind'),
)

type TransportFault = { is: 'repeat' | 'delete' | 'swap' | 'foreign'; at: number; to: number }
type ValueFault = { is: 'garbage' | 'field' | 'data'; at: number; key: string; value: unknown }

const at = fc.nat(20)
const transportFault: fc.Arbitrary<TransportFault> = fc.record({
  is: fc.constantFrom('repeat', 'delete', 'swap', 'foreign'),
  at,
  to: at,
})

const envelopeKeys = ['run', 'id', 'seq', 'kind', 'data', 'extra', '__proto__']
const dataKeys = ['text', 'call_id', 'outcome', 'final_text', 'digest', 'ok', '__proto__']
const valueFault: fc.Arbitrary<ValueFault> = fc.oneof(
  fc.record({ is: fc.constant('garbage'), at, key: fc.constant(''), value: json }),
  fc.record({ is: fc.constant('field'), at, key: fc.constantFrom(...envelopeKeys), value: wrong }),
  fc.record({ is: fc.constant('data'), at, key: fc.constantFrom(...dataKeys), value: wrong }),
)

/** The log after one fault of the transport; positions wrap around. */
function disturb<T>(log: readonly T[], { is, at: from, to }: TransportFault): T[] {
  const index = from % Math.max(1, log.length)
  const other = to % Math.max(1, log.length)
  const event = log[index]
  const instead = log[other]
  if (event === undefined || instead === undefined) return [...log]
  switch (is) {
    case 'repeat':
      return log.toSpliced(to % (log.length + 1), 0, event)
    case 'delete':
      return log.toSpliced(index, 1)
    case 'swap':
      return log.with(index, instead).with(other, event)
    default: {
      const foreign = structuredClone(event)
      if (typeof foreign === 'object' && foreign !== null) Object.assign(foreign, { run: 'other' })
      return log.toSpliced(to % (log.length + 1), 0, foreign)
    }
  }
}

/** The log after one wrong value; positions wrap around. */
function spoil(log: readonly unknown[], { is, at: from, key, value }: ValueFault): unknown[] {
  const index = from % Math.max(1, log.length)
  if (is === 'garbage' || log.length === 0) return log.toSpliced(index, 0, value)
  const event = log[index]
  if (is === 'field') return log.with(index, withOwn(event, key, value))
  return log.with(index, withOwn(event, 'data', withOwn(Object(event).data, key, value)))
}

/** A copy with one own key set, `__proto__` included. */
function withOwn(value: unknown, key: string, own: unknown): unknown {
  const copy: unknown = structuredClone(value)
  if (typeof copy !== 'object' || copy === null) return copy
  return Object.defineProperty(copy, key, {
    value: own,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** A log, and the same after one repetition, deletion, swap or foreign event. */
export const faultyOnce: fc.Arbitrary<{ log: Envelope[]; faulty: Envelope[] }> = fc
  .tuple(ownLog, transportFault)
  .map(([log, fault]) => ({ log, faulty: disturb(log, fault) }))

/** Any log: a good one after up to four faults of any kind. */
export const anyLog: fc.Arbitrary<unknown[]> = fc
  .tuple(
    ownLog,
    fc.array(transportFault, { maxLength: 2 }),
    fc.array(valueFault, { maxLength: 2 }),
    fc.array(transportFault, { maxLength: 1 }),
  )
  .map(([log, first, values, last]) => {
    const spoilt = values.reduce<unknown[]>(spoil, first.reduce(disturb, log))
    return last.reduce(disturb, spoilt)
  })
