/**
 * Chat completions token counts, both ways.
 *
 * On the wire `prompt_tokens` holds the cached tokens too and, as a rule,
 * `completion_tokens` the reasoning. xAI counts reasoning beside the
 * completion; its `total_tokens` gives it away.
 */
import type { Usage } from '../chunk.ts'
import { countOf, objectOf, type JsonObject } from '../json.ts'
import { usageOf } from '../usage.ts'

export function readUsage(usage: JsonObject): Usage {
  const prompt = countOf(usage.prompt_tokens) ?? 0
  const completion = countOf(usage.completion_tokens) ?? 0
  const input = objectOf(usage.prompt_tokens_details)
  const cacheRead = countOf(input.cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens)
  const cacheWrite = countOf(input.cache_write_tokens)
  const reasoning = countOf(objectOf(usage.completion_tokens_details).reasoning_tokens)
  const isBeside =
    reasoning !== undefined && countOf(usage.total_tokens) === prompt + completion + reasoning
  return usageOf({
    input: prompt - (cacheRead ?? 0) - (cacheWrite ?? 0),
    output: isBeside ? completion + reasoning : completion,
    cacheRead,
    cacheWrite,
    reasoning,
  })
}

export function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const prompt = inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const hasCache = cacheReadTokens !== undefined || cacheWriteTokens !== undefined
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    // A field without a value is left out of the JSON text.
    ...(hasCache && {
      prompt_tokens_details: {
        cached_tokens: cacheReadTokens,
        cache_write_tokens: cacheWriteTokens,
      },
    }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  }
}
