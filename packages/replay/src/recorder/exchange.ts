/** One capture as an exchange of a recording, before its secrets are taken out. */
import { isUtf8 } from 'node:buffer'
import { parseBody } from '../body.ts'
import type { Exchange } from '../recording/recording.ts'
import type { Capture } from './capture.ts'
import { decodeChunks, type TimedBytes } from './encoding.ts'
import { readFrames } from './frames.ts'
import { keptRequestHeaders, keptResponseHeaders } from './header.ts'

export type EndKind = Exchange['end']['kind']

/** Whether the agent left before it had said what it wants: no provider answers that, nor does a replay. */
export function isUnasked({ isRequestWhole, response, end }: Capture): boolean {
  return !isRequestWhole && response === null && (end === null || end === 'aborted')
}

/** An exchange without its key, or in words why there is none. */
export async function readExchange(capture: Capture): Promise<Exchange | string> {
  const { n, method, path, headers, requestChunks, response, requestedMs } = capture
  if (!capture.isWhole) return 'is larger than what the recorder keeps'
  if (!capture.isRequestWhole) {
    return 'ended before its request was complete, so nothing could be compared with it'
  }
  const requestBytes = await readBody(
    requestChunks.map((bytes) => ({ bytes, atMs: 0 })),
    headers['content-encoding'] ?? '',
    'eof',
  )
  if (typeof requestBytes === 'string') return `has a request ${requestBytes}`
  const end: Exchange['end'] = { kind: capture.end ?? 'aborted' }
  const body = parseBody(requestBytes.toString('utf8'))
  const request = { method, path, headers: keptRequestHeaders(headers), key: '', body }
  if (response === null) return { n, request, response: null, events: [], body: null, end }

  const { status } = response
  const head = {
    status,
    headers: keptResponseHeaders(response.headers),
    // A provider may answer before it has the whole request.
    dtMs: Math.max(0, Math.round(response.atMs - requestedMs)),
  }
  const coding = response.headers['content-encoding'] ?? ''
  if (isEventStream(response.headers['content-type'])) {
    const chunks = await decodeChunks(capture.chunks, coding)
    if (typeof chunks === 'string') return `has a response ${chunks}`
    const { events, lineEnd, tail } = readFrames(chunks, response.atMs)
    return {
      n,
      request,
      response: { ...head, ...(lineEnd === undefined ? {} : { lineEnd }) },
      events,
      body: null,
      end: { ...end, ...(tail === undefined ? {} : { tail }) },
    }
  }
  const bytes = await readBody(capture.chunks, coding, end.kind)
  if (typeof bytes === 'string') return `has a response ${bytes}`
  const text = bytes.length === 0 ? null : bytes.toString('utf8')
  return { n, request, response: head, events: [], body: text, end }
}

/**
 * The body as UTF-8 bytes, without a character that it broke off in, or in words
 * what is wrong with it.
 */
async function readBody(
  chunks: readonly TimedBytes[],
  coding: string,
  end: EndKind,
): Promise<Buffer | string> {
  const decoded = await decodeChunks(chunks, coding)
  if (typeof decoded === 'string') return decoded
  const bytes = Buffer.concat(decoded.map((chunk) => chunk.bytes))
  // A character has at most four bytes.
  const lengths = end === 'eof' ? [bytes.length] : [0, 1, 2, 3].map((left) => bytes.length - left)
  const texts = lengths.filter((length) => length >= 0).map((length) => bytes.subarray(0, length))
  return (
    texts.find((text) => isUtf8(text)) ??
    'that is no text; recordings hold JSON, text and event streams'
  )
}

function isEventStream(contentType: string | undefined): boolean {
  return /^text\/event-stream\b/i.test(contentType ?? '')
}
