/**
 * The decoder as a pair of web streams, for `body.pipeThrough(…)`. Follows the
 * Streams Standard (https://streams.spec.whatwg.org/#ts-model) but for one
 * thing, which is why this is no TransformStream: an error never overtakes
 * events. A TransformStream that fails drops what waits in its queue; this
 * pair fails when the reader asks for the next event and there is none.
 *
 * Back-pressure: a chunk is decoded when the reader waits and nothing is
 * queued, so at most the events of one chunk are.
 */

import { createSseDecoder, type SseEnd } from './decoder.ts'
import { SseError } from './error.ts'
import type { SseDecoderOptions } from './options.ts'
import type { SseEvent } from './parse.ts'

export { SseError } from './error.ts'

export type SseDecoderStream = {
  /** The events in order. Errors with `SseError` at a fault, with the reason at an abort. */
  readonly readable: ReadableStream<SseEvent>
  readonly writable: WritableStream<Uint8Array>
  /**
   * The end report. Resolves when the input is closed or aborted, at a fault,
   * or when the reader cancels; never rejects. It may come before the last
   * events are read.
   */
  readonly end: Promise<SseEnd>
}

/** A decoder to pipe the bytes of one stream through. */
export function createSseDecoderStream(options: SseDecoderOptions = {}): SseDecoderStream {
  const decoder = createSseDecoder(options)
  const end = Promise.withResolvers<SseEnd>()
  // Resolved when the reader waits for an event and none is queued.
  let demand = Promise.withResolvers<void>()
  let isOpen = true
  let output: ReadableStreamDefaultController<SseEvent>
  let input: WritableStreamDefaultController

  function finish(): void {
    if (isOpen) end.resolve(decoder.end())
    isOpen = false
  }

  /** Errors the readable, but only when its queue is empty. */
  async function failLast(reason: unknown): Promise<void> {
    finish()
    await demand.promise
    output.error(reason)
  }

  /** Errors both sides. */
  async function fail(reason: unknown): Promise<never> {
    await failLast(reason)
    throw reason
  }

  const readable = new ReadableStream<SseEvent>(
    {
      start(controller) {
        output = controller
      },
      pull() {
        demand.resolve()
      },
      cancel(reason) {
        finish()
        input.error(reason)
        demand.resolve()
      },
    },
    { highWaterMark: 0 },
  )
  const writable = new WritableStream<Uint8Array>({
    start(controller) {
      input = controller
    },
    async write(chunk) {
      if (!(chunk instanceof Uint8Array)) await fail(new TypeError('chunks must be Uint8Arrays'))
      await demand.promise
      if (!isOpen) return
      const events = decoder.push(chunk)
      if (events.length > 0) demand = Promise.withResolvers<void>()
      for (const event of events) output.enqueue(event)
      if (decoder.error !== null) await fail(new SseError(decoder.error))
    },
    async close() {
      finish()
      const { error } = decoder
      if (error !== null) await fail(new SseError(error))
      output.close()
    },
    abort: failLast,
  })
  return { readable, writable, end: end.promise }
}
