/**
 * Bytes into numbered lines, whatever the chunks. A line ends with LF or CRLF;
 * the last one may have no end. Blank lines are counted and left out. A line
 * that is not UTF-8 or too long is reported, never guessed at.
 */
import { isUtf8 } from 'node:buffer'

/** Longer lines are reported as a problem and their text is dropped. */
export const lineBytesMax: number = 64 * 1024 * 1024

/** One line; with a `problem` its text is for showing only: what can be read of it, or nothing. */
export type Line = { number: number; text: string; problem?: string }

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Yields the lines that each chunk completes, as one batch; order is the file's. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number = lineBytesMax,
): AsyncGenerator<Line[]> {
  let number = 0
  let parts: Uint8Array[] = []
  let partsBytes = 0

  const keep = (piece: Uint8Array): void => {
    partsBytes += piece.byteLength
    if (partsBytes > bytesMax) parts = []
    else if (piece.byteLength > 0) parts.push(piece)
  }
  const finish = (): Line | null => {
    number++
    const bytes = parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts)
    const lengthBytes = partsBytes
    parts = []
    partsBytes = 0
    if (lengthBytes > bytesMax) {
      return { number, text: '', problem: `longer than ${bytesMax} bytes` }
    }
    return lineOf(number, bytes)
  }

  for await (const chunk of chunks) {
    const batch: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      keep(chunk.subarray(start, end))
      start = end + 1
      const line = finish()
      if (line !== null) batch.push(line)
    }
    keep(start === 0 ? chunk : chunk.slice(start))
    if (batch.length > 0) yield batch
  }
  if (partsBytes > 0) {
    const line = finish()
    if (line !== null) yield [line]
  }
}

function lineOf(number: number, bytes: Uint8Array): Line | null {
  const hasReturn = bytes.at(-1) === carriageReturn
  const body = hasReturn ? bytes.subarray(0, -1) : bytes
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  if (!isUtf8(body)) return { number, text, problem: 'not UTF-8' }
  return text.trim() === '' ? null : { number, text }
}
