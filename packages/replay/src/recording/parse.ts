/**
 * Text → recording of version 1 (docs/formats/recording.md). Bad input is data:
 * every defect is an issue with its line, and nothing throws.
 *
 * Lenient where nothing can be misunderstood: members that are not known are
 * ignored, blank lines too, and the lines of exchanges may be interleaved.
 * Strict elsewhere: an exchange with a defect is left out.
 */
import type { WireName } from '@runproof/llm'
import { isNestedDeeper, nestingMax } from '../body.ts'
import { isObject } from '../object.ts'
import { digestOf, resolveBlobs } from './blob.ts'
import {
  nameOf,
  readEnd,
  readEvent,
  readHeader,
  readRequest,
  readResponse,
  readText,
} from './line.ts'
import type { Line } from './line.ts'
import type { Exchange, Recording } from './recording.ts'

export type RecordingIssueCode =
  /** A line is no JSON object. */
  | 'bad-line'
  /** Line 1 is no header of a recording. */
  | 'bad-header'
  /** The header is of a version this reader does not know. */
  | 'unknown-version'
  /** A line has no type this version knows. */
  | 'unknown-type'
  /** A member of a line is missing or has no value it may have. */
  | 'bad-member'
  /** A blob that is not what its digest says, or a reference to a blob that no line before has. */
  | 'bad-blob'
  /** A line of an exchange where it cannot be: before its request, twice, after its end. */
  | 'bad-order'
  /** The recording ends before an exchange does. */
  | 'unfinished'

/** `line` counts from 1. */
export type RecordingIssue = { line: number; code: RecordingIssueCode; message: string }

export type ParsedRecording = {
  /** Null when line 1 is no header; else what the sound exchanges are. */
  recording: Recording | null
  issues: RecordingIssue[]
}

/** Reads a recording line by line, for those that do not wait for its end. */
export type RecordingReader = {
  /**
   * Takes the value of the next line that is not blank; `undefined` for one that is no JSON.
   * @param line its number, from 1.
   */
  push(line: number, value: unknown): ReadLine
  /** Of the header; null before it was read. */
  readonly wire: WireName | null
  /** What was read, with the issues of `push` and those that only the end shows. Call it once. */
  end(): ParsedRecording
}

/** What a line was: an issue, or part of an exchange (as far as that has come), or neither. */
export type ReadLine = { issue: RecordingIssue | null; exchange: Exchange | null }

export function createRecordingReader(): RecordingReader {
  const issues: RecordingIssue[] = []
  let recording: Recording | null = null
  let isRefused = false
  const state: State = { blobs: new Map(), exchanges: new Map(), last: 0 }
  const read = (line: number, value: unknown): Defect | null => {
    if (!isObject(value)) return notAnObject
    if (isNestedDeeper(value, lineNestingMax)) return nestedTooDeeply
    if (recording !== null) return readLine(line, value, state)
    const header = readHeader(value)
    if ('code' in header) return header
    recording = header
    return null
  }
  return {
    push(line, value) {
      // Without a header nothing can be known of what follows.
      if (isRefused) return { issue: null, exchange: null }
      const defect = read(line, value)
      if (defect === null) {
        const open = isObject(value) ? state.exchanges.get(value.n) : undefined
        return { issue: null, exchange: open?.exchange ?? null }
      }
      isRefused = recording === null
      const issue = { line, ...defect }
      issues.push(issue)
      return { issue, exchange: null }
    },
    get wire() {
      return recording?.wire ?? null
    },
    end() {
      if (recording === null) {
        if (!isRefused) {
          issues.push({ line: 1, code: 'bad-header', message: 'is missing: the text is empty' })
        }
        return { recording, issues }
      }
      const all = [...state.exchanges.values()]
      for (const { line, isEnded, exchange } of all) {
        if (isEnded) continue
        issues.push({ line, code: 'unfinished', message: `exchange ${exchange.n} has no end` })
      }
      const sound = all.filter(({ isSound, isEnded }) => isSound && isEnded)
      const exchanges = sound.map(({ exchange }) => exchange)
      return { recording: { ...recording, exchanges }, issues }
    },
  }
}

export function parseRecording(text: string): ParsedRecording {
  const reader = createRecordingReader()
  if (text.startsWith('\uFEFF')) {
    const message = 'begins with a byte order mark; save the file as UTF-8 without one'
    return { recording: null, issues: [{ line: 1, code: 'bad-header', message }] }
  }
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() !== '') reader.push(index + 1, parseLine(source))
  }
  return reader.end()
}

