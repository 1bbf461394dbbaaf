/**
 * The lines of a recording as typed values. Each reader takes a parsed line and
 * gives its value, or says in words what is wrong with it.
 */
import { isWireName, wireList } from '../match/endpoint.ts'
import { isObject } from '../object.ts'
import { encodeFrame } from './frame.ts'
import { endKinds, recordingSources } from './recording.ts'
import type {
  ExchangeEnd,
  RecordedEvent,
  RecordedRequest,
  RecordedResponse,
  Recording,
} from './recording.ts'

/** A line of the text as JSON. */
export type Line = Record<string, unknown>

/** A recording without exchanges, or what is wrong with its header. */
export function readHeader(
  line: Line,
): Recording | { code: 'bad-header' | 'unknown-version'; message: string } {
  const { type, version, wire, source, ...provenance } = line
  if (type !== 'recording') {
    const message = `has type ${nameOf(type)}; a recording begins with {"type":"recording"}`
    return { code: 'bad-header', message }
  }
  if (version !== 1) {
    const message = `has version ${nameOf(version)}; this reader knows version 1`
    return { code: 'unknown-version', message }
  }
  if (!isWireName(wire)) {
    return { code: 'bad-header', message: `"wire" is none of ${wireList}` }
  }
  const knownSource = recordingSources.find((name) => name === source)
  if (knownSource === undefined) {
    return { code: 'bad-header', message: `"source" is none of ${recordingSources.join(', ')}` }
  }
  return { version, wire, source: knownSource, provenance, exchanges: [] }
}

export function readRequest(line: Line): RecordedRequest | string {
  const { body } = line
  const method = readText(line, 'method')
  const path = readText(line, 'path')
  const key = readText(line, 'key')
  const headers = readHeaders(line)
  if (method === null || path === null || key === null) {
    return 'has no "method", "path" and "key"'
  }
  if (headers === null) return badHeaders
  if (body === undefined) return 'has no "body"'
  return { method, path, headers, key, body }
}

export function readResponse(line: Line): RecordedResponse | string {
  const { status, dtMs, lineEnd } = line
  const headers = readHeaders(line)
  // One below 200 is not the response, which is still to come.
  if (!isCount(status) || status < 200 || status > 999) return '"status" is no HTTP status'
  if (headers === null) return badHeaders
  if (dtMs !== undefined && !isDuration(dtMs)) return '"dtMs" is no duration'
  if (lineEnd !== undefined && lineEnd !== 'crlf') return '"lineEnd" is not "crlf"'
  return {
    status,
    headers,
    ...(dtMs === undefined ? {} : { dtMs }),
    ...(lineEnd === undefined ? {} : { lineEnd }),
  }
}

export function readEvent(line: Line): RecordedEvent | string {
  const { dtMs } = line
  const data = readText(line, 'data')
  const event = readText(line, 'event')
  const id = readText(line, 'id')
  if (!isDuration(dtMs)) return '"dtMs" is no duration'
  if (data === null) return '"data" is no text'
  // What one line of a frame cannot carry would be another event when it is served.
  if (/\r/.test(data)) return '"data" has a carriage return, which ends a line'
  for (const [name, value] of Object.entries({ event, id })) {
    if (line[name] !== undefined && (value === null || /[\r\n\0]/.test(value))) {
      return `"${name}" is no text of one line`
    }
  }
  const read: RecordedEvent = {
    dtMs,
    data,
    ...(event === null ? {} : { event }),
    ...(id === null ? {} : { id }),
  }
  if (line.cuts === undefined) return read
  const cuts = readCuts(line.cuts, read)
  return cuts === null ? '"cuts" are not ascending offsets in the frame' : { ...read, cuts }
}

/** A frame with CRLF is longer; which it is, the response says, so the longer one is the bound. */
function readCuts(value: unknown, event: RecordedEvent): number[] | null {
  if (!Array.isArray(value)) return null
  const frameBytes = encodeFrame(event, 'crlf').length
  const cuts: number[] = []
  for (const cut of value) {
    if (!isCount(cut) || cut <= (cuts.at(-1) ?? 0) || cut > frameBytes) return null
    cuts.push(cut)
  }
  return cuts
}

export function readEnd(line: Line): ExchangeEnd | string {
  const { tail, optional } = line
  const kind = endKinds.find((name) => name === line.kind)
  if (kind === undefined) return `"kind" is none of ${endKinds.join(', ')}`
  if (tail !== undefined && typeof tail !== 'string') return '"tail" is no text'
  if (optional !== undefined && typeof optional !== 'boolean') return '"optional" is no boolean'
  return {
    kind,
    ...(tail === undefined ? {} : { tail }),
    ...(optional === undefined ? {} : { optional }),
  }
}

const namedUnitsMax = 40

/** A value that was expected to be a short name, for messages. */
export function nameOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none'
  return text.length > namedUnitsMax ? `${text.slice(0, namedUnitsMax)}…` : text
}

/** The text of a member, or null when it is none. */
export function readText(line: Line, name: string): string | null {
  const value = line[name]
  return typeof value === 'string' ? value : null
}

const badHeaders = '"headers" is no object of texts that HTTP can carry'

/** What a header may be (RFC 9110, 5.1 and 5.5); names in lower case. */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

function readHeaders({ headers }: Line): Record<string, string> | null {
  if (!isObject(headers)) return null
  const pairs = Object.entries(headers).filter(
    (pair): pair is [string, string] =>
      headerName.test(pair[0]) && typeof pair[1] === 'string' && headerValue.test(pair[1]),
  )
  return pairs.length === Object.keys(headers).length ? Object.fromEntries(pairs) : null
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
