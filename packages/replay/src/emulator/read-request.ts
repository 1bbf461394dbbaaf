/**
 * The body of a request: whole, decompressed, and as the value it is compared by.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { parseBody } from '../body.ts'

/** Longest body, compressed or not. */
const bodyBytesMax = 64 * 1024 * 1024

export type ReadBody = { body: unknown } | { problem: string }

/** JSON value, or text that is none, or null when there is none. Rejects when the client breaks off. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const bytes = await readBytes(request)
  if (bytes === null) return { problem: `the body is longer than ${bodyBytesMax} bytes` }
  if (bytes.length === 0) return { body: null }
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (/^\s*identity\s*$/i.test(encoding)) return readText(bytes)
  const { decompress } = await import('./decompress.ts')
  const plain = await decompress(bytes, encoding, bodyBytesMax)
  return typeof plain === 'string' ? { problem: plain } : readText(plain)
}

function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= bodyBytesMax) chunks.push(chunk)
    })
    request.on('end', () => {
      const [first] = chunks
      if (length > bodyBytesMax) resolve(null)
      else resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks))
    })
    request.on('error', reject)
  })
}

/** Bytes that are no text are in no recording, and read as one they would look like others. */
function readText(bytes: Buffer): ReadBody {
  return isUtf8(bytes) ? { body: parseBody(bytes.toString()) } : { problem: 'the body is no text' }
}
