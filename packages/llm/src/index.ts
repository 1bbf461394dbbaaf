export type { Block, BlockType, FinishReason, StreamChunk, Usage } from './chunk.ts'
