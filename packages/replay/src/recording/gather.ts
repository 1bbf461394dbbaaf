/**
 * Lines of a recording gathered into exchanges: which line may stand where, and
 * what belongs to what. What a single line must hold is said in `line.ts`.
 */
import { digestOf, resolveBlobs } from './blob.ts'
import { nameOf, readEnd, readEvent, readRequest, readResponse, readText } from './line.ts'
import type { Line } from './line.ts'
import type { Exchange, RecordedResponse } from './recording.ts'

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

/** What the lines read so far have said. */
export type Gathering = {
  blobs: Map<string, unknown>
  exchanges: Map<unknown, Open>
  /** Exchanges of which it was told that a line is in the wrong place. */
  disordered: Set<unknown>
  last: number
}

export function createGathering(): Gathering {
  return { blobs: new Map(), exchanges: new Map(), disordered: new Set(), last: 0 }
}

/** An exchange while its lines come in; `line` is that of its request. */
type Open = { line: number; exchange: Exchange; isEnded: boolean; isSound: boolean }

export type Defect = Omit<RecordingIssue, 'line'>

function badOrder(message: string): Defect {
  return { code: 'bad-order', message }
}

function badMember(message: string): Defect {
  return { code: 'bad-member', message }
}

/** Takes in a line behind the header, or says what is wrong with it. */
export function readLine(number: number, line: Line, state: Gathering): Defect | null {
  if (line.type === 'blob') return addBlob(line, state)
  if (line.type === 'exchange/request') return openExchange(number, line, state)
  const read = typeof line.type === 'string' ? partReaders.get(line.type) : undefined
  if (read === undefined) {
    return { code: 'unknown-type', message: `has type ${nameOf(line.type)}` }
  }
  const open = state.exchanges.get(line.n)
  const defect = open === undefined ? noRequest(line.n) : readPart(line, open, read)
  if (open !== undefined && defect !== null) open.isSound = false
  if (defect?.code !== 'bad-order') return defect
  // One line too few puts all that follow in the wrong place: that is told once.
  const isTold = state.disordered.has(line.n)
  state.disordered.add(line.n)
  return isTold ? null : defect
}

type PartReader = (line: Line, open: Open) => Defect | null

function readPart(line: Line, open: Open, read: PartReader): Defect | null {
  if (open.isEnded) return badOrder(`follows the end of exchange ${open.exchange.n}`)
  return read(line, open)
}

function noRequest(n: unknown): Defect {
  return badOrder(`is of exchange ${nameOf(n)}, whose request no line before it is`)
}

function addBlob(line: Line, { blobs }: Gathering): Defect | null {
  const { value } = line
  const digest = readText(line, 'digest')
  if (digest === null || value === undefined) return badMember('has no "digest" and "value"')
  if (digest !== digestOf(value)) {
    return { code: 'bad-blob', message: `is not the value of digest ${digest}` }
  }
  blobs.set(digest, value)
  return null
}

function openExchange(number: number, line: Line, state: Gathering): Defect | null {
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

function noResponse({ n }: Exchange): Defect {
  return badOrder(`needs a response of exchange ${n}, which no line before it is`)
}

/** Whether HTTP has no body for a status (RFC 9110, 6.4.1): bytes of one would belong to the next answer. */
function isBodiless(response: RecordedResponse | null): boolean {
  return response?.status === 204 || response?.status === 304
}

function noBody({ n, response }: Exchange): Defect {
  return badMember(`is part of a body, which status ${response?.status} of exchange ${n} has not`)
}

/** Readers of the lines of an open exchange. */
const partReaders = new Map<string, PartReader>([
  [
    'exchange/response',
    (line, { exchange }) => {
      if (exchange.response !== null)
        return badOrder(`is a second response of exchange ${exchange.n}`)
      const response = readResponse(line)
      if (typeof response === 'string') return badMember(response)
      exchange.response = response
      return null
    },
  ],
  [
    'exchange/event',
    (line, { exchange }) => {
      if (exchange.response === null) return noResponse(exchange)
      if (isBodiless(exchange.response)) return noBody(exchange)
      if (exchange.body !== null)
        return badOrder(`is an event beside the body of exchange ${exchange.n}`)
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
      if (response === null) return noResponse(exchange)
      if (isBodiless(response)) return noBody(exchange)
      if (body !== null || events.length > 0) {
        return badOrder(`is a body beside what exchange ${exchange.n} was answered already`)
      }
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
        return noResponse(open.exchange)
      }
      if (end.tail !== undefined && isBodiless(response)) return noBody(open.exchange)
      if (body !== null && end.tail !== undefined) {
        return badMember('"tail" is what came after events, but the response has a body')
      }
      open.exchange.end = end
      return null
    },
  ],
])
