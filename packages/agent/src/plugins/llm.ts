/**
 * Service `llm`: the one way to a model. A call goes through the `llm/stream`
 * waterfall; a listener wraps the rest of the chain with `next()` or answers
 * itself, as the replay plugin does. Innermost is the adapter registered for
 * the call's provider. Calls are frozen, so that no listener changes what the
 * log says was sent.
 */
import { LlmError, type LlmRequest, type StreamChunk } from '@runproof/llm/contract'
import { strictObject, string, type ZodType } from 'zod'
import type { Context } from '../services.ts'

export const name = 'llm'

export type LlmConfig = {
  /** Provider and model of every request. */
  provider: string
  model: string
}

export const Config: ZodType<LlmConfig> = strictObject({
  provider: string().min(1),
  model: string().min(1),
})

/** A request with what the runtime needs to route and to stop it. */
export type LlmCall = LlmRequest & {
  provider: string
  sessionId: string
  /** Stops the stream; an adapter settles soon after. */
  signal: AbortSignal
}

/** Streams one answer; throws `LlmError` or ends in an error `finish`. One attempt, no retries. */
export type LlmAdapter = (call: LlmCall) => AsyncIterable<StreamChunk>

export type LlmRuntime = {
  readonly provider: string
  readonly model: string
  /**
   * Serves the calls of a provider until the returned function is called.
   * @throws LlmError `DUPLICATE_ADAPTER`
   */
  register(provider: string, adapter: LlmAdapter): () => void
  /** @throws LlmError `NO_ADAPTER` when nobody answers for the provider */
  stream(call: LlmCall): AsyncIterable<StreamChunk>
}

export function apply(ctx: Context, { provider, model }: LlmConfig): void {
  const adapters = new Map<string, LlmAdapter>()
  const runtime: LlmRuntime = {
    provider,
    model,
    register(id, adapter) {
      if (adapters.has(id)) {
        throw new LlmError(`there is an adapter for "${id}" already`, 'DUPLICATE_ADAPTER')
      }
      adapters.set(id, adapter)
      return () => void adapters.delete(id)
    },
    stream(call) {
      const frozen = freeze(call)
      return ctx.waterfall('llm/stream', frozen, () => {
        const adapter = adapters.get(call.provider)
        if (adapter !== undefined) return adapter(frozen)
        throw new LlmError(
          `no adapter for the provider "${call.provider}"; the composition has ${[...adapters.keys()].join(', ') || 'none'}`,
          'NO_ADAPTER',
        )
      })
    },
  }
  ctx.provide('llm', runtime)
}

/** Freezes plain data all the way down; a signal is not plain data. */
function freeze<T>(value: T): T {
  const isPlain = typeof value === 'object' && value !== null && !(value instanceof AbortSignal)
  if (!isPlain || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) freeze(part)
  return value
}
