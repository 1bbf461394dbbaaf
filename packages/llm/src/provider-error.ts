/**
 * Provider errors: from an HTTP response or an error inside a stream to a
 * failure, and back.
 *
 * How a code is found, first match wins:
 * 1. a word or message that says exactly what is wrong (key, quota, context
 *    window), whatever the status: gateways use statuses freely;
 * 2. the HTTP status;
 * 3. a word that names a class (rate limit, server error, invalid request);
 * 4. inside a stream: the provider's own word in capitals, else UNKNOWN.
 *
 * Words are compared without case. An HTTP date in `retry-after` is ignored,
 * since reading it needs a clock; the providers here send seconds.
 */
import { LlmError, type LlmFailure } from './error.ts'
import { countOf, isObject, isSameJson, parseJson, textOf, type JsonObject } from './json.ts'
import type { HttpError } from './wire.ts'

/** What a provider's error object says, in the provider's own terms. */
export type ErrorDetails = {
  message: string
  /** Its types, codes and statuses. */
  words: readonly string[]
  status?: number | undefined
  retryAfterMs?: number | undefined
  requestId?: string | undefined
}

/** How one provider writes errors. */
export type ErrorFormat = {
  wire: string
  /** Header that carries the request id. */
  requestIdHeader: string
  /** Reads the whole body or stream payload. */
  read(body: JsonObject): ErrorDetails
  /** The body for a failure; `status` is the HTTP status, absent inside a stream. */
  write(failure: LlmFailure, status: number | undefined): JsonObject
  /** HTTP status of a failure that names none. */
  statusOf(code: string): number | undefined
}

const exactWords: Readonly<Record<string, string>> = {
  invalid_api_key: 'AUTH',
  api_key_invalid: 'AUTH',
  authentication_error: 'AUTH',
  permission_error: 'AUTH',
  unauthenticated: 'AUTH',
  permission_denied: 'AUTH',
  insufficient_quota: 'QUOTA',
  insufficient_balance: 'QUOTA',
  billing_error: 'QUOTA',
  billing_hard_limit_reached: 'QUOTA',
  context_length_exceeded: 'CONTEXT_WINDOW_EXCEEDED',
}

const classWords: Readonly<Record<string, string>> = {
  rate_limit_exceeded: 'RATE_LIMIT',
  rate_limit_error: 'RATE_LIMIT',
  resource_exhausted: 'RATE_LIMIT',
  requests: 'RATE_LIMIT',
  tokens: 'RATE_LIMIT',
  server_error: 'SERVER',
  api_error: 'SERVER',
  overloaded_error: 'SERVER',
  timeout_error: 'SERVER',
  internal: 'SERVER',
  unavailable: 'SERVER',
  deadline_exceeded: 'SERVER',
  invalid_request_error: 'INVALID_REQUEST',
  invalid_argument: 'INVALID_REQUEST',
  failed_precondition: 'INVALID_REQUEST',
  request_too_large: 'INVALID_REQUEST',
  invalid_prompt: 'INVALID_REQUEST',
  not_found_error: 'HTTP_404',
  not_found: 'HTTP_404',
}

/** How the providers that have no code for it say that the prompt is too long. */
const contextWindowMessage =
  /maximum context length|context window|prompt is too long|exceed\w* context limit|input token count .* exceeds/i

const firstCode = (words: readonly string[], table: Readonly<Record<string, string>>) => {
  for (const word of words) {
    const key = word.toLowerCase()
    if (Object.hasOwn(table, key)) return table[key]
  }
  return undefined
}

function codeOfStatus(status: number): string {
  if (status === 401 || status === 403) return 'AUTH'
  if (status === 402) return 'QUOTA'
  if (status === 429) return 'RATE_LIMIT'
  if (status === 400 || status === 413 || status === 422) return 'INVALID_REQUEST'
  if (status >= 500) return 'SERVER'
  return `HTTP_${status}`
}

