import { describe, expect, it } from 'vitest'
import type { NormaliseContext } from '../../src/normalise/context.ts'
import { goldenMode, normaliseTranscript } from '../../src/normalise/transcript.ts'
import { isRecord } from '../../src/transcript/line.ts'
import { chunk, parse, permission, response, update, type Message } from './acp-messages.ts'

const first = '0b1d9d6e-7a1c-4f0e-9a57-52d0a7b7a001'
const second = '5f0c6a1e-3a52-4c57-8f21-52d0a7b7a002'
const stray = '9e107d9d-372b-4c57-8f21-52d0a7b7a003'

const normal = (messages: Message[], context: NormaliseContext = {}): unknown[] =>
  normaliseTranscript(messages, context).map((line): unknown => JSON.parse(line))

describe('typed tokens', () => {
  it('keep the identity of sessions, also inside text', () => {
    const messages = [
      response(1, { sessionId: second }),
      update(first, { sessionUpdate: 'tool_call', toolCallId: 'c', title: `log-${second}.jsonl` }),
      update(second, { sessionUpdate: 'subagent_update', sessionId: first }),
    ]
    expect(normal(messages)).toEqual([
      response('{{rpc:1}}', { sessionId: '{{session:1}}' }),
      update('{{session:2}}', {
        sessionUpdate: 'tool_call',
        toolCallId: 'c',
        title: 'log-{{session:1}}.jsonl',
      }),
      update('{{session:1}}', { sessionUpdate: 'subagent_update', sessionId: '{{session:2}}' }),
    ])
  })

  it('tell requests of the agent from requests of the client', () => {
    const messages = [
      response(1, {}),
      permission(1, first, 'c'),
      { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 1 } },
      response(2, {}),
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } },
    ]
    expect(normaliseTranscript(messages, {}).map((line) => parse(line)['id'])).toEqual([
      '{{rpc:1}}',
      '{{rpc:2}}',
      undefined,
      '{{rpc:3}}',
      null,
    ])
    expect(normal(messages)[2]).toMatchObject({ params: { requestId: '{{rpc:2}}' } })
  })

  it('stand for message ids, times and stray ids of the protocol', () => {
    const messages = [
      chunk(first, 'a', { messageId: 'msg_8d2' }),
      chunk(first, 'b', { messageId: 'msg_8d3' }),
      response(3, { stopReason: 'end_turn', _meta: { point: stray, again: stray } }),
      update(first, { sessionUpdate: 'session_info_update', updatedAt: '2026-11-30T00:00:00Z' }),
    ]
    expect(normal(messages)).toEqual([
      chunk('{{session:1}}', 'a', { messageId: '{{message:1}}' }),
      chunk('{{session:1}}', 'b', { messageId: '{{message:2}}' }),
      response('{{rpc:1}}', {
        stopReason: 'end_turn',
        _meta: { point: '{{id:1}}', again: '{{id:1}}' },
      }),
      update('{{session:1}}', { sessionUpdate: 'session_info_update', updatedAt: '{{time}}' }),
    ])
  })

  it('never stand for tool call ids, token usage, or what a model said', () => {
    const messages = [
      update(first, { sessionUpdate: 'tool_call', toolCallId: stray, rawInput: { id: stray } }),
      chunk(first, `session ${first}, ticket ${stray}`),
      chunk(first, stray),
      response(1, { usage: { inputTokens: 12, outputTokens: 3 } }),
    ]
    expect(normal(messages)).toEqual([
      update('{{session:1}}', {
        sessionUpdate: 'tool_call',
        toolCallId: stray,
        rawInput: { id: stray },
      }),
      chunk('{{session:1}}', `session ${first}, ticket ${stray}`),
      chunk('{{session:1}}', stray),
      response('{{rpc:1}}', { usage: { inputTokens: 12, outputTokens: 3 } }),
    ])
  })

  it('stand for ids that only the caller knows', () => {
    const messages = [update('s1', { sessionUpdate: 'tool_call', title: `open ${second}` })]
    expect(normal(messages, { sessionIds: [second] })).toMatchObject([
      { params: { sessionId: '{{session:1}}', update: { title: 'open {{session:2}}' } } },
    ])
  })

  it('do not replace short ids and plain numbers in text', () => {
    const messages = [
      update('s1', { sessionUpdate: 'tool_call', title: 's1 s1' }),
      update('12345678', { sessionUpdate: 'tool_call', title: 'port 12345678' }),
    ]
    expect(normal(messages)).toMatchObject([
      { params: { sessionId: '{{session:1}}', update: { title: 's1 s1' } } },
      { params: { sessionId: '{{session:2}}', update: { title: 'port 12345678' } } },
    ])
  })
})

