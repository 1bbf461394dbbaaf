/**
 * The streams a command talks to, and writing to them without outrunning a slow
 * reader. A closed stdout (`| head`) ends a command quietly: `gone` turns true
 * and what is written after it is dropped. Any other error of it is thrown by `flush`.
 */
import type { Readable, Writable } from 'node:stream'

/** What a command may use of its process; `process` itself fits. */
export type Terminal = {
  stdin: Readable
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  env: Record<string, string | undefined>
}

/** Text collected before one write to stdout, in UTF-16 units. */
const batchUnitsMax = 64 * 1024

/** Buffered lines to one stream, in order, at the pace of its reader. */
export type Output = {
  line(text: string): void
  /** Resolves when the reader has taken enough; call it in loops. */
  settle(): Promise<void>
  /** Writes what is still held. @throws what kept it from being written, a closed reader aside. */
  flush(): Promise<void>
  /** Whether the reader closed the stream. */
  readonly gone: boolean
}

export function createOutput(stream: Writable): Output {
  let held: string[] = []
  let heldUnits = 0
  let gone = false
  stream.on('error', () => {
    gone = true
  })
  const complain = (): void => {
    const error: NodeJS.ErrnoException | null = stream.errored
    if (error !== null && error.code !== 'EPIPE') throw error
  }
  const flush = async (): Promise<void> => {
    complain()
    if (held.length === 0 || gone) return
    const text = held.join('')
    held = []
    heldUnits = 0
    const isTaken = stream.write(text)
    complain()
    if (isTaken) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off('drain', done).off('close', done).off('error', done)
        resolve()
      }
      stream.on('drain', done).on('close', done).on('error', done)
    })
    complain()
  }
  return {
    line(text) {
      held.push(text, '\n')
      heldUnits += text.length + 1
    },
    settle: () => (heldUnits < batchUnitsMax ? Promise.resolve() : flush()),
    flush,
    get gone() {
      return gone
    },
  }
}

/** Whether colours go to this stream: a terminal that did not ask for none. */
export function isColoured(stream: { isTTY?: boolean }, env: Terminal['env']): boolean {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

/** CI only reads: what differs there is looked at where somebody can accept it. */
export function isReadOnly({ env }: Pick<Terminal, 'env'>): boolean {
  return !['', '0', 'false'].includes((env['CI'] ?? '').toLowerCase())
}
