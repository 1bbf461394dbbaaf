/**
 * Content codings (RFC 9110, 8.4.1) undone for the recording; the bytes on the
 * wire stay compressed. Each piece keeps the time at which it could be read.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import type { Transform } from 'node:stream'

/** Bytes and when they came, in milliseconds of the recorder's clock. */
export type TimedBytes = { bytes: Buffer; atMs: number }

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  // Since Node 22.15.
  ...('createZstdDecompress' in zlib ? [['zstd', zlib.createZstdDecompress] as const] : []),
])

/** Whether a coding can be undone here; `identity` and `*` need nothing. */
export function canDecode(coding: string): boolean {
  const name = coding.toLowerCase()
  return name === 'identity' || name === '' || decoders.has(name)
}

/**
 * The bytes without their coding. What breaks off is decoded as far as it goes.
 * @returns null when the coding is unknown or the bytes are not of it.
 */
export async function decodeChunks(
  chunks: readonly TimedBytes[],
  coding: string,
): Promise<readonly TimedBytes[] | null> {
  const name = coding.trim().toLowerCase()
  if (name === '' || name === 'identity') return chunks
  const create = decoders.get(name)
  if (create === undefined) return null
  const decoder = create()
  let ready: Buffer[] = []
  let isFailed = false
  decoder.on('data', (bytes: Buffer) => ready.push(bytes))
  const failed = new Promise<void>((resolve) => {
    decoder.once('error', () => {
      isFailed = true
      resolve()
    })
  })
  const decoded: TimedBytes[] = []
  for (const { bytes, atMs } of chunks) {
    const written = new Promise<void>((resolve) => decoder.write(bytes, () => resolve()))
    await Promise.race([written, failed])
    // What was decoded is handed out in this turn.
    await nextTurn()
    if (isFailed) return null
    if (ready.length > 0) decoded.push({ bytes: Buffer.concat(ready), atMs })
    ready = []
  }
  decoder.destroy()
  return decoded
}
