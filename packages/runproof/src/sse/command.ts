/**
 * `runproof sse`: decodes server-sent events and shows each one, then how the
 * stream ended. An error exits 1; a dropped tail exits 0 with a note.
 */
import { createSseDecoder, type SseEnd, type SseEvent } from '@runproof/sse'
import { RunproofError } from '../error.ts'
import { openInput } from '../input.ts'
import { createOutput, type Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'

export type SseOptions = { utf8: string; chunk?: string; json?: boolean }

/** @returns the exit code. @throws RunproofError for a file or option it cannot use. */
export async function runSse(
  path: string,
  options: SseOptions,
  terminal: Terminal,
): Promise<0 | 1> {
  const { utf8 } = options
  if (utf8 !== 'strict' && utf8 !== 'replace') {
    throw new RunproofError('usage', `--utf8 takes strict or replace, not ${visible(utf8)}`)
  }
  const chunkBytes = options.chunk === undefined ? null : parseChunk(options.chunk)
  const input = await openInput(path, terminal)
  const output = createOutput(terminal.stdout)
  const show = options.json === true ? visibleJson : eventText
  const decoder = createSseDecoder({ utf8 })
  for await (const chunk of chunkBytes === null ? input.chunks : cut(input.chunks, chunkBytes)) {
    for (const event of decoder.push(chunk)) output.line(show(event))
    await output.settle()
    if (output.gone) break
  }
  const end = decoder.end()
  output.line(options.json === true ? visibleJson({ end: true, ...end }) : endText(end))
  await output.flush()
  if (end.error !== null) {
    terminal.stderr.write(`${input.name}: ${errorText(end.error)}\n`)
    return 1
  }
  if (end.tailDiscarded !== null) {
    const { bytes, hadData } = end.tailDiscarded
    terminal.stderr.write(
      `${input.name}: the last ${bytes} bytes${hadData ? ', which hold data,' : ''} are no event: the blank line after them is missing\n`,
    )
  }
  return 0
}

/** Cuts every chunk into pieces of at most `bytes`, to see that cuts change nothing. */
async function* cut(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.byteLength; start += bytes) {
      yield chunk.subarray(start, start + bytes)
    }
  }
}

function eventText({ event, data, id }: SseEvent): string {
  const [first = '', ...more] = data.split('\n').map(visible)
  const head = `${visible(event)}${id === '' ? '' : ` #${visible(id)}`}`
  return [`${head} | ${first}`, ...more.map((line) => `${' '.repeat(head.length)} | ${line}`)].join(
    '\n',
  )
}

function endText({ retryMs, lastEventId, error }: SseEnd): string {
  const retry = retryMs === null ? '' : `, reconnect after ${retryMs} ms`
  const id = lastEventId === '' ? '' : `, last event id ${visible(lastEventId)}`
  return `END ${error === null ? 'clean bytes' : `${error.code} at byte ${error.offset}`}${retry}${id}`
}

function errorText({ code, offset }: { code: string; offset: number }): string {
  const hint = code.includes('utf') ? '; --utf8 replace reads on as a browser would' : ''
  return `${code} at byte ${offset}; the events before it are shown${hint}`
}

function parseChunk(text: string): number {
  const bytes = Number(text)
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes
  throw new RunproofError(
    'usage',
    `--chunk takes a whole number of bytes from 1, not ${visible(text)}`,
  )
}
