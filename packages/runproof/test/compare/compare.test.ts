import { describe, expect, it } from 'vitest'
import { changesMax, compareLines } from '../../src/compare/compare.ts'
import type { Difference, EventChange } from '../../src/compare/difference.ts'
import { chunk, parse, response, update, type Message } from '../normalise/acp-messages.ts'

const session = '{{session:1}}'
const call = (toolCallId: string, fields: Message): Message =>
  update(session, { sessionUpdate: 'tool_call_update', toolCallId, ...fields })

const golden: Message[] = [
  response('{{rpc:1}}', { protocolVersion: 1, agentInfo: { version: '0.0.1' } }),
  response('{{rpc:2}}', { sessionId: session }),
  chunk(session, 'I will'),
  chunk(session, ' look.'),
  update(session, { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'ls' }),
  call('c1', { status: 'in_progress' }),
  call('c1', { status: 'completed', content: [{ text: 'a\nb\n' }] }),
  update(session, { sessionUpdate: 'plan', entries: [] }),
  response('{{rpc:3}}', { stopReason: 'end_turn' }),
]
const lines = (messages: readonly unknown[]): string[] =>
  messages.map((message) => JSON.stringify(message))

function compare(actual: readonly unknown[], expected: readonly unknown[] = golden): Difference {
  const difference = compareLines({
    scenario: 'demo/one',
    file: 'stdout.golden.jsonl',
    expected: lines(expected),
    actual: lines(actual),
  })
  if (difference === null) throw new Error('no difference')
  return difference
}

const brief = (change: EventChange): unknown[] => [
  change.kind,
  'line' in change ? change.line : change.actualLine,
  change.event,
  ...('fields' in change ? change.fields.map(({ path }) => path) : []),
]

/** An event of a session log. */
const event = (seq: number, text: string): Message => ({
  type: 'assistant/chunk',
  seq,
  data: { chunk: { type: 'text-delta', text } },
})

