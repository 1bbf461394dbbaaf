/** Runs the command line in this process, with real streams, and keeps what it printed. */
import { main } from 'runproof'
import { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { PassThrough } from 'node:stream'

export type Printed = { exitCode: number; stdout: string; stderr: string }

export async function runproof(
  argv: readonly string[],
  options: { stdin?: string | Uint8Array; env?: Record<string, string> } = {},
): Promise<Printed> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const texts = [buffer(stdout), buffer(stderr)]
  const exitCode = await main(argv, {
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout,
    stderr,
    env: options.env ?? {},
  })
  stdout.end()
  stderr.end()
  const [out, err] = await Promise.all(texts)
  return { exitCode, stdout: String(out), stderr: String(err) }
}

/** The lines of a JSON-lines output, parsed. */
export function jsonLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

/** A stream that takes nothing until `release()`, to see that a writer waits. */
export function createSlowWritable(): {
  stream: Writable
  release: () => void
  text: () => string
} {
  const taken: string[] = []
  let waiting: (() => void)[] = []
  let released = false
  const stream = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString())
      if (released) done()
      else waiting.push(done)
    },
  })
  const release = (): void => {
    released = true
    const callbacks = waiting
    waiting = []
    for (const callback of callbacks) callback()
  }
  return { stream, release, text: () => taken.join('') }
}
