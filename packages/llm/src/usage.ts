/**
 * Token counts as the wires give them, made into `Usage`.
 */
import type { Usage } from './chunk.ts'

/** What a wire counted; undefined where it said nothing. */
export type TokenCounts = {
  /** Without the tokens read from or written to a cache. */
  input: number
  output: number
  cacheRead: number | undefined
  cacheWrite?: number | undefined
  reasoning: number | undefined
}

export function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: TokenCounts): Usage {
  return {
    // A provider that contradicts itself must not make a count negative.
    inputTokens: Math.max(0, input),
    outputTokens: output,
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  }
}
