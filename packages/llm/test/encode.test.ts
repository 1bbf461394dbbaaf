/**
 * What each wire writes, and what it refuses by name.
 */
import { LlmError, wires, type FinishReason, type StreamChunk, type WireName } from '@runproof/llm'
import { describe, expect, it } from 'vitest'
import { decode, done, fixture, readLines } from './support/responses.ts'
import { fileURLToPath } from 'node:url'

const stop: FinishReason = { kind: 'stop' }
const say = (index: number, type: 'text' | 'reasoning', text: string): StreamChunk[] => [
  { type: 'block-start', index, blockType: type },
  { type: `${type}-delta`, index, text },
  { type: 'block-end', index, block: { type, text } },
]
const call = (args: string): StreamChunk[] => [
  { type: 'block-start', index: 0, blockType: 'tool-call' },
  {
    type: 'block-end',
    index: 0,
    block: { type: 'tool-call', id: 'c', name: 'f', arguments: args },
  },
]
const end = (reason: FinishReason, replayState?: unknown): StreamChunk => ({
  type: 'finish',
  reason,
  ...(replayState === undefined ? {} : { replayState }),
})
const usage = (cacheWriteTokens: number): StreamChunk => ({
  type: 'usage',
  usage: { inputTokens: 1, outputTokens: 1, cacheWriteTokens },
})
const aborted = end({ kind: 'aborted' })
const everyWire: WireName[] = ['deepseek', 'openai-chat', 'openai-responses', 'anthropic', 'gemini']

