/**
 * One model request of a step, with its retries: streams the answer into the
 * log chunk by chunk and ends with the assistant message.
 *
 * Invariants: the request is derived from the log, so the history in the log
 * is what the model was sent; the log is safe on the disk before the model
 * hears of it. A failed attempt is tried again only while it has shown
 * nothing, so that no text appears twice; its chunks stay in the log, so that
 * a replay fails and tries again as the run did.
 */
import {
  assembleMessage,
  LlmError,
  streamWithLimits,
  type AssembledMessage,
  type Block,
  type FinishReason,
  type LlmFailure,
  type StreamChunk,
} from '@runproof/llm/contract'
import { deriveHistory, SessionLogError } from '@runproof/session-log'
import { messageOf } from '../error.ts'
import type { RequestHeader } from './header.ts'
import type { LoopParts, Turn } from './parts.ts'
import { planRetry } from './retry.ts'

/** What the model said, and why it stopped. */
export type Answer = { content: Block[]; finish: FinishReason }

/** A model call that failed for good; its failure becomes the turn's end. */
export class ModelFailure extends Error {
  readonly failure: LlmFailure

  constructor(failure: LlmFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * The answer, logged; null when the turn was aborted meanwhile.
 * @throws ModelFailure
 */
export async function requestModel(
  parts: LoopParts,
  turn: Turn,
  step: number,
  header: RequestHeader,
): Promise<Answer | null> {
  const { session, signal } = turn
  for (let retry = 1; !signal.aborted; retry++) {
    await session.checkpoint()
    const { message, failure, seqs } = await attemptModel(parts, turn, step, header)
    if (signal.aborted) return null
    if (failure === null && message.finish !== undefined) {
      await logAnswer(turn, step, message, seqs)
      return { content: message.content, finish: message.finish }
    }
    await waitForRetry(parts, turn, failure ?? unfinished, { message, retry })
  }
  return null
}

type Attempt = { message: AssembledMessage; failure: LlmFailure | null; seqs: number[] }

async function attemptModel(
  parts: LoopParts,
  turn: Turn,
  step: number,
  header: RequestHeader,
): Promise<Attempt> {
  const { session, signal } = turn
  const chunks: StreamChunk[] = []
  const seqs: number[] = []
  let failure: LlmFailure | null = null
  try {
    // The limit ends a cancelled turn even if an adapter ignores its signal.
    for await (const chunk of streamWithLimits(openStream(parts, turn, header), { signal })) {
      chunks.push(chunk)
      const data = { turn: turn.turn, step, chunk }
      const [event] = await session.append([{ type: 'assistant/chunk', data }])
      if (event !== undefined) seqs.push(event.seq)
      if (chunk.type === 'finish') break
    }
  } catch (error) {
    if (SessionLogError.is(error)) throw error
    failure = describe(error)
  }
  const message = assembleMessage(chunks)
  return { message, failure: failure ?? failureOf(message), seqs }
}

/** Listeners of the waterfall throw errors of their own, such as a replay that does not fit. */
function describe(error: unknown): LlmFailure {
  if (LlmError.is(error)) return error.toFailure()
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return { message: messageOf(error), code: hasCode ? String(error.code) : 'UNKNOWN' }
}

function openStream(
  { llm }: LoopParts,
  { session, signal }: Turn,
  { config, system, tools }: RequestHeader,
): AsyncIterable<StreamChunk> {
  return llm.stream({
    provider: llm.provider,
    model: config.model,
    system,
    tools,
    messages: deriveHistory(session.events),
    sessionId: session.id,
    signal,
  })
}

/** @throws ModelFailure when there is no retry */
async function waitForRetry(
  { retry: policy, random, clock, warn }: LoopParts,
  { signal }: Turn,
  failure: LlmFailure,
  { message, retry }: { message: AssembledMessage; retry: number },
): Promise<void> {
  // `content` of a broken stream is the text it has shown.
  const delayMs = message.content.length > 0 ? null : planRetry(policy, failure, retry, random)
  if (delayMs === null) throw new ModelFailure(failure)
  warn(`${failure.message}; trying again in ${delayMs} ms`)
  await clock.sleep(delayMs, signal)
}

const unfinished: LlmFailure = {
  message: 'the stream ended without a finish',
  code: 'STREAM_CLOSED',
}

function failureOf({ finish }: AssembledMessage): LlmFailure | null {
  if (finish === undefined) return unfinished
  if (finish.kind === 'aborted') {
    return { message: 'the provider ended the stream', code: 'ABORTED' }
  }
  if (finish.kind !== 'error') return null
  const { kind: _, ...failure } = finish
  return { code: 'UNKNOWN', ...failure }
}

async function logAnswer(
  { session, turn }: Turn,
  step: number,
  { content, usage }: AssembledMessage,
  sourceEventSeqs: number[],
): Promise<void> {
  await session.append([
    {
      type: 'assistant/message',
      data: { turn, step, content, ...(usage !== undefined && { usage }) },
      sourceEventSeqs,
      surfaceOp: 'append',
    },
  ])
}
