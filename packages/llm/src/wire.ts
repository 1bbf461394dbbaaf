/**
 * What every provider wire offers. A wire is pure: it turns values into values
 * and does no I/O; an adapter adds the key, sends the request and feeds the
 * parsed server-sent events.
 */
import type { StreamChunk } from './chunk.ts'
import type { LlmFailure } from './error.ts'
import { isObject, parseJson, textOf, type JsonObject } from './json.ts'
import type { LlmRequest } from './message.ts'

export const wireNames = [
  'deepseek',
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
] as const

export type WireName = (typeof wireNames)[number]

/** One parsed server-sent event, as `@runproof/sse` delivers it; `event` defaults to `message`. */
export type SseEvent = { event: string; data: string; id: string }

/**
 * Turns one response, event by event, into chunks. Never throws on any data.
 * Exactly one `finish` comes out, the last chunk, at the latest from `end()`;
 * whatever is pushed after it, or after `end()`, gives nothing.
 */
export type WireDecoder = {
  push(event: SseEvent): StreamChunk[]
  /** The body ended. Without the wire's own end this gives the error finish `STREAM_CLOSED`. */
  end(): StreamChunk[]
}

/** Cosmetic fields of an encoded response. */
export type EncodeOptions = { model?: string; responseId?: string }

/** A request but for the key: `path` is appended to the base URL. */
export type WireRequest = {
  method: 'POST'
  path: string
  headers: Record<string, string>
  body: JsonObject
}

export type HttpError = { status: number; headers: Record<string, string>; body: string }

export type Wire = {
  readonly name: WireName
  /** The provider's own base URL, without a trailing slash. */
  readonly baseUrl: string
  createDecoder(): WireDecoder
  /**
   * The events of a response that decodes to these chunks: the same blocks with
   * the same text, usage, finish and replay state. The position of `block-start`,
   * `block-end` and `usage`, and the numbering of blocks, become the wire's own.
   * Throws `LlmError` `UNSUPPORTED_CONTENT`, naming the chunk, for what the wire
   * cannot express.
   */
  encode(chunks: Iterable<StreamChunk>, options?: EncodeOptions): SseEvent[]
  /** Throws `LlmError` for content or settings the wire has no field for. */
  buildRequest(request: LlmRequest): WireRequest
  /** Reads a response that is not a success. `headers` may have any case. Never throws. */
  parseError(status: number, headers: Readonly<Record<string, string>>, body: string): LlmFailure
  /** The provider's HTTP response for a failure; throws `LlmError` where it has none. */
  shapeError(failure: LlmFailure): HttpError
  /** Events of a recording that kept the payload lines only; blank lines are skipped. */
  readPayloads(lines: Iterable<string>): SseEvent[]
}

/** The literal that ends a chat completions stream. */
export const doneData = '[DONE]'

/** One event a line, named by the payload's `type`: for wires that name their events. */
export function readTypedPayloads(lines: Iterable<string>): SseEvent[] {
  return nonBlank(lines).map((data) => {
    const payload = parseJson(data)
    return { event: (isObject(payload) && textOf(payload.type)) || 'message', data, id: '' }
  })
}

/** One `message` event a line: for wires that do not name their events. */
export function readUntypedPayloads(lines: Iterable<string>): SseEvent[] {
  return nonBlank(lines).map((data) => ({ event: 'message', data, id: '' }))
}

function nonBlank(lines: Iterable<string>): string[] {
  return [...lines].filter((line) => line.trim() !== '')
}

export const jsonHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'text/event-stream',
}
