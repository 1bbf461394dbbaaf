/**
 * Content codings of request bodies (RFC 9110, 8.4.1).
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const gunzip = promisify(zlib.gunzip)

/** The same codings as those that a recorder undoes. */
const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['br', promisify(zlib.brotliDecompress)],
  ['deflate', promisify(zlib.inflate)],
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Node.js 22.12, our floor, has no zstd yet.
  ...('zstdDecompress' in zlib ? [['zstd', promisify(zlib.zstdDecompress)] as const] : []),
])

/** The bytes without their coding, or in words why there are none. */
export async function decompress(
  bytes: Buffer,
  encoding: string,
  bytesMax: number,
): Promise<Buffer | string> {
  const decode = decompressors.get(encoding.trim().toLowerCase())
  if (decode === undefined) return `the body has the unknown content-encoding ${encoding}`
  try {
    return await decode(bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    return `the body is no ${encoding} data: ${String(error)}`
  }
}
