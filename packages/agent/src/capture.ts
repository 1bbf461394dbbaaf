/**
 * Keeps the output of a command within a byte limit: the first half and the
 * last half survive, the middle is counted and named. Memory stays bounded by
 * about twice the limit however much arrives.
 */

export type Capture = {
  /** Bytes in the order they arrived; `bytes` may be reused by the caller afterwards. */
  push(bytes: Uint8Array): void
  /** UTF-8 text; bytes that are not UTF-8 become U+FFFD. */
  text(): string
  /** Bytes left out of `text()`. */
  omittedBytes(): number
}

export function createCapture(bytesMax: number): Capture {
  if (!Number.isSafeInteger(bytesMax) || bytesMax < 2) {
    throw new TypeError(`bytesMax must be an integer of at least 2, not ${bytesMax}`)
  }
  const headMax = bytesMax >> 1
  const tailMax = bytesMax - headMax
  const head: Buffer[] = []
  let headBytes = 0
  let tail: Buffer[] = []
  let tailBytes = 0
  let omitted = 0

  const trimTail = (): void => {
    const all = Buffer.concat(tail)
    const kept = all.subarray(Math.max(0, all.length - tailMax))
    omitted += all.length - kept.length
    tail = [Buffer.from(kept)]
    tailBytes = kept.length
  }

  return {
    push(bytes) {
      const room = Math.max(0, headMax - headBytes)
      const first = bytes.subarray(0, room)
      const rest = bytes.subarray(room)
      if (first.length > 0) head.push(Buffer.from(first))
      headBytes += first.length
      if (rest.length === 0) return
      tail.push(Buffer.from(rest))
      tailBytes += rest.length
      if (tailBytes > 2 * tailMax) trimTail()
    },
    text() {
      if (tailBytes > tailMax) trimTail()
      if (omitted === 0) return Buffer.concat([...head, ...tail]).toString('utf8')
      // A cut may split a character: its pieces on both sides of the gap go too.
      const before = Buffer.concat(head)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
      const after = Buffer.concat(tail)
        .toString('utf8')
        .replace(/^\uFFFD+/, '')
      return `${before}\n[… ${omitted} bytes of output left out …]\n${after}`
    },
    omittedBytes() {
      if (tailBytes > tailMax) trimTail()
      return omitted
    },
  }
}