describe('compareLines', () => {
  it('takes outputs of any length', () => {
    const actual = Array.from({ length: 200_000 }, (_, index) => `line ${index}`)
    const difference = compareLines({ scenario: 's', file: 'f', expected: null, actual })
    expect(difference).toMatchObject({ kind: 'extra', changeCount: actual.length })
  })

  it.each<[what: string, actual: unknown[], changes: unknown[][], summary: string]>([
    [
      'a changed field',
      golden.with(6, call('c1', { status: 'failed', content: [{ text: 'a\nc\n' }] })),
      [['changed', 7, 'tool_call_update', 'params.update.status', 'params.update.content[0].text']],
      'line 7 tool_call_update: params.update.status "completed" → "failed"',
    ],
    ['a missing event', golden.toSpliced(7, 1), [['missing', 8, 'plan']], 'line 8 plan is missing'],
    [
      'an extra event',
      golden.toSpliced(4, 0, chunk(session, 'more')),
      [['extra', 5, 'agent_message_chunk']],
      'extra agent_message_chunk at line 5 of the output',
    ],
    [
      'an event in another place',
      [...golden.slice(0, 7), ...golden.slice(8), ...golden.slice(7, 8)],
      [['moved', 8, 'plan']],
      'line 8 plan moved to line 9 of the output',
    ],
    [
      'the end cut off',
      golden.slice(0, 7),
      [
        ['missing', 8, 'plan'],
        ['missing', 9, 'response'],
      ],
      'line 8 plan is missing (+1 more)',
    ],
    [
      'other numbers only',
      golden.with(8, response('{{rpc:4}}', { stopReason: 'end_turn' })),
      [['renumbered', 9, 'response', 'id']],
      'line 9 response is numbered differently: id "{{rpc:3}}" → "{{rpc:4}}"',
    ],
    [
      'a field that is new and one that is gone',
      golden.with(
        4,
        update(session, { sessionUpdate: 'tool_call', toolCallId: 'c1', kind: 'read' }),
      ),
      [['changed', 5, 'tool_call', 'params.update.title', 'params.update.kind']],
      'line 5 tool_call: params.update.title "ls" → absent',
    ],
    [
      'another kind in one place',
      golden.with(7, { jsonrpc: '2.0', method: '_agent/notice', params: {} }),
      [
        ['missing', 8, 'plan'],
        ['extra', 8, '_agent/notice'],
      ],
      'line 8 plan is missing (+1 more)',
    ],
    [
      'an error for a result',
      golden.with(8, { jsonrpc: '2.0', id: '{{rpc:3}}', error: { code: -32603, message: 'no' } }),
      [
        ['missing', 9, 'response'],
        ['extra', 9, 'error response'],
      ],
      'line 9 response is missing (+1 more)',
    ],
  ])('tells %s', (_, actual, changes, summary) => {
    const difference = compare(actual)
    expect(difference.changes.map(brief)).toEqual(changes)
    expect(difference).toMatchObject({ kind: 'changed', summary, changeCount: changes.length })
  })

  it('follows the call that an event belongs to', () => {
    const expected = [call('a', { status: 'completed' }), call('b', { status: 'completed' })]
    const { changes } = compare([call('b', { status: 'failed' })], expected)
    expect(changes.map(brief)).toEqual([
      ['missing', 1, 'tool_call_update'],
      ['changed', 2, 'tool_call_update', 'params.update.status'],
    ])
  })

  it('tells a lost event of a log from what is only numbered anew', () => {
    const expected = ['a', 'b', 'c', 'd'].map((text, seq) => event(seq, text))
    const { changes } = compare(
      ['a', 'c', 'd'].map((text, seq) => event(seq, text)),
      expected,
    )
    expect(changes).toMatchObject([
      { kind: 'missing', line: 2, event: 'assistant/chunk text-delta' },
      { kind: 'renumbered', line: 3, actualLine: 2, count: 2, fields: [{ path: 'seq' }] },
    ])
  })

  it('compares lines of text as text', () => {
    const difference = compareLines({
      scenario: 's',
      file: 'progress.golden.txt',
      expected: ['1 text.delta => running | a', 'EOF => done | b'],
      actual: ['1 text.delta => running | a', 'EOF => unknown | c'],
    })
    expect(difference).toMatchObject({
      summary: 'line 2: "EOF => done | b" → "EOF => unknown | c"',
      changes: [{ kind: 'changed', event: 'line', fields: [] }],
    })
  })

  it.each([
    [lines(golden), lines(golden)],
    [['{"a":1,"b":{"c":2,"d":3}}'], ['{"b":{"d":3,"c":2},"a":1}']],
    [[], []],
    [null, null],
  ])('finds nothing where nothing differs', (expected, actual) => {
    expect(compareLines({ scenario: 's', file: 'f', expected, actual })).toBeNull()
  })

  it('tells a file that is missing from one that is new', () => {
    const base = { scenario: 's', file: 'session.1.jsonl' }
    expect(compareLines({ ...base, expected: ['{}'], actual: null })).toMatchObject({
      kind: 'missing',
      summary: 'session.1.jsonl is expected (1 line) and was not produced',
    })
    expect(compareLines({ ...base, expected: null, actual: ['{}', '{}'] })).toMatchObject({
      kind: 'extra',
      summary: 'there is no session.1.jsonl yet: the run produced 2 lines',
      changeCount: 2,
    })
    expect(compareLines({ ...base, expected: null, actual: [] })).toMatchObject({ kind: 'extra' })
  })

  it('counts what it does not list, and cuts what is long', () => {
    const many = Array.from({ length: changesMax + 50 }, (_, index) => ({ type: `t${index}` }))
    const { changes, changeCount } = compare([], many)
    expect(changes).toHaveLength(changesMax)
    expect(changeCount).toBe(changesMax + 50)
    const long = compare([{ text: 'y'.repeat(9000) }], [{ text: 'x'.repeat(9000) }])
    expect(JSON.stringify(long).length).toBeLessThan(15_000)
  })

  it('has a summary that is safe to print', () => {
    const { summary } = compare([{ jsonrpc: '2.0', method: 'a\u001b]0;x\u0007' }], [])
    expect(summary).toBe('extra a\\x1b]0;x\\x07 at line 1 of the output')
  })

  it('stays quick on outputs that have nothing in common', () => {
    const left = Array.from({ length: 3000 }, (_, index) => ({ type: 'a', text: `left ${index}` }))
    const right = Array.from({ length: 3000 }, (_, index) => ({
      type: 'a',
      text: `right ${index}`,
    }))
    const started = performance.now()
    expect(compare(right, left).changeCount).toBe(3000)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

/** The same with another version of the agent. */
const bump = (messages: Message[]): Message[] =>
  messages.map((message) => parse(JSON.stringify(message).replace('0.0.1', '0.0.2')))

const title = (text: string): Message =>
  update(session, { sessionUpdate: 'tool_call', title: text })

describe('causes', () => {
  const other = [golden[0] ?? {}, chunk(session, 'Another scenario altogether.')]

  it('are one for one change in many scenarios', () => {
    expect(compare(bump(golden)).cause).toBe(compare(bump(other), other).cause)
  })

  it('are one where the same edit meets different values', () => {
    expect(compare([title('read a.txt')], [title('Read a.txt')]).cause).toBe(
      compare([title('read b/c.ts')], [title('Read b/c.ts')]).cause,
    )
  })

  it('differ for different edits, kinds and files', () => {
    const changed = golden.with(8, response('{{rpc:3}}', { stopReason: 'refusal' }))
    const cut = golden.toSpliced(8, 1)
    const causes = [bump(golden), changed, cut].map((actual) => compare(actual).cause)
    const inLog = compareLines({
      scenario: 'demo/one',
      file: 'session.jsonl',
      expected: lines(golden),
      actual: lines(cut),
    })?.cause
    expect(new Set([...causes, inLog]).size).toBe(4)
  })

  const long = 'x'.repeat(5000)
  const said = (text: string): Message[] => [chunk(session, text)]
  const numbered = (number: number): Message[] => [chunk(`{{session:${number}}}`, 'a')]
  it.each<[what: string, one: [Message[], Message[]], two: [Message[], Message[]]]>([
    ['come', [[], said('a')], [[], said('b')]],
    ['go', [said('a'), []], [said('b'), []]],
    ['come, alike for long', [[], said(`${long}a`)], [[], said(`${long}b`)]],
    ['change, alike for long', [said(`${long}a`), said(`${long}b`)], [said('a'), said('c')]],
    ['name another session', [numbered(1), numbered(2)], [numbered(1), numbered(3)]],
  ])('differ for events that %s with other words', (_what, one, two) => {
    const [first, second] = [one, two].map(([before, after]) => compare(after, before).cause)
    expect(first).not.toBe(second)
  })

  it('are one for the same event of calls with other ids', () => {
    const announce = (id: string): Message[] => [
      update(session, { sessionUpdate: 'tool_call', toolCallId: id, title: 'read' }),
    ]
    expect(compare(announce('call_1'), []).cause).toBe(compare(announce('call_2'), []).cause)
  })

  it('know an event that moved only when it is word for word the same, to its end', () => {
    const before = [...said(`${long}a`), response('{{rpc:1}}', {})]
    const after = [response('{{rpc:1}}', {}), ...said(`${long}b`)]
    expect(compare(after, before).changes.map(({ kind }) => kind)).not.toContain('moved')
  })
})
