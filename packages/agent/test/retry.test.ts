import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planRetry, type RetryPolicy } from '../src/loop/retry.ts'

const policy: RetryPolicy = { retriesMax: 3, delayMs: 100, delayMsMax: 1000, jitter: 0.1 }
const busy = { message: 'busy', code: 'RATE_LIMIT' }
const middle = () => 0.5

describe('a retry', () => {
  it.each([
    { title: 'doubles its delay', failure: busy, retry: 2, delayMs: 200 },
    { title: 'stops at the last', failure: busy, retry: 4, delayMs: null },
    {
      title: 'waits as long as it is asked to',
      failure: { ...busy, retryAfterMs: 700 },
      retry: 1,
      delayMs: 700,
    },
    {
      title: 'does not wait for ever',
      failure: { ...busy, retryAfterMs: 5000 },
      retry: 1,
      delayMs: null,
    },
    {
      title: 'is not for a bad key',
      failure: { message: 'no', code: 'AUTH' },
      retry: 1,
      delayMs: null,
    },
    {
      title: 'is not for a closed stream',
      failure: { message: 'cut', code: 'STREAM_CLOSED' },
      retry: 1,
      delayMs: null,
    },
  ])('$title', ({ failure, retry, delayMs }) => {
    expect(planRetry(policy, failure, retry, middle)).toBe(delayMs)
  })

  it('waits for nobody where the delay is 0, and keeps the rest of the policy', () => {
    const hasty = { ...policy, delayMs: 0 }
    const asked = (retryAfterMs: number) => ({ ...busy, retryAfterMs })
    expect(planRetry(hasty, asked(700), 1, middle)).toBe(0)
    expect(planRetry(hasty, asked(5000), 1, middle)).toBe(null)
    expect(planRetry(hasty, busy, 4, middle)).toBe(null)
  })

  it('stays within the jitter around its delay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (retry, chance) => {
          const delayMs = planRetry(policy, busy, retry, () => chance) ?? 0
          const plain = Math.min(1000, 100 * 2 ** (retry - 1))
          expect(Math.abs(delayMs - plain)).toBeLessThanOrEqual(plain * 0.1 + 1)
        },
      ),
    )
  })
})
