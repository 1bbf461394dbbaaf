/**
 * The rules for what is unusual in a stream, wire by wire: repeated, missing,
 * unknown and contradictory events. Each row says what a caller gets.
 */
import {
  assembleMessage,
  wireNames,
  wires,
  type SseEvent,
  type StreamChunk,
  type WireName,
} from '@runproof/llm'
import { describe, expect, it } from 'vitest'
import { decode, done, payload } from './support/responses.ts'

type Row = { title: string; payloads: object[]; finish: object; content?: object[]; state?: object }

const text = (value: string): object => ({ type: 'text', text: value })
const stop = { kind: 'stop' }
const malformed = { kind: 'error', code: 'MALFORMED_RESPONSE' }
const empty = { kind: 'error', code: 'EMPTY_RESPONSE' }
const closed = { kind: 'error', code: 'STREAM_CLOSED' }

// Chat completions

const chat = (delta: object, finish_reason: string | null = null, fields: object = {}): object => ({
  id: 'x1',
  choices: [{ index: 0, delta, finish_reason }],
  ...fields,
})
const callDelta = (call: object): object => chat({ tool_calls: [call] })

const chatRows: Row[] = [
  {
    title: 'an empty first delta opens nothing, and a stop that said nothing is an error',
    payloads: [chat({ role: 'assistant', content: '', reasoning_content: '' }), chat({}, 'stop')],
    finish: empty,
  },
  {
    title: 'a tool call in a response that says stop',
    payloads: [
      callDelta({ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }),
      chat({}, 'stop'),
    ],
    finish: { kind: 'tool-calls' },
    content: [{ id: 'c', name: 'f', arguments: '{}' }],
  },
  {
    title: 'tool_calls without a call',
    payloads: [chat({ content: 'hm' }), chat({}, 'tool_calls')],
    finish: malformed,
  },
  {
    title: 'a call that never got a name',
    payloads: [callDelta({ index: 0, function: { arguments: '{}' } }), chat({}, 'tool_calls')],
    finish: malformed,
  },
  {
    title: 'calls without index and id, told apart by place and by id',
    payloads: [
      callDelta({ function: { name: 'f', arguments: '{"a"' } }),
      callDelta({ function: { arguments: ':1}' } }),
      callDelta({ id: 'own', function: { name: 'g', arguments: '{}' } }),
      chat({}, 'tool_calls'),
    ],
    finish: { kind: 'tool-calls' },
    content: [
      { id: 'call_x1_0', name: 'f', arguments: '{"a":1}' },
      { id: 'own', name: 'g', arguments: '{}' },
    ],
  },
  {
    title: 'reasoning in the other spelling',
    payloads: [chat({ reasoning: 'hm' }), chat({ content: 'so' }), chat({}, 'stop')],
    finish: stop,
    content: [{ type: 'reasoning', text: 'hm' }, text('so')],
  },
  {
    title: 'a finish reason nobody knows',
    payloads: [chat({ content: 'hm' }), chat({}, 'insufficient_system_resource')],
    finish: { kind: 'error', code: 'INSUFFICIENT_SYSTEM_RESOURCE' },
  },
  {
    title: 'a finish reason that is the name of an object method',
    payloads: [chat({ content: 'hm' }), chat({}, 'constructor')],
    finish: { kind: 'error', code: 'CONSTRUCTOR' },
  },
  {
    title: 'another choice',
    payloads: [
      { id: 'x1', choices: [{ index: 1, delta: { content: 'other' } }] },
      chat({ content: 'own' }),
      chat({}, 'stop'),
    ],
    finish: stop,
    content: [text('own')],
  },
  {
    title: 'an error with a status in its code',
    payloads: [chat({ content: 'hm' }), { error: { code: 502, message: 'Upstream died' } }],
    finish: { kind: 'error', code: 'SERVER', status: 502, message: 'Upstream died' },
    content: [text('hm')],
  },
  {
    title: 'an error nobody knows',
    payloads: [{ error: { type: 'moon_phase', message: 'no' } }],
    finish: { kind: 'error', code: 'MOON_PHASE' },
  },
  {
    title: 'an error that says nothing',
    payloads: [{ error: {} }],
    finish: { kind: 'error', code: 'UNKNOWN', message: '' },
  },
]