function codeOf({ words, message, status }: ErrorDetails): string {
  const exact = firstCode(words, exactWords)
  if (exact) return exact
  const general = status === undefined ? firstCode(words, classWords) : codeOfStatus(status)
  if (general === 'INVALID_REQUEST' && contextWindowMessage.test(message)) {
    return 'CONTEXT_WINDOW_EXCEEDED'
  }
  return general ?? words[0]?.toUpperCase() ?? 'UNKNOWN'
}

function toFailure(details: ErrorDetails): LlmFailure {
  const { message, status, retryAfterMs: waitMs, requestId } = details
  return {
    message,
    code: codeOf(details),
    ...(status === undefined ? {} : { status }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(requestId === undefined ? {} : { requestId }),
  }
}

/** The failure that an error object inside a stream reports; a number in it may be a status. */
export function readStreamError(format: ErrorFormat, payload: JsonObject): LlmFailure {
  return toFailure(format.read(payload))
}

/** Body text quoted in the message of an error that is not the provider's own (a proxy's page). */
const foreignBodyCharsMax = 200

/** The failure that an HTTP response reports. */
export function parseHttpError(
  format: ErrorFormat,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): LlmFailure {
  const header = lowerCaseKeys(headers)
  const payload = parseJson(body)
  // A list of one: what Gemini answers when the request was not for events.
  const details = readBody(format, Array.isArray(payload) ? payload[0] : payload)
  const foreign = body.trim().slice(0, foreignBodyCharsMax)
  return toFailure({
    ...details,
    message: details.message || `HTTP ${status}${foreign === '' ? '' : `: ${foreign}`}`,
    status,
    retryAfterMs: retryAfterMs(header) ?? details.retryAfterMs,
    requestId: header[format.requestIdHeader] ?? details.requestId,
  })
}

function readBody(format: ErrorFormat, payload: unknown): ErrorDetails {
  return isObject(payload) ? format.read(payload) : { message: '', words: [] }
}

/**
 * The HTTP response of a failure. Reading it back gives the same code, status,
 * wait and request id; the message may be wrapped in words that make the code
 * readable. Throws `LlmError` when the provider has no such response.
 */
export function shapeHttpError(format: ErrorFormat, failure: LlmFailure): HttpError {
  const status = failure.status ?? statusInCode(failure.code) ?? format.statusOf(failure.code)
  if (status === undefined) throw unshapeable(format, failure)
  const { retryAfterMs: waitMs, requestId } = failure
  const shaped: HttpError = {
    status,
    headers: {
      'content-type': 'application/json',
      ...(waitMs === undefined ? {} : { 'retry-after': String(waitMs / 1000) }),
      ...(requestId === undefined ? {} : { [format.requestIdHeader]: requestId }),
    },
    body: JSON.stringify(format.write(failure, status)),
  }
  const back = parseHttpError(format, status, shaped.headers, shaped.body)
  const { message } = failure
  if (
    !isSameJson({ ...back, message }, { ...failure, status }) ||
    !back.message.includes(message)
  ) {
    throw unshapeable(format, failure)
  }
  return shaped
}

function unshapeable({ wire }: ErrorFormat, { code, status }: LlmFailure): LlmError {
  const what = status === undefined ? code : `${code} with status ${status}`
  return new LlmError(`${wire} has no HTTP response for ${what}`, 'UNSUPPORTED_CONTENT')
}

function statusInCode(code: string): number | undefined {
  const status = /^HTTP_(\d{3})$/.exec(code)?.[1]
  return status === undefined ? undefined : Number(status)
}

/** Makes a message readable as a prompt that is too long, for formats with no word for it. */
export function contextWindowText(message: string): string {
  return contextWindowMessage.test(message) ? message : `prompt is too long: ${message}`
}

function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const seconds = /^\s*(\d+(?:\.\d+)?)\s*$/.exec(headers['retry-after'] ?? '')?.[1]
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000)
}

function lowerCaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** An HTTP error status, where the provider put one into its error object. */
export function statusIn(value: unknown): number | undefined {
  const status = countOf(value)
  return status !== undefined && status >= 400 && status <= 599 ? status : undefined
}

/** The strings among the values, blank ones left out. */
export function wordsOf(...values: unknown[]): string[] {
  return values.map(textOf).filter((word) => word !== '')
}
