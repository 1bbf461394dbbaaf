/**
 * Anthropic Messages: repeated, missing, unknown and contradictory events.
 */
import {
  closed,
  empty,
  malformed,
  stop,
  text,
  testOddStreams,
  type OddStream,
} from './support/odd-stream.ts'

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

const rows: OddStream[] = [
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
    usage: { inputTokens: 0, outputTokens: 9, reasoningTokens: 4 },
  },
  {
    title: 'counts of a stream that broke, which are not to be trusted',
    payloads: [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5 } } },
      say(0, 'Hi'),
    ],
    finish: closed,
    content: [text('Hi')],
    usage: null,
  },
]

testOddStreams('anthropic', rows)