// Anthropic

const begin = { type: 'message_start', message: { id: 'm1', content: [], stop_reason: null } }
const open = (index: number, content_block: object): object => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, value: object): object => ({
  type: 'content_block_delta',
  index,
  delta: value,
})
const say = (index: number, value: string): object =>
  delta(index, { type: 'text_delta', text: value })
const close = (index: number): object => ({ type: 'content_block_stop', index })
const end = (stop_reason: string | null): object[] => [
  { type: 'message_delta', delta: { stop_reason } },
  { type: 'message_stop' },
]
const textBlock = { type: 'text', text: '' }

const anthropicRows: Row[] = [
  {
    title: 'a message_start of another message',
    payloads: [begin, { ...begin, message: { id: 'm2' } }, ...end('end_turn')],
    finish: malformed,
  },
  {
    title: 'content and stop reason that message_start already holds',
    payloads: [
      {
        type: 'message_start',
        message: {
          id: 'm1',
          stop_reason: 'tool_use',
          content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }],
        },
      },
      { type: 'message_stop' },
    ],
    finish: { kind: 'tool-calls' },
    content: [{ id: 'c', name: 'f', arguments: '{"a":1}' }],
  },
  {
    title: 'a block that nobody started and nobody ended',
    payloads: [begin, say(0, 'hi'), ...end('end_turn')],
    finish: stop,
    content: [text('hi')],
  },
  {
    title: 'a delta after the end of its block',
    payloads: [begin, open(0, textBlock), close(0), say(0, 'late'), ...end('end_turn')],
    finish: malformed,
  },
  {
    title: 'two starts of one block',
    payloads: [begin, open(0, textBlock), open(0, textBlock), ...end('end_turn')],
    finish: malformed,
  },
  {
    title: 'arguments without a call',
    payloads: [begin, delta(0, { type: 'input_json_delta', partial_json: '{}' })],
    finish: malformed,
  },
  {
    title: 'message_stop without a reason',
    payloads: [begin, open(0, textBlock), say(0, 'hi'), close(0), ...end(null)],
    finish: malformed,
  },
  {
    title: 'a stop reason nobody knows',
    payloads: [begin, say(0, 'hi'), ...end('tired')],
    finish: { kind: 'error', code: 'TIRED' },
  },
  {
    title: 'a stop sequence',
    payloads: [begin, say(0, 'hi'), ...end('stop_sequence')],
    finish: stop,
  },
  {
    title: 'the end of the context window',
    payloads: [begin, say(0, 'hi'), ...end('model_context_window_exceeded')],
    finish: { kind: 'max-tokens', detail: 'model_context_window_exceeded' },
  },
  {
    title: 'unknown events, and unknown deltas on a block of ours',
    payloads: [
      begin,
      { type: 'weather', index: 0 },
      open(0, textBlock),
      delta(0, { type: 'mood_delta', text: '?' }),
      delta(0, { type: 'thinking_delta', thinking: '?' }),
      say(0, 'hi'),
      ...end('end_turn'),
    ],
    finish: stop,
    content: [text('hi')],
  },
  {
    title: 'blocks of other kinds, kept whole with their deltas',
    payloads: [
      begin,
      open(0, { type: 'redacted_thinking', data: 'xyz' }),
      open(1, { type: 'compaction', content: '', parts: [1], note: 'old' }),
      delta(1, { type: 'compaction_delta', content: 'Sum', parts: [2], note: null, size: 1 }),
      delta(1, { type: 'compaction_delta', content: 'mary', size: 2 }),
      open(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{"q":' }),
      delta(2, { type: 'input_json_delta', partial_json: '1}' }),
      ...end('compaction'),
    ],
    finish: { kind: 'pause', detail: 'compaction' },
    content: [],
    state: {
      wire: 'anthropic',
      items: [
        { raw: { type: 'redacted_thinking', data: 'xyz' } },
        { raw: { type: 'compaction', content: 'Summary', parts: [1, 2], note: 'old', size: 2 } },
        { raw: { type: 'server_tool_use', input: { q: 1 } } },
      ],
    },
  },
  {
    title: 'citations, kept with their text',
    payloads: [
      begin,
      open(0, textBlock),
      say(0, 'It rains.'),
      delta(0, { type: 'citations_delta', citation: { url: 'a' } }),
      delta(0, { type: 'citations_delta', citation: { url: 'b' } }),
      ...end('end_turn'),
    ],
    finish: stop,
    content: [text('It rains.')],
    state: {
      items: [{ raw: { type: 'text', citations: [{ url: 'a' }, { url: 'b' }] }, blocks: [0] }],
    },
  },
  {
    title: 'an answer that is empty',
    payloads: [begin, ...end('end_turn')],
    finish: empty,
  },
  {
    title: 'thinking tokens among the counts',
    payloads: [
      begin,
      say(0, 'hi'),
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      },
      { type: 'message_stop' },
    ],
    finish: stop,
  },
]

