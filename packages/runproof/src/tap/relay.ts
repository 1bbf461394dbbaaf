/**
 * Bytes from one stream to another, as they are, at the pace of the reader. A
 * reader that is gone changes nothing for the writer: what it says is still
 * taken, and seen by `onChunk`, to its end.
 */
import type { Readable, Writable } from 'node:stream'

export type RelayOptions = {
  /** Whether the sink is told when the source has ended; stdout and stderr of this process are not. */
  endsSink: boolean
  /** Sees each chunk after it has been sent on. */
  onChunk: (chunk: Buffer) => void
}

/** @returns when the source has ended and all of it has been seen. */
export function relay(
  from: Readable,
  to: Writable,
  { endsSink, onChunk }: RelayOptions,
): Promise<void> {
  let isGone = false
  const leave = (): void => {
    isGone = true
    from.resume()
  }
  to.on('error', leave).on('close', leave)
  to.on('drain', () => from.resume())
  from.on('data', (chunk: Buffer) => {
    if (!isGone && !to.write(chunk)) from.pause()
    onChunk(chunk)
  })
  return new Promise((resolve) => {
    const finish = (): void => {
      if (endsSink && !isGone) to.end()
      resolve()
    }
    // A source that breaks off has ended, too.
    from.once('end', finish).once('error', finish).once('close', finish)
  })
}
