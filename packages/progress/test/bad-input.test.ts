/** Bad input is data: every kind of it gives its issue, in the seed's order of checks. */
import { createProgress, isEnvelope, reduceProgress } from '@runproof/progress'
import { describe, expect, test } from 'vitest'

const run = 'r'
const event = (fields: object = {}): Record<string, unknown> => ({
  run,
  id: 'r:1',
  seq: 1,
  kind: 'text.delta',
  data: { text: 'x' },
  ...fields,
})
const without = (key: string): object =>
  Object.fromEntries(Object.entries(event()).filter(([name]) => name !== key))
const issuesOf = (...events: unknown[]): string[] => reduceProgress(events, { run }).issues

class Instance {
  run = run
  id = 'r:1'
  seq = 1
  kind = 'text.delta'
  data = { text: 'x' }
}

const throwing = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error('no keys for you')
    },
  },
)
const revoked = Proxy.revocable({}, {})
revoked.revoke()

describe('bad_envelope', () => {
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'event'],
    ['a number', 7],
    ['a function', () => event()],
    ['a BigInt', 1n],
    ['a symbol', Symbol('x')],
    ['an array', [event()]],
    ['a Date', new Date(0)],
    ['a Map', new Map(Object.entries(event()))],
    ['an instance of a class', new Instance()],
    ['inherited fields', Object.create(event())],
    [
      'inherited data without a prototype',
      Object.create(Object.assign(Object.create(null), event())),
    ],
    ['no run', without('run')],
    ['no id', without('id')],
    ['no seq', without('seq')],
    ['no kind', without('kind')],
    ['no data', without('data')],
    ['a sixth key', event({ extra: 1 })],
    [
      '__proto__ instead of data',
      JSON.parse(
        '{"run":"r","id":"r:1","seq":1,"kind":"text.delta","__proto__":{"data":{"text":"x"}}}',
      ),
    ],
    [
      '__proto__ as a sixth key',
      JSON.parse('{"run":"r","id":"r:1","seq":1,"kind":"text.delta","data":{},"__proto__":{}}'),
    ],
    ['an empty run', event({ run: '' })],
    ['an empty id', event({ id: '' })],
    ['an empty kind', event({ kind: '' })],
    ['a numeric run', event({ run: 1 })],
    ['a numeric id', event({ id: 1 })],
    ['a String object as kind', event({ kind: Object('text.delta') })],
    ['seq 0', event({ seq: 0 })],
    ['seq -1', event({ seq: -1 })],
    ['seq 1.5', event({ seq: 1.5 })],
    ['seq true', event({ seq: true })],
    ['seq as text', event({ seq: '1' })],
    ['seq null', event({ seq: null })],
    ['seq NaN', event({ seq: Number.NaN })],
    ['seq Infinity', event({ seq: Number.POSITIVE_INFINITY })],
    ['seq as a BigInt', event({ seq: 1n })],
    ['seq above 2^53', event({ seq: 2 ** 54 })],
    ['data null', event({ data: null })],
    ['data as an array', event({ data: ['x'] })],
    ['data as text', event({ data: 'x' })],
    ['data as a Map', event({ data: new Map() })],
    ['data as a Date', event({ data: new Date(0) })],
    [
      'a throwing getter',
      Object.defineProperty(event(), 'id', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      }),
    ],
    ['a throwing proxy', throwing],
    ['a revoked proxy', revoked.proxy],
    ['data as a revoked proxy', event({ data: revoked.proxy })],
  ])('%s', (_, value) => {
    expect(isEnvelope(value)).toBe(false)
    expect(issuesOf(value)).toEqual(['bad_envelope'])
  })

  test('comes before the run: a malformed envelope of another run is not foreign', () => {
    const progress = reduceProgress([event({ run: 'other', seq: 0 })], { run })
    expect([progress.issues, progress.foreign]).toEqual([['bad_envelope'], 0])
  })
})

describe('a plain object is one whatever made it', () => {
  test.each<[string, unknown]>([
    ['a literal', event()],
    ['JSON text', JSON.parse(JSON.stringify(event()))],
    ['no prototype', Object.assign(Object.create(null), event())],
    ['keys in another order', Object.fromEntries(Object.entries(event()).toReversed())],
    ['a structured clone', structuredClone(event())],
    [
      'data without a prototype',
      event({ data: Object.assign(Object.create(null), { text: 'x' }) }),
    ],
    ['a good proxy', new Proxy(event(), {})],
  ])('%s', (_, value) => {
    const progress = reduceProgress([value], { run })
    expect([progress.issues, progress.text]).toEqual([[], 'x'])
  })
})

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
const shared = { a: 1 }