// OpenAI Responses

const added = (output_index: number, item: object): object => ({
  type: 'response.output_item.added',
  output_index,
  item,
})
const itemDone = (output_index: number, item: object): object => ({
  type: 'response.output_item.done',
  output_index,
  item,
})
const completed = (response: object = {}): object => ({
  type: 'response.completed',
  response: { status: 'completed', ...response },
})
const outputDelta = (value: string): object => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  delta: value,
})
const messageItem = (value: string): object => ({
  id: 'msg',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: value }],
})

const responsesRows: Row[] = [
  {
    title: 'a whole text that says something else than its deltas',
    payloads: [outputDelta('good'), itemDone(0, messageItem('bad')), completed()],
    finish: malformed,
  },
  {
    title: 'a whole text that says more',
    payloads: [outputDelta('go'), itemDone(0, messageItem('good')), completed()],
    finish: stop,
    content: [text('good')],
  },
  {
    title: 'text after the whole text',
    payloads: [itemDone(0, messageItem('good')), outputDelta('more'), completed()],
    finish: malformed,
  },
  {
    title: 'a response that comes only whole',
    payloads: [completed({ output: [messageItem('good')] })],
    finish: stop,
    content: [text('good')],
  },
  {
    title: 'an item that was only announced',
    payloads: [
      added(0, { id: 'msg', type: 'message', content: [] }),
      outputDelta('go'),
      completed({ output: [messageItem('good')] }),
    ],
    finish: stop,
    content: [text('good')],
  },
  {
    title: 'a completed event whose object says otherwise',
    payloads: [
      outputDelta('so'),
      completed({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    ],
    finish: { kind: 'max-tokens' },
  },
  {
    title: 'a status nobody knows',
    payloads: [outputDelta('so'), completed({ status: 'cancelled' })],
    finish: { kind: 'error', code: 'CANCELLED' },
  },
  {
    title: 'limits, filters and steering',
    payloads: [
      outputDelta('so'),
      {
        type: 'response.incomplete',
        response: { incomplete_details: { reason: 'steered' } },
      },
    ],
    finish: { kind: 'pause', detail: 'steered' },
  },
  {
    title: 'a limit of messages',
    payloads: [
      outputDelta('so'),
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_messages' } } },
    ],
    finish: { kind: 'max-tokens', detail: 'max_messages' },
  },
  {
    title: 'an incomplete response that does not say why',
    payloads: [outputDelta('so'), { type: 'response.incomplete', response: {} }],
    finish: { kind: 'error', code: 'INCOMPLETE' },
  },
  {
    title: 'a failed response with its counts',
    payloads: [
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'rate_limit_exceeded', message: 'slow' },
          usage: { input_tokens: 3, output_tokens: 0 },
        },
      },
    ],
    finish: { kind: 'error', code: 'RATE_LIMIT', message: 'slow' },
  },
  {
    title: 'an error event in its nested form',
    payloads: [
      { type: 'error', error: { type: 'invalid_request_error', message: 'context window' } },
    ],
    finish: { kind: 'error', code: 'CONTEXT_WINDOW_EXCEEDED' },
  },
  {
    title: 'arguments without their item',
    payloads: [{ type: 'response.function_call_arguments.delta', output_index: 0, delta: '{' }],
    finish: malformed,
  },
  {
    title: 'a custom tool whose input comes only whole',
    payloads: [
      added(0, { type: 'custom_tool_call', id: 'ct', call_id: 'c', name: 'sql', input: '' }),
      {
        type: 'response.custom_tool_call_input.done',
        output_index: 0,
        input: 'SELECT 1',
      },
      completed(),
    ],
    finish: { kind: 'tool-calls' },
    content: [{ id: 'c', name: 'sql', arguments: 'SELECT 1' }],
    state: { items: [{ raw: { type: 'custom_tool_call', id: 'ct' }, blocks: [0] }] },
  },
  {
    title: 'a shell call that the provider answered itself',
    payloads: [
      itemDone(0, { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }),
      itemDone(1, { type: 'shell_call_output', call_id: 'c', output: [] }),
      itemDone(2, messageItem('Nothing there.')),
      completed(),
    ],
    finish: stop,
    content: [text('Nothing there.')],
  },
  {
    title: 'a shell call that waits for the caller',
    payloads: [
      itemDone(0, { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }),
      completed(),
    ],
    finish: { kind: 'tool-calls' },
    content: [{ id: 'c', name: 'shell', arguments: '{"action":{"commands":["ls"]}}' }],
  },
  {
    title: 'a tool search that the provider runs',
    payloads: [
      itemDone(0, { type: 'tool_search_call', call_id: 'c', execution: 'server' }),
      itemDone(1, messageItem('Found.')),
      completed(),
    ],
    finish: stop,
    content: [text('Found.')],
  },
  {
    title: 'raw reasoning text beside its summary',
    payloads: [
      {
        type: 'response.reasoning_text.delta',
        output_index: 0,
        content_index: 0,
        delta: 'long',
      },
      itemDone(0, {
        type: 'reasoning',
        id: 'rs',
        summary: [{ type: 'summary_text', text: 'short' }],
        content: [{ type: 'reasoning_text', text: 'long' }],
      }),
      itemDone(1, messageItem('So.')),
      completed(),
    ],
    finish: stop,
    content: [
      { type: 'reasoning', text: 'long' },
      { type: 'reasoning', text: 'short' },
      text('So.'),
    ],
  },
  {
    title: 'keepalives and unknown events',
    payloads: [
      { type: 'keepalive', sequence_number: 1 },
      { type: 'response.mood.delta', output_index: 0, delta: '?' },
      itemDone(0, messageItem('Hi')),
      completed(),
    ],
    finish: stop,
    content: [text('Hi')],
  },
  {
    title: 'reasoning and nothing else',
    payloads: [itemDone(0, { type: 'reasoning', id: 'rs', summary: [] }), completed()],
    finish: empty,
  },
]