describe('untyped tokens', () => {
  it('follow the seed: one token for every session and UUID, ids by first sight', () => {
    const messages = [
      response(7, { sessionId: second }),
      permission(7, second, 'call_1'),
      chunk(first, `see ${stray}`),
      response(9, { stopReason: 'end_turn' }),
    ]
    expect(normal(messages, { tokens: 'untyped' })).toEqual([
      response(1, { sessionId: '{{sessionId}}' }),
      permission(1, '{{sessionId}}', 'call_1'),
      chunk('{{sessionId}}', 'see {{sessionId}}'),
      response(2, { stopReason: 'end_turn' }),
    ])
  })
})

/** One tool call in a folder of some system. */
const on = (cwd: string, path: string): unknown[] => {
  const fields = {
    sessionUpdate: 'tool_call',
    title: `Read ${path}`,
    locations: [{ path }, { path: path.includes('\\') ? 'src\\b.ts' : 'src/b.ts' }],
    rawInput: JSON.stringify({ file: path }),
  }
  return normal([update(first, fields)], { cwd })
}

describe('folders', () => {
  const context: NormaliseContext = {
    cwd: '/tmp/run-1/work',
    home: '/tmp/run-1/home',
    recordedCwd: '/tmp/rec-1/work',
    roots: { sessions: '/tmp/run-1/sessions' },
  }

  it('are replaced everywhere, keys and model text included', () => {
    const messages = [
      chunk(first, 'I read /tmp/rec-1/work/a.txt'),
      update(first, {
        sessionUpdate: 'tool_call_update',
        locations: [{ path: '/tmp/run-1/work/a.txt' }],
        rawOutput: { '/tmp/run-1/work/a.txt': ['/private/tmp/run-1/home/.x'] },
        _meta: { log: '/tmp/run-1/sessions/1.jsonl' },
      }),
    ]
    expect(normal(messages, context)).toMatchObject([
      { params: { update: { content: { text: 'I read {{cwd}}/a.txt' } } } },
      {
        params: {
          update: {
            locations: [{ path: '{{cwd}}/a.txt' }],
            rawOutput: { '{{cwd}}/a.txt': ['{{home}}/.x'] },
            _meta: { log: '{{sessions}}/1.jsonl' },
          },
        },
      },
    ])
  })

  it('lose no key when two spellings meet', () => {
    const rawOutput = { '/tmp/run-1/work/a': 1, '/private/tmp/run-1/work/a': 2 }
    const messages = [update(first, { sessionUpdate: 'tool_call', rawOutput })]
    expect(normal(messages, context)).toMatchObject([
      { params: { update: { rawOutput: { '{{cwd}}/a': 1, '/private/tmp/run-1/work/a': 2 } } } },
    ])
  })

  it('give one golden on every system', () => {
    const linux = on('/tmp/w', '/tmp/w/src/a.ts')
    expect(on('/private/tmp/w', '/tmp/w/src/a.ts')).toEqual(linux)
    expect(on('D:\\a\\w', 'd:\\a\\w\\src\\a.ts')).toEqual(linux)
    expect(on('D:\\a\\w', '\\\\?\\D:\\a\\w\\src\\a.ts')).toEqual(linux)
  })
})

const fact = (kind: string, more: Message = {}, session = first): Message =>
  update(session, { sessionUpdate: kind, ...more })

const kinds = (lines: unknown[]): unknown[] =>
  lines.map((line) => {
    const params = isRecord(line) ? line['params'] : undefined
    const fields = isRecord(params) ? params['update'] : undefined
    return isRecord(fields) ? fields['sessionUpdate'] : 'response'
  })