const refusals: { wires: WireName[]; title: string; chunks: StreamChunk[]; message: RegExp }[] = [
  {
    wires: everyWire,
    title: 'an abort',
    chunks: [aborted],
    message: /cannot (send|express) .*aborted/,
  },
  {
    wires: everyWire,
    title: 'a stream without a finish',
    chunks: say(0, 'text', 'Hi'),
    message: /cannot express finish nothing: it would be read back as .*STREAM_CLOSED/,
  },
  {
    wires: everyWire,
    title: 'a state that another provider made',
    chunks: [...say(0, 'text', 'Hi'), end(stop, { wire: 'other', items: [] })],
    message: /cannot express replayState \{"wire":"other".*read back as nothing/,
  },
  {
    wires: ['anthropic'],
    title: 'a state that holds an answer of its own',
    chunks: [
      ...say(0, 'text', 'Hi'),
      end(stop, {
        wire: 'anthropic',
        items: [{ raw: {}, blocks: [0] }, { raw: { type: 'text', text: 'and more' } }],
      }),
    ],
    message: /cannot express the stream: one more block would be read back, .*and more/,
  },
  {
    wires: everyWire,
    title: 'a stop that said nothing',
    chunks: [end(stop)],
    message: /cannot express finish .*EMPTY_RESPONSE/,
  },
  {
    wires: ['deepseek', 'openai-chat'],
    title: 'two texts',
    chunks: [...say(0, 'text', 'a'), ...say(1, 'text', 'b'), end(stop)],
    message: /cannot express block 0 \(text\): it would be read back as .*"ab"/,
  },
  {
    wires: ['gemini'],
    title: 'neighbouring texts',
    chunks: [...say(0, 'text', 'a'), ...say(1, 'text', 'b'), end(stop)],
    message: /cannot express block 0 \(text\)/,
  },
  {
    wires: ['gemini'],
    title: 'arguments with spaces of their own',
    chunks: [...call('{"a": 1}'), end({ kind: 'tool-calls' })],
    message: /cannot express block 0 \(tool-call\): .*\{\\"a\\":1\}/,
  },
  {
    wires: ['anthropic'],
    title: 'a call without arguments',
    chunks: [...call(''), end({ kind: 'tool-calls' })],
    message: /cannot express block 0 \(tool-call\)/,
  },
  {
    wires: ['gemini'],
    title: 'tokens written to a cache',
    chunks: [...say(0, 'text', 'Hi'), usage(3), end(stop)],
    message: /cannot express usage .*"cacheWriteTokens":3/,
  },
  {
    wires: ['deepseek', 'openai-chat', 'gemini'],
    title: 'a pause',
    chunks: [...say(0, 'text', 'Hi'), end({ kind: 'pause' })],
    message: /pause/,
  },
  {
    wires: ['openai-responses'],
    title: 'a pause without the approval it waits for',
    chunks: [...say(0, 'text', 'Hi'), end({ kind: 'pause', detail: 'mcp_approval_request' })],
    message: /cannot express finish .*pause/,
  },
  {
    wires: ['anthropic'],
    title: 'a content filter',
    chunks: [...say(0, 'text', 'Hi'), end({ kind: 'content-filter' })],
    message: /content-filter/,
  },
  {
    wires: ['gemini'],
    title: 'a refusal',
    chunks: [...say(0, 'text', 'Hi'), end({ kind: 'refusal', message: 'no' })],
    message: /refusal/,
  },
  {
    wires: everyWire,
    title: 'a wait that only HTTP can ask for',
    chunks: [
      ...say(0, 'text', 'Hi'),
      end({ kind: 'error', message: 'slow', code: 'RATE_LIMIT', retryAfterMs: 10, requestId: 'r' }),
    ],
    message: /cannot express finish .*slow/,
  },
]

describe.each(refusals)('$title', ({ wires: names, chunks, message }) => {
  it.each(names)('is refused by %s', (name) => {
    expect(() => wires[name].encode(chunks)).toThrow(message)
    expect(() => wires[name].encode(chunks)).toThrow(LlmError)
  })
})

describe('encode', () => {
  it.each(everyWire)('of %s: a script without starts, ends and order', (name) => {
    const chunks: StreamChunk[] = [
      { type: 'text-delta', index: 7, text: 'Hi' },
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
      { type: 'block-end', index: 7, block: { type: 'text', text: 'Hi there' } },
      end(stop),
    ]
    expect(decode(wires[name], wires[name].encode(chunks))).toMatchObject([
      { type: 'block-start', index: 0 },
      { type: 'text-delta', text: 'Hi' },
      { type: 'text-delta', text: ' there' },
      { type: 'block-end', block: { type: 'text', text: 'Hi there' } },
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } },
      { type: 'finish', reason: stop },
    ])
  })

  it.each(everyWire)('of %s: a stream that closed is a body that just ends', (name) => {
    const wire = wires[name]
    const reason = { kind: 'error', code: 'STREAM_CLOSED' }
    const cut = decode(wire, fixture(name, 'text-turn').slice(0, 2))
    expect(cut.at(-1)).toMatchObject({ reason })
    expect(wire.encode(cut).some(({ data }) => data === done.data)).toBe(false)
    expect(decode(wire, wire.encode(cut))).toEqual(cut)
  })

  it.each(everyWire)('of %s: unknown finish words and empty answers', (name) => {
    const wire = wires[name]
    for (const reason of [
      { kind: 'error', code: 'ODD', message: 'the provider ended the response with "ODD"' },
      {
        kind: 'error',
        code: 'EMPTY_RESPONSE',
        message: 'the model ended its answer without saying anything',
      },
    ] satisfies FinishReason[]) {
      const chunks: StreamChunk[] = [
        { type: 'usage', usage: { inputTokens: 1, outputTokens: 0 } },
        end(reason),
      ]
      expect(decode(wire, wire.encode(chunks))).toEqual(chunks)
    }
  })

  it('takes the names a caller gives', () => {
    const [first] = wires['openai-chat'].encode([...say(0, 'text', 'Hi'), end(stop)], {
      model: 'gpt-x',
      responseId: 'chatcmpl-7',
    })
    expect(JSON.parse(first?.data ?? '')).toMatchObject({ id: 'chatcmpl-7', model: 'gpt-x' })
  })

  it('numbers the events of OpenAI Responses, and names those that have names', () => {
    const events = wires['openai-responses'].encode([...say(0, 'text', 'Hi'), end(stop)])
    const payloads = events.map(({ data }): { type: string; sequence_number: number } =>
      JSON.parse(data),
    )
    expect(payloads.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
    expect(payloads.map(({ type }) => type)).toEqual(events.map(({ event }) => event))
  })
})

const path = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/llm/${name}.jsonl`, import.meta.url))

describe('readPayloads', () => {
  it('names events by their type where the wire does, and skips blank lines', () => {
    const lines = ['', '{"type":"message_stop"}', '{"no":"type"}', 'no json', ' ']
    const names = (wire: WireName) => wires[wire].readPayloads(lines).map(({ event }) => event)
    expect(names('anthropic')).toEqual(['message_stop', 'message', 'message'])
    expect(names('openai-responses')).toEqual(names('anthropic'))
    expect(names('gemini')).toEqual(['message', 'message', 'message'])
  })

  it('adds the [DONE] that chat recordings lack, once', () => {
    const lines = readLines(path('deepseek/text-turn'))
    const events = wires.deepseek.readPayloads(lines)
    expect(events.at(-1)).toEqual(done)
    expect(wires.deepseek.readPayloads([...lines, '[DONE]'])).toEqual(events)
  })
})