// Gemini

const parts = (list: object[], finishReason?: string, fields: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts: list }, finishReason, ...fields }],
  responseId: 'r1',
})
const piece = (jsonPath: string, value: object): object =>
  parts([{ functionCall: { partialArgs: [{ jsonPath, ...value }], willContinue: true } }])
const callOpen = parts([{ functionCall: { name: 'f', willContinue: true } }])
const callClose = parts([{ functionCall: {} }], 'STOP')

const geminiRows: Row[] = [
  {
    title: 'calls without ids',
    payloads: [
      parts([
        { text: 'So.' },
        { functionCall: { name: 'f', args: { a: 1 } } },
        { functionCall: { name: 'g' } },
      ]),
      parts([], 'STOP'),
    ],
    finish: { kind: 'tool-calls' },
    content: [
      text('So.'),
      { id: 'call_r1_1', name: 'f', arguments: '{"a":1}' },
      { id: 'call_r1_2', name: 'g', arguments: '{}' },
    ],
  },
  {
    title: 'a text with a signature stands alone',
    payloads: [
      parts([{ text: 'a' }, { text: 'b', thoughtSignature: 's' }]),
      parts([{ text: 'c' }], 'STOP'),
    ],
    finish: stop,
    content: [text('a'), text('b'), text('c')],
    state: { items: [{ raw: {} }, { raw: { thoughtSignature: 's' }, blocks: [1] }, { raw: {} }] },
  },
  {
    title: 'parts of other kinds, kept',
    payloads: [
      parts(
        [
          { executableCode: { code: '1+1' } },
          { codeExecutionResult: { output: '2' } },
          { text: 'Two.' },
        ],
        'STOP',
      ),
    ],
    finish: stop,
    content: [text('Two.')],
    state: { items: [{ raw: { executableCode: { code: '1+1' } } }, {}, { blocks: [0] }] },
  },
  {
    title: 'counts after the finish reason',
    payloads: [
      parts([{ text: 'Hi' }], 'STOP'),
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } },
    ],
    finish: stop,
  },
  {
    title: 'a prompt that was blocked',
    payloads: [
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'No.' } },
    ],
    finish: { kind: 'content-filter', detail: 'PROHIBITED_CONTENT', message: 'No.' },
  },
  {
    title: 'a finish reason that is a failure, with its message',
    payloads: [parts([], 'MALFORMED_FUNCTION_CALL', { finishMessage: 'print(1)' })],
    finish: { kind: 'error', code: 'MALFORMED_FUNCTION_CALL', message: 'print(1)' },
  },
  {
    title: 'an error with a status',
    payloads: [
      parts([{ text: 'Hi' }]),
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow' } },
    ],
    finish: { kind: 'error', code: 'RATE_LIMIT', status: 429 },
    content: [text('Hi')],
  },
  {
    title: 'arguments in pieces, of every kind',
    payloads: [
      callOpen,
      piece('$.name', { stringValue: 'Ad', willContinue: true }),
      piece('$.name', { stringValue: 'a' }),
      piece("$.tags[0]['it\\'s']", { boolValue: true }),
      piece('$.tags[1]["n"]', { numberValue: 1.5 }),
      piece('$.none', { nullValue: 'NULL_VALUE' }),
      piece('$.name', { stringValue: 'Eve' }),
      callClose,
    ],
    finish: { kind: 'tool-calls' },
    content: [
      { name: 'f', arguments: '{"name":"Eve","tags":[{"it\'s":true},{"n":1.5}],"none":null}' },
    ],
  },
  ...['$', 'name', '$.a[*]', '$.__proto__.x', '$.a[99999]', '$.a.b'].map((path) => ({
    title: `a piece at ${path}, which fits nowhere`,
    payloads: [
      callOpen,
      piece('$.a', { stringValue: 'x' }),
      piece(path, { stringValue: 'y' }),
      callClose,
    ],
    finish: malformed,
  })),
  {
    title: 'a stop within a call',
    payloads: [callOpen, parts([], 'STOP')],
    finish: malformed,
  },
  {
    title: 'a limit within a call, which is then not to be run',
    payloads: [callOpen, parts([], 'MAX_TOKENS')],
    finish: { kind: 'max-tokens' },
    content: [],
  },
  {
    title: 'a new call before the last one was whole',
    payloads: [callOpen, callOpen, callClose],
    finish: malformed,
  },
  {
    title: 'the rest of a call that never began',
    payloads: [callClose],
    finish: malformed,
  },
  { title: 'a stop that said nothing', payloads: [parts([{ text: '' }], 'STOP')], finish: empty },
]

