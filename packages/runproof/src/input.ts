/**
 * Reading a named file or stdin (`-`) as chunks of bytes. Problems of the file
 * system become one sentence; a long file shows a progress bar on a terminal.
 */
import { open, stat } from 'node:fs/promises'
import { reasonOf, RunproofError } from './error.ts'
import { isColoured, type Terminal } from './terminal.ts'
import { visible } from './visible.ts'

/** Bytes read at a time. */
const chunkBytes = 256 * 1024

/** Shorter files are over before a bar helps. */
const barBytesMin = 16 * 1024 * 1024

export type Input = {
  /** The name for messages, safe to print. */
  name: string
  /** The bytes, once, in order. */
  chunks: AsyncIterable<Uint8Array>
}

/** @throws RunproofError `unreadable` when there is no such file or it is none; when it cannot be read, at the first chunk. */
export async function openInput(path: string, terminal: Terminal): Promise<Input> {
  if (path === '-') return { name: 'stdin', chunks: terminal.stdin }
  const name = visible(path)
  const { size, isFolder } = await describe(path, name)
  if (isFolder) {
    throw new RunproofError('unreadable', `cannot read ${name}: it is a folder; name a file in it`)
  }
  const chunks = readBytes(path, name)
  const showsBar =
    size >= barBytesMin && terminal.stderr.isTTY === true && terminal.stdout.isTTY !== true
  return { name, chunks: showsBar ? withBar(chunks, size, terminal) : chunks }
}

async function describe(path: string, name: string): Promise<{ size: number; isFolder: boolean }> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(name, error)
  })
  return { size: facts.size, isFolder: facts.isDirectory() }
}

/** Opened when it is first asked for a chunk, closed when nobody asks any more. */
async function* readBytes(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(name, error)
  })
  yield* file.createReadStream({ highWaterMark: chunkBytes })
}

function unreadable(name: string, error: NodeJS.ErrnoException): RunproofError {
  return new RunproofError('unreadable', `cannot read ${name}: ${reasonOf(error)}`)
}

async function* withBar(
  chunks: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  terminal: Terminal,
): AsyncGenerator<Uint8Array> {
  const { default: progress } = await import('cli-progress')
  const shape = isColoured(terminal.stderr, terminal.env)
    ? progress.Presets.shades_classic
    : progress.Presets.legacy
  const bar = new progress.SingleBar(
    {
      stream: terminal.stderr,
      format: '{bar} {percentage}% of {sizeMib} MiB, {eta_formatted} left',
      clearOnComplete: true,
      hideCursor: true,
    },
    shape,
  )
  bar.start(sizeBytes, 0, { sizeMib: Math.round(sizeBytes / 1024 / 1024) })
  try {
    for await (const chunk of chunks) {
      yield chunk
      bar.increment(chunk.byteLength)
    }
  } finally {
    bar.stop()
  }
}
