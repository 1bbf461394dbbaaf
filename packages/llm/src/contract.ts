/**
 * The part of `@runproof/llm` that knows no provider: the StreamChunk contract,
 * its checker and assembler, messages, errors, limits. A program that must
 * start fast takes this entry and one wire from `./wire/<name>`.
 */
export { assembleMessage } from './assemble.ts'
export type { AssembledMessage } from './assemble.ts'
export { checkChunks, createChunkChecker } from './chunk-check.ts'
export type { ChunkChecker, ChunkIssue, ChunkIssueCode } from './chunk-check.ts'
export type { Block, BlockType, FinishReason, StreamChunk, Usage } from './chunk.ts'
export { finishOf, isRetryable, LlmError, llmErrorCodes } from './error.ts'
export type { LlmErrorCode, LlmFailure } from './error.ts'
export type {
  AssistantMessage,
  ImageBlock,
  LlmMessage,
  LlmRequest,
  LlmTool,
  ReasoningEffort,
  TextBlock,
  ToolMessage,
  UserMessage,
} from './message.ts'
export type { ReplayItem, ReplayState } from './replay-state.ts'
export { idleTimeoutMsDefault, streamWithLimits } from './stream-limits.ts'
export type { AbortSignalLike, StreamLimits, Timers } from './stream-limits.ts'
