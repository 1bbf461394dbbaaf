/**
 * One entry of a script as a stream of chunks.
 *
 * Follows the adapter contract of `@runproof/llm`: a failure is a thrown
 * `LlmError`; an abort settles the stream at once with the code `ABORTED` and
 * without a `finish`. Chunks come as fast as they are taken.
 */
import { LlmError } from '@runproof/llm/contract'
import type { AbortSignalLike, StreamChunk } from '@runproof/llm/contract'
import type { ReplayEntry } from './entry.ts'

export type ServeOptions = {
  /** The chunks the log holds for this call; what a hang begins with. */
  recorded: readonly StreamChunk[]
  /** Each of them ends the stream when it aborts. */
  signals: readonly (AbortSignalLike | undefined)[]
  writeMarker: ((file: string) => void) | undefined
  /** Called before the last chunk is handed out: many consumers do not come back after it. */
  onLast: () => void
}

export async function* serveEntry(
  entry: ReplayEntry,
  { recorded, signals, writeMarker, onLast }: ServeOptions,
): AsyncGenerator<StreamChunk, void, undefined> {
  const given = signals.filter((signal) => signal !== undefined)
  const chunks = chunksOf(entry, recorded)
  for (const [i, chunk] of chunks.entries()) {
    for (const signal of given) if (signal.aborted) throw abortedError(signal)
    if (entry.kind === 'chunks' && i === chunks.length - 1) onLast()
    yield chunk
  }
  if (entry.kind === 'throw') {
    const { message, code, status } = entry
    throw new LlmError(message, code, status === undefined ? {} : { status })
  }
  if (entry.kind === 'hang') {
    if (entry.readyFile !== undefined) writeMarker?.(entry.readyFile)
    throw abortedError(await nextAbort(given))
  }
}

function chunksOf(entry: ReplayEntry, recorded: readonly StreamChunk[]): readonly StreamChunk[] {
  if (entry.kind !== 'hang') return entry.chunks
  return entry.chunks ?? recorded.filter(({ type }) => type !== 'usage' && type !== 'finish')
}

/** Resolves with the first of the signals that aborts. */
async function nextAbort(signals: readonly AbortSignalLike[]): Promise<AbortSignalLike> {
  const { promise, resolve } = Promise.withResolvers<AbortSignalLike>()
  const listeners = signals.map((signal) => ({ signal, listener: () => resolve(signal) }))
  for (const { signal, listener } of listeners) {
    signal.addEventListener('abort', listener)
    if (signal.aborted) listener()
  }
  try {
    return await promise
  } finally {
    for (const { signal, listener } of listeners) signal.removeEventListener('abort', listener)
  }
}

function abortedError(signal: AbortSignalLike): LlmError {
  return new LlmError('the call was aborted', 'ABORTED', { cause: signal.reason })
}
