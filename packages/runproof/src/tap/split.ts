/**
 * Bytes into the bytes of lines, without their ends (LF or CRLF), whatever the
 * chunks. Nothing is judged: unlike `lines.ts`, a line that is no text is given
 * too. Blank lines are left out.
 */

const lineFeed = 0x0a
const carriageReturn = 0x0d

export type LineSplitter = {
  push: (chunk: Buffer) => void
  /** Gives the last line when it had no end. */
  end: () => void
}

/**
 * @param bytesMax of a longer line only so much is kept.
 * @param onLine gets each line and how many of its bytes were dropped.
 */
export function createLineSplitter(
  bytesMax: number,
  onLine: (line: Buffer, droppedBytes: number) => void,
): LineSplitter {
  let parts: Buffer[] = []
  let keptBytes = 0
  let droppedBytes = 0
  const keep = (piece: Buffer): void => {
    const room = bytesMax - keptBytes
    const kept = piece.length > room ? piece.subarray(0, room) : piece
    if (kept.length > 0) parts.push(kept)
    keptBytes += kept.length
    droppedBytes += piece.length - kept.length
  }
  const finish = (): void => {
    const [first] = parts
    const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
    const line = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole
    if (line.length > 0) onLine(line, droppedBytes)
    parts = []
    keptBytes = 0
    droppedBytes = 0
  }
  return {
    push(chunk) {
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        keep(chunk.subarray(start, end))
        finish()
        start = end + 1
      }
      keep(chunk.subarray(start))
    },
    end: finish,
  }
}
