/**
 * A log as records, whatever its framing: JSON lines, server-sent events whose
 * `data` is JSON, or one JSON array of cases. The framing is read off the first
 * bytes; nothing waits for more input than that, so a live pipe works.
 */
import { createSseDecoder } from '@runproof/sse'
import { messageOf, RunproofError } from '../error.ts'
import type { Input } from '../input.ts'
import { readLines } from '../lines.ts'
import { syntaxError } from '../syntax-error.ts'
import { visible } from '../visible.ts'

/** One item of a log. `problem` says why it has no value; `where` is for messages. */
export type LogRecord = { where: string; value: unknown; problem?: string }

/** What a file holds. `notes()` is for the end of the input: what was left out. */
export type LogContent =
  | { kind: 'cases'; cases: unknown[] }
  | { kind: 'records'; records: AsyncIterable<LogRecord[]>; notes: () => string[] }

/** A cases file is read whole; past this many bytes it is refused. */
const casesBytesMax = 256 * 1024 * 1024

const fieldLine = /^\uFEFF?(?:(?:data|event|id|retry)(?:[:\r\n]|$)|:)/

/** @throws RunproofError `unreadable` for an empty input or a broken cases file. */
export async function readContent(input: Input): Promise<LogContent> {
  const { head, chunks } = await peek(input.chunks)
  if (head === '') {
    throw new RunproofError('unreadable', `${input.name} is empty: there is nothing to judge`)
  }
  if (head.startsWith('[')) return readArray(input.name, chunks)
  if (fieldLine.test(head)) return readEvents(chunks)
  return { kind: 'records', records: readJsonLines(chunks), notes: () => [] }
}

/** The first characters that are not white space (ten of them, if there are), nothing lost. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ head: string; chunks: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let head = ''
  let done = false
  while (head.length < 10 && !/\S.*\n/.test(head) && !done) {
    const next = await iterator.next()
    if (next.done === true) done = true
    else {
      seen.push(next.value)
      // latin1 keeps one character a byte; the framing marks are ASCII.
      head = (head + Buffer.from(next.value.subarray(0, 4096)).toString('latin1')).trimStart()
    }
  }
  return { head: head.replace(/^ï»¿/, '\uFEFF'), chunks: resume(seen, iterator) }
}

/** What was already taken from an iterator, then what it still has. */
export async function* resume<T>(
  seen: readonly T[],
  iterator: AsyncIterator<T>,
): AsyncGenerator<T> {
  yield* seen
  yield* { [Symbol.asyncIterator]: () => iterator }
}

async function readArray(name: string, chunks: AsyncIterable<Uint8Array>): Promise<LogContent> {
  const parts: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of chunks) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > casesBytesMax) {
      throw new RunproofError(
        'unreadable',
        `${name} is a JSON array of more than ${casesBytesMax} bytes; give long logs as JSON lines`,
      )
    }
    parts.push(chunk)
  }
  const bytes = Buffer.concat(parts)
  const text = bytes.toString('utf8')
  const parsed = parseJson(text)
  if (parsed.problem === undefined && Array.isArray(parsed.value)) {
    return { kind: 'cases', cases: parsed.value }
  }
  // JSON lines whose first line happens to be an array.
  if (parseJson(text.slice(0, text.indexOf('\n') + 1)).problem === undefined) {
    const records = readJsonLines(
      (async function* () {
        yield bytes
      })(),
    )
    return { kind: 'records', records, notes: () => [] }
  }
  throw new RunproofError(
    'unreadable',
    `${name} starts like a JSON array of cases but is not JSON: ${await syntaxError(text)}`,
  )
}

function readEvents(chunks: AsyncIterable<Uint8Array>): LogContent {
  const notes: string[] = []
  const records = async function* (): AsyncGenerator<LogRecord[]> {
    const decoder = createSseDecoder()
    let number = 0
    for await (const chunk of chunks) {
      const batch: LogRecord[] = []
      for (const { data } of decoder.push(chunk)) {
        number++
        // The end mark of chat streams is a fact of transport, not an event.
        if (data !== '[DONE]') batch.push({ where: `event ${number}`, ...parseJson(data) })
      }
      yield batch
    }
    const { error, tailDiscarded } = decoder.end()
    if (error !== null) {
      const problem = `the bytes stop being server-sent events at byte ${error.offset} (${error.code})`
      yield [{ where: `event ${number + 1}`, value: undefined, problem }]
    }
    if (tailDiscarded !== null) {
      notes.push(
        `the stream ends inside an event: ${tailDiscarded.bytes} bytes without a blank line after them were dropped`,
      )
    }
  }
  return { kind: 'records', records: records(), notes: () => notes }
}

async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogRecord[]> {
  for await (const lines of readLines(chunks)) {
    yield lines.map(({ number, text, problem }) =>
      problem === undefined
        ? {
            where: `line ${number}`,
            ...parseJson(number === 1 ? text.replace(/^\uFEFF/, '') : text),
          }
        : { where: `line ${number}`, value: undefined, problem },
    )
  }
}

function parseJson(text: string): { value: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return {
      value: undefined,
      problem: `not JSON: ${visible(messageOf(error))}`,
    }
  }
}
