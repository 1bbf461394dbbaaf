/**
 * What a request is answered, ready to be written: frames are made once, when
 * a recording is loaded.
 */
import type { SseEvent } from '@runproof/llm'
import { cutEvents } from '../recording/frame.ts'
import type { Chunk } from '../recording/frame.ts'
import type { Exchange, RecordedEvent } from '../recording/recording.ts'

export type Answer = {
  /** null: the connection closes without one. */
  head: { status: number; headers: Record<string, string>; dtMs: number } | null
  /** Of an event stream. */
  chunks: readonly Chunk[]
  /** The same chunks in the chunked transfer coding (RFC 9112, 7.1), without the last one; null without chunks. */
  coded: Buffer | null
  /** Of any other answer. */
  body: Buffer | null
  /** `cut`: the connection closes before the body is complete. `hang`: it stays silent until the client leaves. */
  end: 'whole' | 'cut' | 'hang'
}

/** Say how the bytes travelled, which is the emulator's own business, or are wrong once a body is decoded. */
const travelHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export function answerOf(exchange: Exchange): Answer {
  const { response, body, events, end } = exchange
  if (response === null) {
    return silentAnswer(end.kind === 'aborted' ? 'hang' : 'cut')
  }
  const kept = Object.entries(response.headers).filter(([name]) => !travelHeaders.has(name))
  const isStream = events.length > 0 || end.tail !== undefined
  const type = isStream ? 'text/event-stream' : 'application/json'
  const hasType = kept.some(([name]) => name === 'content-type')
  return {
    head: {
      status: response.status,
      headers: Object.fromEntries(
        hasType || (!isStream && body === null) ? kept : [...kept, ['content-type', type]],
      ),
      dtMs: response.dtMs ?? 0,
    },
    ...codeChunks(cutEvents(exchange)),
    body: body === null ? null : Buffer.from(body),
    end: ends[end.kind],
  }
}

/** Not even a head comes. */
export function silentAnswer(end: 'cut' | 'hang'): Answer {
  return { head: null, chunks: [], coded: null, body: null, end }
}

/** Codes chunks at once, and cuts them out of the coded bytes, so that both share their memory. */
function codeChunks(chunks: readonly Chunk[]): Pick<Answer, 'chunks' | 'coded'> {
  if (chunks.length === 0) return { chunks, coded: null }
  const coded = Buffer.concat(
    chunks.flatMap(({ bytes }) => [
      Buffer.from(`${bytes.length.toString(16)}\r\n`),
      bytes,
      lineEnd,
    ]),
  )
  let end = 0
  const shared = chunks.map((chunk) => {
    const { length } = chunk.bytes
    const start = end + length.toString(16).length + lineEnd.length
    end = start + length + lineEnd.length
    return { ...chunk, bytes: coded.subarray(start, start + length) }
  })
  return { chunks: shared, coded }
}

const lineEnd = Buffer.from('\r\n')

const ends = { eof: 'whole', reset: 'cut', timeout: 'cut', aborted: 'hang' } as const

/** The answer of a stream of events that nobody recorded. */
export function answerEvents(events: readonly SseEvent[], end: Answer['end'] = 'whole'): Answer {
  const kind = end === 'whole' ? 'eof' : end === 'cut' ? 'reset' : 'aborted'
  return answerOf({
    ...blankExchange,
    response: { status: 200, headers: {} },
    events: events.map((event) => recordedEvent(event)),
    end: { kind },
  })
}

/** The answer with a body. */
export function answerBody(status: number, headers: Record<string, string>, body: string): Answer {
  return answerOf({ ...blankExchange, response: { status, headers }, body })
}

const blankExchange: Exchange = {
  n: 1,
  request: { method: 'POST', path: '', headers: {}, key: '', body: null },
  response: null,
  events: [],
  body: null,
  end: { kind: 'eof' },
}

export function recordedEvent({ event, data }: SseEvent): RecordedEvent {
  return { dtMs: 0, data, ...(event === 'message' ? {} : { event }) }
}
