/**
 * When a failed model call is tried again, and after how long. The adapter
 * makes one attempt; this is the policy above it.
 */
import { isRetryable, type LlmFailure } from '@runproof/llm/contract'

export type RetryPolicy = {
  /** Attempts beyond the first. */
  retriesMax: number
  /** Delay before the first retry; doubles each time. 0: never wait, whatever the provider asks for, as in a replay. */
  delayMs: number
  delayMsMax: number
  /** Share of the delay that chance adds or takes, 0 to 1. */
  jitter: number
}

/**
 * Milliseconds to wait before retry number `retry` (from 1), or null when
 * there is none: the failure is final, the retries are used up, or the
 * provider asks for more patience than the policy has.
 */
export function planRetry(
  policy: RetryPolicy,
  failure: LlmFailure,
  retry: number,
  random: () => number,
): number | null {
  if (retry > policy.retriesMax || !isRetryable(failure.code)) return null
  const asked = failure.retryAfterMs ?? 0
  if (asked > policy.delayMsMax) return null
  if (policy.delayMs === 0) return 0
  const backoff = Math.min(policy.delayMsMax, policy.delayMs * 2 ** (retry - 1))
  const spread = 1 + policy.jitter * (2 * random() - 1)
  return Math.max(asked, Math.round(backoff * spread))
}
