import { checkChunks, createChunkChecker, type ChunkIssueCode } from '@runproof/llm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyStream } from './support/arbitrary.ts'

const start = { type: 'block-start', index: 0, blockType: 'text' }
const delta = { type: 'text-delta', index: 0, text: 'hi' }
const end = { type: 'block-end', index: 0, block: { type: 'text', text: 'hi' } }
const call = { type: 'tool-call', id: 'c1', name: 'read', arguments: '{}' }
/** A call in as many deltas as there are names and ids. */
const calling = (...deltas: { id: string; name?: string }[]): unknown[] => [
  { type: 'block-start', index: 0, blockType: 'tool-call' },
  ...deltas.map((one, at) => ({
    type: 'tool-call-delta',
    index: 0,
    ...one,
    argumentsDelta: at === 0 ? '{}' : '',
  })),
  { type: 'block-end', index: 0, block: call },
]
const usage = { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } }
const stop = { type: 'finish', reason: { kind: 'stop' } }
const failed = { type: 'finish', reason: { kind: 'error', message: 'broke' } }

const table: { title: string; chunks: unknown[]; issues: [ChunkIssueCode, number][] }[] = [
  { title: 'a whole stream', chunks: [start, delta, end, usage, stop], issues: [] },
  { title: 'a block whose deltas were dropped', chunks: [start, end, stop], issues: [] },
  { title: 'an error with a block open', chunks: [start, delta, failed], issues: [] },
  {
    title: 'a picture',
    chunks: [
      { type: 'block-start', index: 0, blockType: 'image' },
      { type: 'block-end', index: 0, block: { type: 'image' } },
      stop,
    ],
    issues: [],
  },
  { title: 'nothing', chunks: [], issues: [['no-finish', 0]] },
  { title: 'no finish', chunks: [start, delta, end], issues: [['no-finish', 3]] },
  { title: 'a second finish', chunks: [stop, stop], issues: [['after-finish', 1]] },
  { title: 'usage after the finish', chunks: [stop, usage], issues: [['after-finish', 1]] },
  { title: 'usage twice', chunks: [usage, usage, stop], issues: [['usage-twice', 1]] },
  {
    title: 'a stop with a block open',
    chunks: [start, delta, stop],
    issues: [['block-left-open', 2]],
  },
  { title: 'a delta without a start', chunks: [delta, stop], issues: [['block-not-started', 0]] },
  {
    title: 'a delta after the end',
    chunks: [start, delta, end, delta, stop],
    issues: [['block-already-ended', 3]],
  },
  { title: 'two starts', chunks: [start, start, end, stop], issues: [['block-started-twice', 1]] },
  {
    title: 'a delta of another kind',
    chunks: [start, { type: 'reasoning-delta', index: 0, text: 'hi' }, end, stop],
    issues: [['block-of-other-type', 1]],
  },
  {
    title: 'an end that says something else',
    chunks: [start, delta, { ...end, block: { type: 'text', text: 'ho' } }, stop],
    issues: [['block-differs-from-deltas', 2]],
  },
  {
    title: 'a call named once',
    chunks: [...calling({ id: 'c1', name: 'read' }, { id: '' }, { id: 'c1' }), stop],
    issues: [],
  },
  {
    title: 'a call whose name comes in pieces',
    chunks: [...calling({ id: 'c1', name: 're' }, { id: 'c1', name: 'ad' }), stop],
    issues: [],
  },
  {
    title: 'a call whose name comes twice',
    chunks: [...calling({ id: 'c1', name: 'read' }, { id: 'c1', name: 'read' }), stop],
    issues: [],
  },
  {
    title: 'a call of another id than its deltas',
    chunks: [...calling({ id: 'c2', name: 'read' }), stop],
    issues: [['block-differs-from-deltas', 2]],
  },
  {
    title: 'a call of another name than its deltas',
    chunks: [...calling({ id: 'c1', name: 'write' }), stop],
    issues: [['block-differs-from-deltas', 2]],
  },
  {
    title: 'values that are no chunks',
    chunks: [
      null,
      'finish',
      [],
      { type: 'surprise', index: 0 },
      { type: 'text-delta', index: -1, text: '' },
      { type: 'usage' },
      { type: 'usage', usage: { inputTokens: 1.5, outputTokens: 0 } },
      { type: 'tool-call-delta', index: 0, id: 'a' },
      { type: 'block-end', index: 0, block: {} },
      { type: 'finish', reason: 'stop' },
      stop,
    ],
    issues: Array.from({ length: 10 }, (_, at): [ChunkIssueCode, number] => ['not-a-chunk', at]),
  },
]

describe('checkChunks', () => {
  it.each(table)('$title', ({ chunks, issues }) => {
    expect(checkChunks(chunks).map(({ code, position }) => [code, position])).toEqual(issues)
  })

  it('gives each issue once, as soon as it is known', () => {
    const checker = createChunkChecker()
    expect(checker.push(start)).toEqual([])
    expect(checker.push(stop)).toMatchObject([{ code: 'block-left-open', index: 0 }])
    expect(checker.end()).toEqual([])
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue()), (values) => void checkChunks(values)))
  })

  it('sees any chunk that is repeated after the finish', () => {
    fc.assert(
      fc.property(anyStream, fc.nat(), (chunks, pick) => {
        const repeated = [...chunks, chunks[pick % chunks.length]]
        expect(checkChunks(repeated).map(({ code }) => code)).toContain('after-finish')
      }),
    )
  })
})
