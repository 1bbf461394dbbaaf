/**
 * The two limits of a running stream: the caller's abort and the provider's
 * silence. Pure but for its arguments: timers are passed in.
 *
 * Whatever the source does, an abort or a timeout settles the consumer at once:
 * a source that ignores both is left behind, told to return but not waited for.
 */
import { LlmError } from './error.ts'

/** How long a provider may be silent before its stream counts as dead. */
export const idleTimeoutMsDefault = 300_000

/** A one-shot timer, for example `setTimeout` and `clearTimeout`. */
export type Timers<Handle = unknown> = {
  set(callback: () => void, delayMs: number): Handle
  clear(handle: Handle): void
}

/** The part of a web `AbortSignal` that is used. */
export type AbortSignalLike = {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export type StreamLimits<Handle = unknown> = {
  signal?: AbortSignalLike
  /** Without timers there is no idle limit. */
  timers?: Timers<Handle>
  idleTimeoutMs?: number
}

/**
 * The items of `source`, in order, until it ends, throws, or a limit is met.
 *
 * Throws `LlmError` `ABORTED` as soon as the signal aborts (at once when it
 * already is, and for the error a source throws because of the abort), and
 * `TIMEOUT` when `idleTimeoutMs` pass without an item while one is awaited.
 * Wrap the byte stream, not the chunks, so that comments count as life.
 * Other errors of the source pass through. A consumer that stops early makes
 * the source return.
 */
export async function* streamWithLimits<T, Handle>(
  source: AsyncIterable<T>,
  limits: StreamLimits<Handle>,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let settled = false
  try {
    for (;;) {
      const next = await nextWithin(iterator, limits)
      if (next.done) {
        settled = true
        return
      }
      yield next.value
    }
  } catch (error) {
    settled = true
    leave(iterator)
    throw limits.signal?.aborted ? abortedError(limits.signal, error) : error
  } finally {
    if (!settled) await iterator.return?.()
  }
}

function nextWithin<T, Handle>(
  iterator: AsyncIterator<T>,
  { signal, timers, idleTimeoutMs = idleTimeoutMsDefault }: StreamLimits<Handle>,
): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortedError(signal))
      return
    }
    const timer = timers && {
      handle: timers.set(() => {
        release()
        reject(new LlmError(`the stream was silent for ${idleTimeoutMs} ms`, 'TIMEOUT'))
      }, idleTimeoutMs),
    }
    const onAbort = (): void => {
      release()
      reject(abortedError(signal))
    }
    const release = (): void => {
      if (timer) timers.clear(timer.handle)
      signal?.removeEventListener('abort', onAbort)
    }
    signal?.addEventListener('abort', onAbort)
    void iterator.next().then(resolve, reject).finally(release)
  })
}

/** Tells a source that is left behind to clean up; nobody waits, so its complaints go nowhere. */
function leave(iterator: AsyncIterator<unknown>): void {
  iterator.return?.().then(undefined, () => undefined)
}

function abortedError(signal: AbortSignalLike | undefined, cause?: unknown): LlmError {
  if (LlmError.is(cause) && cause.code === 'ABORTED') return cause
  return new LlmError('the call was aborted', 'ABORTED', { cause: signal?.reason ?? cause })
}
