/**
 * The bytes of one open log: append, sync, roll back.
 *
 * Invariants: the file only grows, except that a failed append is cut off
 * again, so that after every settled call it holds whole appends only.
 * `append` returns once the operating system has the bytes (they survive the
 * death of this process); `sync` returns once the disk has them and the
 * folder entries that lead to them (they survive a power cut). When a
 * roll-back or a sync fails, nothing is known of the file any more: it is
 * broken, and every later call fails.
 */
import { open } from 'node:fs/promises'
import { SessionLogError } from '../error.ts'

/** The part of a `FileHandle` that a log needs. */
export type LogHandle = {
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }>
  truncate(length: number): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
}

/** Opens a file for appending: `ax` makes it, `a` takes one that may exist; `r` is a folder, to be synced. */
export type OpenFile = (path: string, flags: 'ax' | 'a' | 'r') => Promise<LogHandle>

export const openNodeFile: OpenFile = (path, flags) => open(path, flags)

export class LogFile {
  readonly #path: string
  readonly #handle: LogHandle
  readonly #openFile: OpenFile
  /** Folders with an entry that the disk may not have yet. */
  #newIn: string[]
  #length: number
  #dirty = false
  #broken: SessionLogError | null = null

  /** `length` is the size of the file's sound part; `newIn` the folders in which the path is new. */
  constructor(
    place: { path: string; handle: LogHandle; openFile: OpenFile },
    length: number,
    newIn: string[],
  ) {
    this.#path = place.path
    this.#handle = place.handle
    this.#openFile = place.openFile
    this.#length = length
    this.#newIn = newIn
  }

  /** One write. Rejects with `io` and leaves the file as it was. */
  async append(text: string): Promise<void> {
    this.#assertSound()
    const bytes = new TextEncoder().encode(text)
    try {
      let done = 0
      // A disk that fills up takes a part; the next write then says why.
      while (done < bytes.length) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done)
        if (bytesWritten === 0) throw new Error('the file takes no more bytes')
        done += bytesWritten
      }
    } catch (reason) {
      await this.cutTail()
      throw this.#error(`nothing was appended: ${messageOf(reason)}`, reason)
    }
    this.#length += bytes.length
    this.#dirty = true
  }

  /** Cuts off what stands behind the sound part. */
  async cutTail(): Promise<void> {
    try {
      await this.#handle.truncate(this.#length)
    } catch (reason) {
      throw this.#break('cannot cut off an unfinished append', reason)
    }
  }

  /** Brings all that was appended to the disk; nothing to do costs nothing. */
  async sync(): Promise<void> {
    this.#assertSound()
    if (!this.#dirty) return
    try {
      await this.#handle.datasync()
      for (const folder of this.#newIn) await this.#syncFolder(folder)
    } catch (reason) {
      throw this.#break('cannot be synced, its last events may be lost', reason)
    }
    this.#newIn = []
    this.#dirty = false
  }

  async close(): Promise<void> {
    try {
      if (this.#broken === null) await this.sync()
    } finally {
      await this.#handle.close()
    }
  }

  async #syncFolder(folder: string): Promise<void> {
    // Windows has no such call: there the entry is as safe as the file.
    if (process.platform === 'win32') return
    const handle = await this.#openFile(folder, 'r')
    try {
      await handle.datasync()
    } finally {
      await handle.close()
    }
  }

  #assertSound(): void {
    if (this.#broken !== null) throw this.#broken
  }

  #break(what: string, reason: unknown): SessionLogError {
    this.#broken = this.#error(`${what}: ${messageOf(reason)}; open the log again`, reason)
    return this.#broken
  }

  #error(message: string, cause: unknown): SessionLogError {
    return new SessionLogError('io', this.#path, `${this.#path}: ${message}`, { cause })
  }
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}