const rows: [WireName, Row][] = [
  ...chatRows.map((row): [WireName, Row] => ['openai-chat', row]),
  ...chatRows.map((row): [WireName, Row] => ['deepseek', row]),
  ...anthropicRows.map((row): [WireName, Row] => ['anthropic', row]),
  ...responsesRows.map((row): [WireName, Row] => ['openai-responses', row]),
  ...geminiRows.map((row): [WireName, Row] => ['gemini', row]),
]

describe.each(rows)('%s', (name, { title, payloads, finish, content, state }) => {
  it(title, () => {
    const wire = wires[name]
    const isChat = name === 'openai-chat' || name === 'deepseek'
    const chunks = decode(wire, [...payloads.map(payload), ...(isChat ? [done] : [])])
    const message = assembleMessage(chunks)
    expect(message.finish).toMatchObject(finish)
    if (content) expect(message.content).toMatchObject(content)
    if (content) expect(message.content).toHaveLength(content.length)
    if (state) expect(message.replayState).toMatchObject(state)
  })
})

const usageOf = (chunks: StreamChunk[]) => chunks.find(({ type }) => type === 'usage')

describe('counts', () => {
  it('are disjoint for input, whole for output', () => {
    const details = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 15 },
    }
    const responses = [itemDone(0, messageItem('Hi')), completed({ usage: details })]
    expect(usageOf(decode(wires['openai-responses'], responses.map(payload)))).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 10,
        cacheReadTokens: 60,
        cacheWriteTokens: 30,
        outputTokens: 20,
        reasoningTokens: 15,
      },
    })
    const google = {
      ...parts([{ text: 'Hi' }], 'STOP'),
      usageMetadata: {
        promptTokenCount: 100,
        cachedContentTokenCount: 60,
        toolUsePromptTokenCount: 5,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 15,
      },
    }
    expect(usageOf(decode(wires.gemini, [payload(google)]))).toEqual({
      type: 'usage',
      usage: { inputTokens: 45, cacheReadTokens: 60, outputTokens: 20, reasoningTokens: 15 },
    })
  })

  it('are not given for a stream that broke', () => {
    const counted = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5 } } }
    expect(usageOf(decode(wires.anthropic, [payload(counted), payload(say(0, 'Hi'))]))).toBe(
      undefined,
    )
  })
})

