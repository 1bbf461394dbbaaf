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

/** Whether a coding can be undone here; `identity` needs nothing. */
export function canDecode(coding: string): boolean {
  const name = coding.toLowerCase()
  return name === 'identity' || name === '' || decoders.has(name)
}

/** Bytes of one body without its coding: a few of a compressed one may stand for gigabytes. */
const decodedBytesMax = 64 * 1024 * 1024

/**
 * The bytes without their coding. What breaks off is decoded as far as it goes.
 * @returns in words what they are when there is no undoing it.
 */
export async function decodeChunks(
  chunks: readonly TimedBytes[],
  coding: string,
): Promise<readonly TimedBytes[] | string> {
  const name = coding.trim().toLowerCase()
  if (name === '' || name === 'identity') return chunks
  const create = decoders.get(name)
  const notOfIt = `that is no ${coding}`
  if (create === undefined) return notOfIt
  const decoder = create()
  let ready: Buffer[] = []
  let leftBytes = decodedBytesMax
  let problem: string | null = null
  const failed = new Promise<void>((resolve) => {
    const fail = (why: string): void => {
      problem ??= why
      decoder.destroy()
      resolve()
    }
    decoder.on('data', (bytes: Buffer) => {
      leftBytes -= bytes.length
      if (leftBytes < 0) fail(`that is larger than ${decodedBytesMax} bytes without its ${coding}`)
      else ready.push(bytes)
    })
    decoder.on('error', () => fail(notOfIt))
  })
  const decoded: TimedBytes[] = []
  for (const { bytes, atMs } of chunks) {
    const written = new Promise<void>((resolve) => decoder.write(bytes, () => resolve()))
    await Promise.race([written, failed])
    // What was decoded is handed out in this turn.
    await nextTurn()
    if (problem !== null) return problem
    if (ready.length > 0) decoded.push({ bytes: Buffer.concat(ready), atMs })
    ready = []
  }
  decoder.destroy()
  return decoded
}
