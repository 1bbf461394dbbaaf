/**
 * The StreamChunk contract: one provider-neutral piece of a model stream.
 *
 * Follows the chunk vocabulary of the DeepSeek Harness session log, format 0,
 * so that real logs of that project are streams of these values.
 *
 * Invariants of a well-formed stream: `block-start` opens an `index` once,
 * deltas and `block-end` name an open one, `usage` comes at most once and
 * before `finish`, exactly one `finish` ends the stream and nothing follows
 * it. `createChunkChecker` checks them.
 */

/** What a block holds; `image` and `tool-result` never stream as deltas. */
export type BlockType = 'text' | 'reasoning' | 'image' | 'tool-call' | 'tool-result'

/** A finished block. Tool arguments stay the raw text the model wrote, as a rule JSON. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; id: string; name: string; arguments: string }

/** The finished block of what streamed; `text` holds the arguments of a tool call. */
export function blockOf(block: {
  type: Block['type']
  text: string
  id: string
  name: string
}): Block {
  const { type, text, id, name } = block
  return type === 'tool-call' ? { type, id, name, arguments: text } : { type, text }
}

/**
 * Token counts. The three input counts are disjoint: `inputTokens` are those
 * neither read from nor written to a cache. `outputTokens` is everything the
 * model wrote; `reasoningTokens` says how many of those were reasoning. A count
 * the provider did not give is absent.
 */
export type Usage = {
  inputTokens: number
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
}

/**
 * Why a stream ended. Only `stop` says that the model had nothing more to say.
 *
 * - `tool-calls`: the caller must run tools and send their results.
 * - `max-tokens`: cut at a length limit; an open tool call is not to be run.
 * - `aborted`: the caller ended it.
 * - `error`: the stream broke or the provider failed; `code` is an
 *   `LlmErrorCode`, or a provider's own word in capitals that has none.
 * - `refusal`: the model declined; `message` is what it said about it.
 * - `pause`: the provider waits for the caller (a paused turn to be sent back,
 *   an approval); not an end of the answer.
 * - `content-filter`: a filter cut or withheld the answer.
 *
 * `detail` is the provider's own word where it says more than the kind.
 */
export type FinishReason =
  | { kind: 'stop' }
  | { kind: 'tool-calls' }
  | { kind: 'max-tokens'; detail?: string }
  | { kind: 'aborted' }
  | {
      kind: 'error'
      message: string
      code?: string
      /** HTTP status, where the provider gave one. */
      status?: number
      retryAfterMs?: number
      requestId?: string
    }
  | { kind: 'refusal'; message?: string; detail?: string }
  | { kind: 'pause'; detail?: string }
  | { kind: 'content-filter'; message?: string; detail?: string }

/**
 * `replayState` of `finish` is what its provider wants back with the next
 * request and no block can hold (signatures, encrypted reasoning, server-side
 * items). Keep it with the message, as it is; see `ReplayState`.
 */
export type StreamChunk =
  | { type: 'block-start'; index: number; blockType: BlockType }
  | { type: 'text-delta'; index: number; text: string }
  | { type: 'reasoning-delta'; index: number; text: string }
  | { type: 'tool-call-delta'; index: number; id: string; name?: string; argumentsDelta: string }
  | { type: 'block-end'; index: number; block: Block }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason; replayState?: unknown }
