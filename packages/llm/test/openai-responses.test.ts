/**
 * OpenAI Responses: wholes against deltas, calls of every kind, ends of every kind.
 */
import {
  empty,
  malformed,
  stop,
  text,
  testOddStreams,
  type OddStream,
} from './support/odd-stream.ts'

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

const rows: OddStream[] = [
  {
    title: 'counts, disjoint for input and whole for output',
    payloads: [
      itemDone(0, messageItem('Hi')),
      completed({
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 15 },
        },
      }),
    ],
    finish: stop,
    usage: {
      inputTokens: 10,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
      outputTokens: 20,
      reasoningTokens: 15,
    },
  },
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

testOddStreams('openai-responses', rows)