describe('not_json', () => {
  test.each<[string, Record<string, unknown>]>([
    ['undefined', { text: undefined }],
    ['undefined beside the field', { text: 'x', more: undefined }],
    ['a function', { text: () => 'x' }],
    ['toJSON', { text: 'x', toJSON: () => ({}) }],
    ['a symbol', { text: Symbol('x') }],
    ['a BigInt', { text: 1n }],
    ['NaN', { text: Number.NaN }],
    ['Infinity', { text: Number.POSITIVE_INFINITY }],
    ['a Date', { text: new Date(0) }],
    ['a String object', { text: Object('x') }],
    ['a Map inside', { text: { deep: [new Map()] } }],
    ['an instance inside', { text: new Instance() }],
    ['a cycle', cyclic],
    ['a cycle through an array', { list: [[cyclic]] }],
    ['a hole in an array', { list: Array.from({ length: 3 }).fill(0, 1) }],
    // oxlint-disable-next-line unicorn/no-new-array -- an array of holes is the point
    ['a huge array of holes', { list: new Array(2 ** 32 - 1) }],
    [
      'a throwing getter',
      {
        get text() {
          throw new Error('no')
        },
      },
    ],
    ['a revoked proxy inside', { text: revoked.proxy }],
  ])('%s', (_, data) => {
    expect(issuesOf(event({ data }))).toEqual(['not_json'])
    expect(issuesOf(event({ kind: 'future.kind', data }))).toEqual(['not_json'])
  })

  test('Infinity from JSON text', () => {
    const text = '{"run":"r","id":"r:1","seq":1,"kind":"x.y","data":{"n":1e400}}'
    expect(issuesOf(JSON.parse(text))).toEqual(['not_json'])
  })

  test('comes before identity: the event is not remembered', () => {
    expect(issuesOf(event({ data: { text: 1n } }), event())).toEqual(['not_json'])
  })

  test('comes after the run: what is foreign is not looked at', () => {
    const progress = reduceProgress([event({ run: 'other', data: { text: 1n } })], { run })
    expect([progress.issues, progress.foreign]).toEqual([[], 1])
  })

  test('is not said of one object used twice, however deep', () => {
    let data: object = { a: shared, b: [shared] }
    for (let depth = 0; depth < 50; depth++) {
      expect(issuesOf(event({ kind: 'x.y', data }))).toEqual(['unknown_event'])
      data = { data }
    }
  })
})

describe('nesting of any depth', () => {
  const depth = 20_000
  const nested = (inner: string): unknown =>
    JSON.parse('{"a":['.repeat(depth) + inner + ']}'.repeat(depth))

  test('is read, compared and never overflows', () => {
    const progress = createProgress({ run })
    progress.feed(event({ kind: 'x.y', data: nested('1') }))
    progress.feed(event({ kind: 'x.y', data: nested('1') }))
    expect([progress.issues, progress.duplicates]).toEqual([['unknown_event'], 1])
    progress.feed(event({ kind: 'x.y', data: nested('2') }))
    expect(progress.issues).toEqual(['unknown_event', 'id_conflict'])
  })

  test('in a known kind is a bad payload', () => {
    expect(issuesOf(event({ kind: 'run.ended', data: nested('1') }))).toEqual([
      'bad_payload_or_transition',
    ])
  })
})

describe('bad_payload_or_transition', () => {
  const ended = (data: object): unknown => event({ kind: 'run.ended', data })
  test.each<[string, unknown]>([
    ['text that is a number', event({ data: { text: 1 } })],
    ['text with a second field', event({ data: { text: 'x', more: 1 } })],
    ['no text', event({ data: {} })],
    ['__proto__ beside the text', event({ data: JSON.parse('{"text":"x","__proto__":1}') })],
    ['an empty response_id', event({ kind: 'model.completed', data: { response_id: '' } })],
    ['a response_id of null', event({ kind: 'model.completed', data: { response_id: null } })],
    ['an empty call_id', event({ kind: 'tool.requested', data: { call_id: '' } })],
    ['a call_id that is a list', event({ kind: 'tool.requested', data: { call_id: ['c'] } })],
    ['tool.started without a request', event({ kind: 'tool.started', data: { call_id: 'c' } })],
    ['tool.finished without a request', event({ kind: 'tool.finished', data: { call_id: 'c' } })],
    ['tool.failed without a request', event({ kind: 'tool.failed', data: { call_id: 'c' } })],
    ['approval.wait with a field', event({ kind: 'approval.wait', data: { reason: 'x' } })],
    ['cancel.requested with a field', event({ kind: 'cancel.requested', data: { reason: 'x' } })],
    ['an outcome that is unknown', ended({ outcome: 'done', final_text: 'x' })],
    ['an outcome that is a list', ended({ outcome: ['succeeded'], final_text: 'x' })],
    ['an outcome from the prototype', ended({ outcome: 'constructor', final_text: null })],
    ['no final_text', ended({ outcome: 'failed' })],
    ['a third field', ended({ outcome: 'failed', final_text: null, more: 1 })],
    ['final_text that is a number', ended({ outcome: 'failed', final_text: 0 })],
    ['success without a final text', ended({ outcome: 'succeeded', final_text: null })],
    ['a lone surrogate in a success', ended({ outcome: 'succeeded', final_text: 'a\uD800b' })],
    ['a lone surrogate in a failure', ended({ outcome: 'failed', final_text: '\uDC00' })],
    ['app.checked before the end', event({ kind: 'app.checked', data: { digest: 'x', ok: true } })],
    ['app.checked without ok', event({ kind: 'app.checked', data: { digest: 'x' } })],
  ])('%s', (_, value) => {
    const progress = reduceProgress([value], { run })
    expect([progress.issues, progress.status]).toEqual([['bad_payload_or_transition'], 'unknown'])
    expect([progress.terminal, progress.text, progress.tools]).toEqual([null, '', {}])
  })

  test('lone surrogates elsewhere are text like any other', () => {
    expect(reduceProgress([event({ data: { text: '\uD800' } })], { run }).text).toBe('\uD800')
  })
})

test('names from Object.prototype are call ids like any other', () => {
  const progress = createProgress({ run })
  const calls = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
  for (const [index, call] of calls.entries()) {
    const seq = index + 1
    progress.feed(event({ id: `r:${seq}`, seq, kind: 'tool.requested', data: { call_id: call } }))
  }
  expect(Object.keys(progress.tools)).toEqual(calls)
  expect(Object.getPrototypeOf(progress.tools)).toBe(null)
  expect(progress.issues).toEqual([])
})

test('a later change of the caller’s object changes nothing', () => {
  const first = event()
  const progress = reduceProgress([first], { run })
  first['data'] = { text: 'changed' }
  progress.feed(event())
  expect([progress.text, progress.duplicates, progress.issues]).toEqual(['x', 1, []])
})
