/**
 * Stdin and stdout as the byte streams of an ACP connection.
 *
 * The SDK closes a connection as soon as its input ends, and then drops what
 * is still to be sent. So the end of stdin is held back until `close`, which
 * the owner calls when everything open is answered.
 */
import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

export type Transport = {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
  /** Resolves when the peer's last message was handed on, or it cannot be reached. */
  readonly ended: Promise<void>
  /** Resolves when what was to be written is out; for a time when nobody writes any more. */
  flushed(): Promise<void>
  /** Ends the input of the connection. Idempotent. */
  close(): void
}

/** Messages travel through the SDK in microtasks: two rounds of the event loop are enough. */
async function afterRounds(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

export function createTransport(input: Readable, output: Writable): Transport {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let pending = 0
  let writes = 0
  let isOpen = true
  let source: ReadableStreamDefaultController<Uint8Array> | null = null

  const isBusy = (seen: number): boolean => pending > 0 || writes > seen

  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      source = controller
      input.on('data', (bytes: Buffer) => {
        if (isOpen) controller.enqueue(bytes)
      })
      input.once('end', () => {
        // Ends a last line that came without its line feed.
        if (isOpen) controller.enqueue(Buffer.from('\n'))
        void afterRounds().then(end)
      })
      input.once('error', () => end())
      // The reader of our output went away: nobody will read an answer.
      output.on('error', () => end())
    },
    cancel() {
      isOpen = false
    },
  })
  const writable = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise<void>((resolve, reject) => {
        writes++
        pending++
        output.write(bytes, (error) => {
          pending--
          if (error) reject(error)
          else resolve()
        })
      }),
  })

  return {
    readable,
    writable,
    ended,
    async flushed() {
      let seen
      do {
        seen = writes
        await afterRounds()
      } while (isBusy(seen))
    },
    close() {
      if (isOpen) source?.close()
      isOpen = false
    },
  }
}