describe('housekeeping', () => {
  it('is a state at the end, whatever its place and however often it came', () => {
    const usage = fact('usage_update', { used: 12 })
    const commands = fact('available_commands_update', { availableCommands: [] })
    const one = [commands, response(1, { sessionId: first }), chunk(first, 'a'), usage]
    const other = [
      fact('usage_update', { used: 5 }),
      response(1, { sessionId: first }),
      usage,
      commands,
      chunk(first, 'a'),
      commands,
    ]
    expect(normal(one)).toEqual(normal(other))
    expect(kinds(normal(other))).toEqual([
      'response',
      'agent_message_chunk',
      'available_commands_update',
      'usage_update',
    ])
  })

  it('that is told in parts is all of its parts', () => {
    const messages = [
      fact('session_info_update', { title: 'Boats', updatedAt: '2026-07-15T10:00:00Z' }),
      response(1, { sessionId: first }),
      fact('session_info_update', { updatedAt: null }),
    ]
    expect(normal(messages)).toMatchObject([
      { id: '{{rpc:1}}' },
      { params: { update: { title: 'Boats', updatedAt: null } } },
    ])
    const renamed = messages.with(0, fact('session_info_update', { title: 'Ships' }))
    expect(normal(renamed)).not.toEqual(normal(messages))
  })

  it('keeps every notice, and sessions apart', () => {
    const messages = [
      fact('notice', { title: 'b' }, second),
      response(1, { sessionId: first }),
      fact('notice', { title: 'a' }, second),
      fact('current_mode_update', { currentModeId: 'x' }),
    ]
    expect(normal(messages)).toMatchObject([
      { id: '{{rpc:1}}' },
      { params: { sessionId: '{{session:1}}', update: { currentModeId: 'x' } } },
      { params: { sessionId: '{{session:2}}', update: { title: 'b' } } },
      { params: { sessionId: '{{session:2}}', update: { title: 'a' } } },
    ])
  })

  it('stays where it came on request', () => {
    const messages = [fact('usage_update', { used: 5 }), chunk(first, 'a'), fact('usage_update')]
    expect(kinds(normal(messages, { housekeeping: 'order' }))).toEqual([
      'usage_update',
      'agent_message_chunk',
      'usage_update',
    ])
  })
})

describe('joined chunks', () => {
  it('are neighbours that differ in their text only', () => {
    const messages = [
      chunk(first, 'in /tmp', { messageId: 'm1' }),
      update(first, { sessionUpdate: 'usage_update', used: 1 }),
      chunk(first, '/w/a', { messageId: 'm1' }),
      chunk(first, ' next', { messageId: 'm2' }),
      chunk(second, ' other', { messageId: 'm2' }),
      update(second, {
        sessionUpdate: 'agent_thought_chunk',
        content: { type: 'text', text: 'x' },
      }),
      chunk(second, '', { _meta: { usage: 3 } }),
      update(second, { sessionUpdate: 'agent_message_chunk', content: { type: 'image' } }),
    ]
    const joined = normal(messages, { joinChunks: true, cwd: '/tmp/w' })
    expect(joined).toHaveLength(7)
    expect(joined[0]).toEqual(
      chunk('{{session:1}}', 'in {{cwd}}/a', { messageId: '{{message:1}}' }),
    )
    expect(joined[1]).toEqual(chunk('{{session:1}}', ' next', { messageId: '{{message:2}}' }))
    expect(joined[2]).toEqual(chunk('{{session:2}}', ' other', { messageId: '{{message:2}}' }))
  })
})

