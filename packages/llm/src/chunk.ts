/**
 * The StreamChunk contract: one provider-neutral piece of a model stream.
 *
 * Follows the chunk vocabulary of the DeepSeek Harness session log, format 0,
 * so that real logs of that project are streams of these values.
 *
 * Invariants of a well-formed stream: `block-start` opens an `index` once,
 * deltas and `block-end` name an open one, `usage` comes before `finish`,
 * exactly one `finish` ends the stream and nothing follows it.
 */

/** What a block holds; `image` and `tool-result` never stream as deltas. */
export type BlockType = 'text' | 'reasoning' | 'image' | 'tool-call' | 'tool-result'

/** A finished block. Tool arguments stay the raw JSON text the model wrote. */
export type Block =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; id: string; name: string; arguments: string }

/** Disjoint token counts: `inputTokens` are the uncached ones only. */
export type Usage = {
  inputTokens: number
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
}

/** Why a stream ended. Kinds beyond the first five are never a normal stop. */
export type FinishReason =
  | { kind: 'stop' }
  | { kind: 'tool-calls' }
  | { kind: 'max-tokens' }
  | { kind: 'aborted' }
  | { kind: 'error'; message: string; code?: string; status?: number }
  | { kind: 'refusal' }
  | { kind: 'pause' }
  | { kind: 'content-filter' }

export type StreamChunk =
  | { type: 'block-start'; index: number; blockType: BlockType }
  | { type: 'text-delta'; index: number; text: string }
  | { type: 'reasoning-delta'; index: number; text: string }
  | { type: 'tool-call-delta'; index: number; id: string; name?: string; argumentsDelta: string }
  | { type: 'block-end'; index: number; block: Block }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason; replayState?: unknown }