const event = (data: string): SseEvent => ({ event: 'message', data, id: '' })

describe.each(wireNames)('%s', (name) => {
  const wire = wires[name]

  it.each(['{"half', 'null', '42', '"text"', '[]'])(
    'gives up at data that is no object: %s',
    (data) => {
      expect(decode(wire, [event(data)])).toMatchObject([{ type: 'finish', reason: malformed }])
    },
  )

  it('gives up at data nested deeper than the stack', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const call =
      name === 'gemini'
        ? `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":${deep}}}}]}}]}`
        : `{"type":"message_start","message":{"content":[{"type":"tool_use","input":${deep}}]}}`
    const [last] = decode(wire, [event(call)]).slice(-1)
    expect(last).toMatchObject({ type: 'finish', reason: { kind: 'error' } })
  })

  it('takes nothing from blank data and, before the end of an answer, from [DONE]', () => {
    expect(decode(wire, [event(''), event(' '), done])).toMatchObject([{ reason: closed }])
  })

  it('gives up a response that never ends', () => {
    const decoder = wire.createDecoder()
    const blank = event(' '.repeat(2 ** 27))
    expect([decoder.push(blank), decoder.push(blank)]).toEqual([[], []])
    expect(decoder.push(blank)).toMatchObject([{ type: 'finish', reason: malformed }])
  })

  it('is deaf after its end', () => {
    const decoder = wire.createDecoder()
    expect(decoder.end()).toMatchObject([{ type: 'finish', reason: closed }])
    expect([decoder.push(event('{"half')), decoder.end()]).toEqual([[], []])
  })
})

it('trusts no finish reason that comes after a premature [DONE]', () => {
  const late = [done, payload(chat({ content: 'Hi' })), payload(chat({}, 'stop')), done]
  expect(decode(wires.deepseek, late)).toMatchObject([{ type: 'finish', reason: closed }])
})
