/**
 * Arbitrary chunk streams: any well-formed one, and for each wire those it can
 * express.
 */
import type { Block, FinishReason, StreamChunk, Usage, WireName } from '@runproof/llm'
import fc from 'fast-check'

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const someText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/)
const count = fc.nat(100_000)

type Piece = { block: Block; pieces: string[] }

const pieced = (whole: fc.Arbitrary<string[]>, make: (text: string) => Block) =>
  whole.map((pieces): Piece => ({ block: make(pieces.join('')), pieces }))

const texts = (type: 'text' | 'reasoning', pieces: fc.Arbitrary<string[]>): fc.Arbitrary<Piece> =>
  pieced(pieces, (whole) => ({ type, text: whole }))

const calls = (args: fc.Arbitrary<string[]>): fc.Arbitrary<Piece> =>
  fc.tuple(fc.uuid(), name, args).map(([id, tool, pieces]) => ({
    block: { type: 'tool-call', id, name: tool, arguments: pieces.join('') },
    pieces,
  }))

const somePieces = fc.array(someText, { minLength: 1, maxLength: 4 })
const anyPieces = fc.array(text, { maxLength: 4 })
const jsonObject = fc
  .dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)))
  .map((value) => [JSON.stringify(value)])

const usage = (caches: boolean): fc.Arbitrary<Usage> =>
  fc
    .tuple(
      fc.record({ inputTokens: count, outputTokens: fc.integer({ min: 100, max: 100_000 }) }),
      fc.record(
        {
          cacheReadTokens: count,
          ...(caches && { cacheWriteTokens: count }),
          reasoningTokens: fc.nat(100),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([counts, details]) => ({ ...counts, ...details }))

const deltaOf = ({ block }: Piece, index: number, piece: string): StreamChunk =>
  block.type === 'tool-call'
    ? { type: 'tool-call-delta', index, id: block.id, name: block.name, argumentsDelta: piece }
    : { type: `${block.type}-delta`, index, text: piece }

/** The chunks of one block. */
const blockChunks = (piece: Piece, index: number): StreamChunk[] => [
  { type: 'block-start', index, blockType: piece.block.type },
  ...piece.pieces.map((part) => deltaOf(piece, index, part)),
  { type: 'block-end', index, block: piece.block },
]

type Stream = { pieces: Piece[]; usage: Usage | undefined; reason: FinishReason }

const inSequence = ({ pieces, usage: counts, reason }: Stream): StreamChunk[] => [
  ...pieces.flatMap(blockChunks),
  ...(counts ? [{ type: 'usage' as const, usage: counts }] : []),
  { type: 'finish', reason },
]

/** Starts in order, then the blocks' chunks in the order of `picks`. */
const interleaved = (stream: Stream, picks: readonly number[]): StreamChunk[] => {
  const queues = stream.pieces.map((piece, index) => blockChunks(piece, index))
  const chunks = queues.flatMap((queue) => queue.splice(0, 1))
  for (const pick of [...picks, ...queues.flatMap((queue, index) => queue.map(() => index))]) {
    chunks.push(...(queues[pick % queues.length]?.splice(0, 1) ?? []))
  }
  return [...chunks, ...inSequence({ ...stream, pieces: [] })]
}

const anyReason = fc.oneof(
  fc.constantFrom<FinishReason>(
    { kind: 'stop' },
    { kind: 'tool-calls' },
    { kind: 'max-tokens' },
    { kind: 'max-tokens', detail: 'model_context_window_exceeded' },
    { kind: 'aborted' },
    { kind: 'pause' },
    { kind: 'pause', detail: 'steered' },
    { kind: 'refusal' },
    { kind: 'content-filter' },
    { kind: 'content-filter', detail: 'SAFETY' },
    { kind: 'error', message: 'no code' },
    { kind: 'error', message: 'cut', code: 'STREAM_CLOSED' },
    { kind: 'error', message: 'wait', code: 'RATE_LIMIT', status: 429, retryAfterMs: 1500 },
    { kind: 'error', message: 'sorry', code: 'SERVER', requestId: 'r1' },
    { kind: 'error', message: 'too long', code: 'CONTEXT_WINDOW_EXCEEDED' },
  ),
  someText.map((message): FinishReason => ({ kind: 'refusal', message })),
)

/** Any well-formed stream without a replay state. */
export const anyStream: fc.Arbitrary<StreamChunk[]> = fc
  .record({
    pieces: fc.array(
      fc.oneof(texts('text', anyPieces), texts('reasoning', anyPieces), calls(anyPieces)),
      { maxLength: 4 },
    ),
    usage: fc.option(usage(true), { nil: undefined }),
    reason: anyReason,
    picks: fc.option(fc.array(fc.nat(3), { maxLength: 12 }), { nil: undefined }),
  })
  .map(({ picks, ...stream }) =>
    picks && stream.pieces.length > 0 ? interleaved(stream, picks) : inSequence(stream),
  )

const streamErrors = fc
  .tuple(
    fc.constantFrom('AUTH', 'QUOTA', 'RATE_LIMIT', 'INVALID_REQUEST', 'SERVER', 'SOME_NEW_WORD'),
    someText,
  )
  .map(([code, message]): FinishReason => ({ kind: 'error', message, code }))

/** What a wire can end a stream with, by whether it asks for tools. */
const refusals = someText.map((message): FinishReason => ({ kind: 'refusal', message }))
const chatEnds = fc.oneof(
  fc.constantFrom<FinishReason>({ kind: 'max-tokens' }, { kind: 'content-filter' }),
  refusals,
)
const otherEnds: Record<WireName, fc.Arbitrary<FinishReason>> = {
  deepseek: chatEnds,
  'openai-chat': chatEnds,
  'openai-responses': fc.oneof(
    fc.constantFrom<FinishReason>(
      { kind: 'max-tokens' },
      { kind: 'content-filter' },
      { kind: 'pause', detail: 'steered' },
    ),
    refusals,
  ),
  anthropic: fc.oneof(
    fc.constantFrom<FinishReason>(
      { kind: 'max-tokens' },
      { kind: 'max-tokens', detail: 'model_context_window_exceeded' },
      { kind: 'pause' },
      { kind: 'refusal' },
      { kind: 'refusal', detail: 'bio' },
    ),
    refusals,
  ),
  gemini: fc.constantFrom<FinishReason>(
    { kind: 'max-tokens' },
    { kind: 'content-filter', detail: 'SAFETY' },
    { kind: 'content-filter', detail: 'SPII', message: 'a number' },
  ),
}

const someTexts = texts('text', somePieces)
const someReasoning = texts('reasoning', somePieces)

/** Answers that a wire can carry. */
const answers: Record<WireName, fc.Arbitrary<Piece[]>> = {
  deepseek: chatAnswers(),
  'openai-chat': chatAnswers(),
  'openai-responses': fc.array(fc.oneof(someTexts, someReasoning, calls(anyPieces))),
  anthropic: fc.array(fc.oneof(someTexts, someReasoning, calls(somePieces))),
  gemini: fc
    .array(fc.oneof(someTexts, someReasoning, calls(jsonObject)), { maxLength: 6 })
    // Neighbours of one kind would be one block over there.
    .map((pieces) =>
      pieces.filter(
        ({ block: { type } }, at) => type === 'tool-call' || pieces[at - 1]?.block.type !== type,
      ),
    ),
}

function chatAnswers(): fc.Arbitrary<Piece[]> {
  const maybe = (piece: fc.Arbitrary<Piece>): fc.Arbitrary<Piece[]> =>
    fc.array(piece, { maxLength: 1 })
  return fc
    .tuple(maybe(someReasoning), maybe(someTexts), fc.array(calls(anyPieces), { maxLength: 3 }))
    .map((lists) => lists.flat())
}

function isCall({ block }: Piece): boolean {
  return block.type === 'tool-call'
}

/** Streams that the wire must be able to carry. */
export function expressibleStream(wire: WireName): fc.Arbitrary<StreamChunk[]> {
  return fc
    .record({
      pieces: answers[wire],
      usage: fc.option(usage(wire !== 'gemini'), { nil: undefined }),
      end: fc.oneof(fc.constant(undefined), otherEnds[wire], streamErrors),
    })
    .map(({ pieces, usage: counts, end }) => {
      const hasCall = pieces.some(isCall)
      const isError = end?.kind === 'error'
      const natural: FinishReason = { kind: hasCall ? 'tool-calls' : 'stop' }
      const isEmpty = pieces.length === 0
      return inSequence({
        // An error inside a stream comes before calls are whole and counts are known.
        pieces: isError && hasCall ? pieces.slice(0, pieces.findIndex(isCall)) : pieces,
        usage: isError ? undefined : counts,
        reason: end ?? (isEmpty ? { kind: 'max-tokens' } : natural),
      })
    })
}
