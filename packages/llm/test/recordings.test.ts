/**
 * What the real recordings end with, the odd ones above all.
 */
import { assembleMessage, wires, type WireName } from '@runproof/llm'
import { describe, expect, it } from 'vitest'
import { decode, hasShared, shared, sharedNote } from './support/responses.ts'

type Expected = { finish: object; content: string[]; usage?: object }

const stop = { kind: 'stop' }
const toolCalls = { kind: 'tool-calls' }

const table: [WireName, string, Expected[]][] = [
  ['deepseek', 'deepseek-reasoning', [{ finish: stop, content: ['reasoning', 'text'] }]],
  ['deepseek', 'deepseek-tool-call', [{ finish: toolCalls, content: ['reasoning', 'tool-call'] }]],
  ['openai-chat', 'groq-tool-call', [{ finish: toolCalls, content: ['tool-call'] }]],
  // xAI counts its 227 reasoning tokens beside the 26 of the completion.
  [
    'openai-chat',
    'xai-tool-call',
    [
      {
        finish: toolCalls,
        content: ['reasoning', 'tool-call'],
        usage: { inputTokens: 1, cacheReadTokens: 306, outputTokens: 253, reasoningTokens: 227 },
      },
    ],
  ],
  [
    'openai-responses',
    'openai-error.1',
    [{ finish: { kind: 'error', code: 'QUOTA' }, content: [] }],
  ],
  ['openai-responses', 'openai-custom-tool.1', [{ finish: toolCalls, content: ['tool-call'] }]],
  [
    'openai-responses',
    'openai-local-shell-tool.1',
    [{ finish: toolCalls, content: ['tool-call'] }],
  ],
  [
    'openai-responses',
    'openai-mcp-tool-approval.1',
    [{ finish: { kind: 'pause', detail: 'mcp_approval_request' }, content: [] }],
  ],
  ['openai-responses', 'openai-mcp-tool-approval.2', [{ finish: stop, content: ['text'] }]],
  ['openai-responses', 'openai-phase.1', [{ finish: stop, content: ['text', 'text'] }]],
  ['openai-responses', 'openai-shell-local-multiturn.1', [{ finish: stop, content: ['text'] }]],
  ['openai-responses', 'openai-web-search-tool.1', [{ finish: stop, content: ['text'] }]],
  [
    'openai-responses',
    'openai-reasoning-encrypted-content.1',
    [
      { finish: toolCalls, content: ['reasoning', 'tool-call'] },
      { finish: toolCalls, content: ['tool-call'] },
      { finish: toolCalls, content: ['tool-call'] },
      { finish: stop, content: ['text'] },
    ],
  ],
  [
    'anthropic',
    'anthropic-refusal',
    [{ finish: { kind: 'refusal', detail: 'cyber' }, content: [] }],
  ],
  [
    'anthropic',
    'duplicate-message-start',
    [{ finish: stop, content: ['text'], usage: { inputTokens: 17, outputTokens: 227 } }],
  ],
  ['anthropic', 'anthropic-clear-thinking.1', [{ finish: stop, content: ['reasoning', 'text'] }]],
  ['anthropic', 'anthropic-mcp.1', [{ finish: stop, content: ['text'] }]],
  ['anthropic', 'anthropic-web-fetch-tool.1', [{ finish: stop, content: ['text', 'text'] }]],
  [
    'anthropic',
    'anthropic-programmatic-tool-calling.1',
    [
      { finish: toolCalls, content: ['text', 'tool-call'] },
      ...Array.from({ length: 13 }, () => ({ finish: toolCalls, content: ['tool-call'] })),
      { finish: stop, content: ['text'] },
    ],
  ],
  [
    'gemini',
    'google-stream-tool-call-arguments',
    [
      {
        finish: toolCalls,
        content: ['tool-call', 'tool-call'],
        usage: { inputTokens: 26, outputTokens: 155, reasoningTokens: 132 },
      },
    ],
  ],
  ['gemini', 'google-reasoning', [{ finish: stop, content: ['text'] }]],
]

describe.skipIf(!hasShared)(`real recordings${sharedNote}`, () => {
  it.each(table)('%s: %s', (wire, name, expected) => {
    const messages = shared(wire, name).map((events) =>
      assembleMessage(decode(wires[wire], events)),
    )
    expect(messages.map(({ content }) => content.map(({ type }) => type))).toEqual(
      expected.map(({ content }) => content),
    )
    expect(messages).toMatchObject(
      expected.map(({ finish, usage }) => (usage ? { finish, usage } : { finish })),
    )
  })

  it('puts arguments together from pieces at JSON paths', () => {
    const [events = []] = shared('gemini', 'google-stream-tool-call-arguments')
    expect(assembleMessage(decode(wires.gemini, events)).content).toMatchObject([
      { name: 'getWeather', arguments: '{"location":"Boston"}' },
      { name: 'getWeather', arguments: '{"location":"San Francisco"}' },
    ])
  })

  it('reads a whole text that its deltas only began', () => {
    const [events = []] = shared('openai-responses', 'openai-phase.1')
    const [first] = assembleMessage(decode(wires['openai-responses'], events)).content
    expect(first).toMatchObject({ text: expect.stringMatching(/^Got it — .* with links\.$/) })
  })

  it('takes one response from one decoder, though a file holds more', () => {
    const events = shared('openai-responses', 'openai-reasoning-encrypted-content.1').flat()
    const chunks = decode(wires['openai-responses'], events)
    expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1)
  })
})
