import { assembleMessage, type FinishReason, type StreamChunk } from '@runproof/llm'
import { describe, expect, it } from 'vitest'

const text = (index: number, piece: string): StreamChunk => ({
  type: 'text-delta',
  index,
  text: piece,
})
const call: StreamChunk = {
  type: 'tool-call-delta',
  index: 1,
  id: 'c1',
  name: 'bash',
  argumentsDelta: '{"command":',
}
const finish = (kind: Exclude<FinishReason['kind'], 'error'>): StreamChunk => ({
  type: 'finish',
  reason: { kind },
})
const state: StreamChunk = { type: 'finish', reason: { kind: 'stop' }, replayState: { some: 1 } }

const table: { title: string; chunks: StreamChunk[]; message: object }[] = [
  {
    title: 'makes up for missing starts and ends',
    chunks: [text(0, 'a'), text(0, 'b'), finish('stop')],
    message: { content: [{ type: 'text', text: 'ab' }], interrupted: false },
  },
  {
    title: 'lets the block-end have the last word',
    chunks: [
      { type: 'block-end', index: 0, block: { type: 'text', text: 'whole' } },
      text(0, ' more'),
      { type: 'block-end', index: 0, block: { type: 'text', text: 'other' } },
      finish('stop'),
    ],
    message: { content: [{ type: 'text', text: 'whole' }] },
  },
  {
    title: 'orders blocks by index, whatever order they came in',
    chunks: [
      text(2, 'c'),
      call,
      { ...call, argumentsDelta: '1}' },
      text(0, 'a'),
      finish('tool-calls'),
    ],
    message: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool-call', id: 'c1', name: 'bash', arguments: '{"command":1}' },
        { type: 'text', text: 'c' },
      ],
    },
  },
  {
    title: 'drops every tool call at max-tokens, and the state that counted them',
    chunks: [
      text(0, 'a'),
      call,
      { type: 'finish', reason: { kind: 'max-tokens' }, replayState: { some: 1 } },
    ],
    message: {
      content: [{ type: 'text', text: 'a' }],
      finish: { kind: 'max-tokens' },
      interrupted: false,
    },
  },
  ...(['refusal', 'content-filter', 'max-tokens'] as const).map((kind) => ({
    title: `has no call of an answer that ended with ${kind}`,
    chunks: [text(0, 'a'), call, finish(kind)],
    message: { content: [{ type: 'text' as const, text: 'a' }], interrupted: false },
  })),
  {
    title: 'keeps text and reasoning that is not blank of a prefix',
    chunks: [
      text(0, ' \n'),
      call,
      { type: 'reasoning-delta', index: 2, text: 'hm' },
      text(3, 'so'),
    ],
    message: {
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'so' },
      ],
      interrupted: true,
    },
  },
  {
    title: 'treats an abort like a prefix',
    chunks: [text(0, 'a'), call, finish('aborted')],
    message: { content: [{ type: 'text', text: 'a' }], interrupted: true },
  },
  {
    title: 'keeps blank text of a whole answer, so that a state fits it',
    chunks: [text(0, ''), state],
    message: { content: [{ type: 'text', text: '' }], replayState: { some: 1 } },
  },
  {
    title: 'ignores what follows the finish',
    chunks: [finish('stop'), text(0, 'late')],
    message: { content: [] },
  },
  {
    title: 'has no block for a picture or a tool result',
    chunks: [{ type: 'block-start', index: 0, blockType: 'image' }, text(1, 'a'), finish('stop')],
    message: { content: [{ type: 'text', text: 'a' }] },
  },
]

describe('assembleMessage', () => {
  it.each(table)('$title', ({ chunks, message }) => {
    expect(assembleMessage(chunks)).toMatchObject(message)
  })

  it('has no finish and no state where none fits', () => {
    expect(assembleMessage([text(0, 'a')])).toEqual({
      content: [{ type: 'text', text: 'a' }],
      interrupted: true,
    })
    expect(
      assembleMessage([call, { ...state, reason: { kind: 'max-tokens' } }]),
    ).not.toHaveProperty('replayState')
  })
})