describe('updates of one call, joined', () => {
  const said = (toolCallId: string, more: object): Record<string, unknown> =>
    update(first, { sessionUpdate: 'tool_call_update', toolCallId, ...more })

  it.each<[what: string, apart: object[], together: object[]]>([
    [
      'are one when they say different things',
      [said('a', { _meta: { out: 'x' } }), said('a', { status: 'completed' })],
      [said('a', { status: 'completed', _meta: { out: 'x' } })],
    ],
    [
      'are one when they say the same',
      [said('a', { status: 'in_progress', _meta: {} }), said('a', { status: 'in_progress' })],
      [said('a', { _meta: {}, status: 'in_progress' })],
    ],
  ])('%s', (_, apart, together) => {
    const [one, other] = [apart, together].map((messages) =>
      normal(
        messages.map((message) => ({ ...message })),
        { joinChunks: true },
      ).map((line) => JSON.stringify(line)),
    )
    expect(one).toEqual(other)
    expect(one).toHaveLength(1)
  })

  it.each<[what: string, messages: object[]]>([
    ['that say otherwise', [said('a', { status: 'pending' }), said('a', { status: 'completed' })]],
    ['of different calls', [said('a', { title: 'x' }), said('b', { status: 'completed' })]],
    [
      'with something between',
      [said('a', { title: 'x' }), chunk(first, 'y'), said('a', { kind: 'read' })],
    ],
  ])('stay apart %s', (_, messages) => {
    const copies = messages.map((message) => ({ ...message }))
    expect(normal(copies, { joinChunks: true })).toHaveLength(messages.length)
  })
})

describe('rules of a project', () => {
  it('replace values by path and pieces of text, numbered where asked', () => {
    const messages = [
      response(1, { _meta: { startedMs: 17, job: 'a7' } }),
      response(2, { _meta: { startedMs: 99, job: 'b2' } }),
      response(3, { _meta: { job: 'a7' } }),
      chunk(first, 'took 312 ms on port 4711'),
    ]
    const rules = [
      { path: '**.startedMs', token: 'time' },
      { path: 'result._meta.job', token: 'job:n' },
      { match: 'took (\\d+) ms', token: 'duration' },
      { path: 'params.update.content.text', match: 'port \\d+', token: 'port' },
    ]
    expect(normal(messages, { rules })).toMatchObject([
      { result: { _meta: { startedMs: '{{time}}', job: '{{job:1}}' } } },
      { result: { _meta: { startedMs: '{{time}}', job: '{{job:2}}' } } },
      { result: { _meta: { job: '{{job:1}}' } } },
      { params: { update: { content: { text: 'took {{duration}} ms on {{port}}' } } } },
    ])
  })
})

describe('a plain protocol', () => {
  it('has folders and rules, and nothing else is known', () => {
    const messages = [{ id: 4, event: 'ready', at: '/tmp/w/a', key: stray }]
    expect(normal(messages, { protocol: 'jsonl', cwd: '/tmp/w' })).toEqual([
      { id: 4, event: 'ready', at: '{{cwd}}/a', key: stray },
    ])
  })
})

describe('hostile messages', () => {
  it('are cut at a depth, and have no special keys', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 3000; level++) deep = [deep]
    const [line = ''] = normaliseTranscript([response(1, { deep })], {})
    expect(line).toContain('{{too-deep}}')
    const [proto] = normaliseTranscript([parse('{"__proto__":{"a":1},"id":1}')], {})
    expect(proto).toBe('{"__proto__":{"a":1},"id":"{{rpc:1}}"}')
  })
})

describe('goldenMode', () => {
  const usage = update('{{session:1}}', { sessionUpdate: 'usage_update', used: 1 })
  const text = chunk('{{session:1}}', 'a')
  it.each<[what: string, lines: unknown[], mode: ReturnType<typeof goldenMode>]>([
    ['nothing', [], { tokens: 'typed', housekeeping: 'state' }],
    ['typed ids', [response('{{rpc:1}}', {})], { tokens: 'typed', housekeeping: 'state' }],
    ['raw ids', [response(1, {})], { tokens: 'untyped', housekeeping: 'state' }],
    [
      'the seed’s token',
      [chunk('{{sessionId}}', 'a')],
      { tokens: 'untyped', housekeeping: 'state' },
    ],
    ['facts at the end', [text, usage], { tokens: 'typed', housekeeping: 'state' }],
    ['facts in between', [usage, text], { tokens: 'typed', housekeeping: 'order' }],
    ['facts twice', [text, usage, usage], { tokens: 'typed', housekeeping: 'order' }],
  ])('%s', (_, lines, mode) => {
    expect(goldenMode([...lines.map((line) => JSON.stringify(line)), 'not JSON'])).toEqual(mode)
  })
})