function parseLine(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

/** What the lines read so far have said. */
type State = { blobs: Map<string, unknown>; exchanges: Map<unknown, Open>; last: number }

/** An exchange while its lines come in; `line` is that of its request. */
type Open = { line: number; exchange: Exchange; isEnded: boolean; isSound: boolean }

type Defect = Omit<RecordingIssue, 'line'>

/** A body lies in its line. */
const lineNestingMax = nestingMax + 1

const nestedTooDeeply: Defect = {
  code: 'bad-line',
  message: `has more than ${lineNestingMax} values inside each other`,
}

const notAnObject: Defect = { code: 'bad-line', message: 'is no JSON object' }

const outOfOrder: Defect = {
  code: 'bad-order',
  message: 'stands where no such line of its exchange can be',
}

function badMember(message: string): Defect {
  return { code: 'bad-member', message }
}

function readLine(number: number, line: Line, state: State): Defect | null {
  if (line.type === 'blob') return addBlob(line, state)
  if (line.type === 'exchange/request') return openExchange(number, line, state)
  const read = typeof line.type === 'string' ? partReaders.get(line.type) : undefined
  if (read === undefined) {
    return { code: 'unknown-type', message: `has type ${nameOf(line.type)}` }
  }
  const open = state.exchanges.get(line.n)
  if (open === undefined || open.isEnded) return outOfOrder
  const defect = read(line, open)
  if (defect !== null) open.isSound = false
  return defect
}

function addBlob(line: Line, { blobs }: State): Defect | null {
  const { value } = line
  const digest = readText(line, 'digest')
  if (digest === null || value === undefined) return badMember('has no "digest" and "value"')
  if (digest !== digestOf(value)) {
    return { code: 'bad-blob', message: `is not the value of digest ${digest}` }
  }
  blobs.set(digest, value)
  return null
}

function openExchange(number: number, line: Line, state: State): Defect | null {
  const { n } = line
  if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 1) {
    return badMember('"n" is no number of an exchange')
  }
  if (n <= state.last) {
    return { code: 'bad-order', message: `begins exchange ${n} behind exchange ${state.last}` }
  }
  state.last = n
  const request = readRequest(line)
  const open: Open = {
    line: number,
    exchange: { n, ...blank, events: [] },
    isEnded: false,
    isSound: false,
  }
  state.exchanges.set(n, open)
  if (typeof request === 'string') return badMember(request)
  const unknown = new Set<string>()
  const body = resolveBlobs(request.body, (digest) => {
    if (!state.blobs.has(digest)) unknown.add(digest)
    return state.blobs.get(digest)
  })
  if (unknown.size > 0) {
    const digests = [...unknown].join(', ')
    return { code: 'bad-blob', message: `refers to what no blob before it is: ${digests}` }
  }
  open.exchange.request = { ...request, body }
  open.isSound = true
  return null
}

const blank = {
  request: { method: '', path: '', headers: {}, key: '', body: null },
  response: null,
  body: null,
  end: { kind: 'eof' as const },
}

/** Readers of the lines of an open exchange. */
const partReaders = new Map<string, (line: Line, open: Open) => Defect | null>([
  [
    'exchange/response',
    (line, { exchange }) => {
      if (exchange.response !== null) return outOfOrder
      const response = readResponse(line)
      if (typeof response === 'string') return badMember(response)
      exchange.response = response
      return null
    },
  ],
  [
    'exchange/event',
    (line, { exchange }) => {
      if (exchange.response === null || exchange.body !== null) return outOfOrder
      const event = readEvent(line)
      if (typeof event === 'string') return badMember(event)
      exchange.events.push(event)
      return null
    },
  ],
  [
    'exchange/body',
    (line, { exchange }) => {
      const { response, body, events } = exchange
      if (response === null || body !== null || events.length > 0) return outOfOrder
      exchange.body = readText(line, 'body')
      return exchange.body === null ? badMember('"body" is no text') : null
    },
  ],
  [
    'exchange/end',
    (line, open) => {
      // A broken end is one, and told once.
      open.isEnded = true
      const end = readEnd(line)
      if (typeof end === 'string') return badMember(end)
      const { response, body } = open.exchange
      if (response === null && (end.kind === 'eof' || end.tail !== undefined)) {
        return { code: 'bad-order', message: 'ends a response that no line before it begins' }
      }
      if (body !== null && end.tail !== undefined) {
        return badMember('"tail" is what came after events, but the response has a body')
      }
      open.exchange.end = end
      return null
    },
  ],
])
