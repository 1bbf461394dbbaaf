/**
 * One attempt at a provider: request out, server-sent events in, chunks on.
 *
 * What the provider or the connection does wrong is told in the stream, as an
 * error `finish` with a code of `@runproof/llm`, so that a log of the chunks is
 * the whole story and replays like any other: an error body, a body that is no
 * event stream, a connection that breaks, silence for too long.
 *
 * Invariants: the last chunk is a `finish`, unless `signal` aborts (throws
 * `ABORTED`); the connection is given up when the consumer stops; no message
 * contains the key.
 */
import {
  finishOf,
  LlmError,
  streamWithLimits,
  type LlmFailure,
  type StreamChunk,
} from '@runproof/llm/contract'
import type { Wire } from '@runproof/llm'
import { createSseDecoder } from '@runproof/sse'
import { messageOf } from '../error.ts'
import type { Clock } from '../host.ts'
import type { LlmCall } from '../plugins/llm.ts'

export type Endpoint = {
  wire: Wire
  baseUrl: string
  /** Headers that carry the key, and what else the endpoint wants. */
  headers: Record<string, string>
  clock: Clock
  /** Longest silence in milliseconds, from the request on. */
  idleMs: number
  redact: (text: string) => string
}

/** Bytes of an error body that are read. */
const errorBytesMax = 65_536

export async function* streamProvider(
  endpoint: Endpoint,
  call: LlmCall,
): AsyncGenerator<StreamChunk, void, undefined> {
  const gone = new AbortController()
  try {
    const bytes = streamWithLimits(openBody(endpoint, call, gone.signal), {
      signal: call.signal,
      timers: endpoint.clock.timers,
      idleTimeoutMs: endpoint.idleMs,
    })
    for await (const chunk of decode(endpoint, bytes)) yield redactFinish(chunk, endpoint)
  } catch (error) {
    if (LlmError.is(error) && error.code === 'ABORTED') throw error
    yield redactFinish({ type: 'finish', reason: finishOf(failureOf(error, endpoint)) }, endpoint)
  } finally {
    // Ends a connection whose body was not read to its end.
    gone.abort()
  }
}

/** The provider refused the request; the failure is what its error body says. */
class Refusal extends Error {
  readonly failure: LlmFailure

  constructor(failure: LlmFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** The bytes of a successful event stream; the wait for its head counts as silence, too. */
async function* openBody(
  { wire, baseUrl, headers, redact }: Endpoint,
  call: LlmCall,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const request = wire.buildRequest(call)
  const response = await fetch(joinUrl(baseUrl, request.path), {
    method: request.method,
    headers: { ...request.headers, ...headers },
    body: JSON.stringify(request.body),
    signal,
    // A redirect would carry the key to another host.
    redirect: 'error',
  })
  const body: AsyncIterable<Uint8Array> = response.body ?? new Blob([]).stream()
  if (!response.ok) {
    // Before anything is cut out of it: half a key would not be found.
    const text = redact(await readText(body, errorBytesMax))
    throw new Refusal(wire.parseError(response.status, Object.fromEntries(response.headers), text))
  }
  const type = response.headers.get('content-type') ?? 'a body without a type'
  if (!type.startsWith('text/event-stream')) {
    const message = `the provider answered with ${type}, not with an event stream`
    throw new Refusal({ message, code: 'MALFORMED_RESPONSE' })
  }
  yield* body
}

/** Base URLs are given with and without the version that the wire's path begins with. */
function joinUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  const version = /^\/v\d\w*(?=\/)/.exec(path)?.[0]
  return version !== undefined && base.endsWith(version)
    ? base + path.slice(version.length)
    : base + path
}

async function readText(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const bytes of body) {
    parts.push(bytes)
    size += bytes.length
    if (size >= bytesMax) break
  }
  return Buffer.concat(parts).toString('utf8')
}

async function* decode(
  { wire }: Endpoint,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamChunk, void, undefined> {
  const events = createSseDecoder()
  const decoder = wire.createDecoder()
  for await (const bytes of body) {
    for (const event of events.push(bytes)) {
      for (const chunk of decoder.push(event)) {
        yield chunk
        // What a server sends behind the end is not waited for.
        if (chunk.type === 'finish') return
      }
    }
    if (events.error !== null) break
  }
  const { error } = events.end()
  if (error !== null) {
    const message = `the event stream is broken: ${error.code} at byte ${error.offset}`
    throw new Refusal({ message, code: 'MALFORMED_RESPONSE' })
  }
  yield* decoder.end()
}

function failureOf(error: unknown, { wire }: Endpoint): LlmFailure {
  if (error instanceof Refusal) return error.failure
  if (LlmError.is(error)) return error.toFailure()
  // `fetch` hides the reason (ECONNREFUSED, ENOTFOUND, a reset) in the cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return {
    message: `the connection to ${wire.name} failed: ${messageOf(cause)}`,
    code: 'TRANSPORT',
  }
}

/** A provider may repeat the key in what it complains about. */
function redactFinish(chunk: StreamChunk, { redact }: Endpoint): StreamChunk {
  if (chunk.type !== 'finish' || chunk.reason.kind !== 'error') return chunk
  return { ...chunk, reason: { ...chunk.reason, message: redact(chunk.reason.message) } }
}
