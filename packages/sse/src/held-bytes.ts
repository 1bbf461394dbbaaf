/**
 * The bytes of an unfinished block: a queue that is appended to at its end and
 * consumed from its start. Each byte is moved a bounded number of times on
 * average, so a line of any length costs linear time.
 */

const capacityMin = 4096
/** A larger buffer is let go once it is empty. */
const idleBytesMax = 1024 * 1024

export class HeldBytes {
  /** What is held is `bytes[start, end)`; other bytes mean nothing. */
  bytes: Uint8Array = new Uint8Array(0)
  start = 0
  end = 0

  /** Makes `count` bytes behind `end` free to be written; `bytes` and indices may change. */
  reserve(count: number): void {
    if (this.end + count > this.bytes.length) this.#makeRoom(count)
  }

  /** Copies `chunk` to the end. */
  append(chunk: Uint8Array): void {
    this.reserve(chunk.length)
    this.bytes.set(chunk, this.end)
    this.end += chunk.length
  }

  /** Forgets what lies before `start`, an index of `bytes`. */
  consume(start: number): void {
    this.start = start
    if (start < this.end) return
    this.start = 0
    this.end = 0
    if (this.bytes.length > idleBytesMax) this.bytes = new Uint8Array(0)
  }

  #makeRoom(count: number): void {
    const size = this.end - this.start
    const needed = size + count
    // Moving at most half of the buffer buys at least as many free bytes.
    if (needed * 2 <= this.bytes.length) {
      this.bytes.copyWithin(0, this.start, this.end)
    } else {
      const grown = new Uint8Array(Math.max(capacityMin, needed * 2))
      grown.set(this.bytes.subarray(this.start, this.end))
      this.bytes = grown
    }
    this.start = 0
    this.end = size
  }
}
