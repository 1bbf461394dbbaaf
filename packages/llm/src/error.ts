/**
 * What can go wrong with a model call: the closed set of codes, the failure
 * value that travels in a `finish`, and the error that is thrown.
 *
 * The codes are those of the DeepSeek Harness, so that a policy written for
 * them keeps working. Retrying is a caller's policy; `isRetryable` is its
 * default.
 */
import type { FinishReason } from './chunk.ts'

/** Codes without a number; `HTTP_<status>` covers the statuses that have no code of their own. */
export const llmErrorCodes = [
  'AUTH',
  'QUOTA',
  'RATE_LIMIT',
  'CONTEXT_WINDOW_EXCEEDED',
  'INVALID_REQUEST',
  'SERVER',
  'TIMEOUT',
  'ABORTED',
  'TRANSPORT',
  'STREAM_CLOSED',
  'MALFORMED_RESPONSE',
  'EMPTY_RESPONSE',
  'MISSING_CREDENTIAL',
  'INVALID_CREDENTIAL',
  'UNSUPPORTED_CONTENT',
  'UNSUPPORTED_REASONING_EFFORT',
  'NO_ADAPTER',
  'DUPLICATE_ADAPTER',
  'UNKNOWN',
] as const

export type LlmErrorCode = (typeof llmErrorCodes)[number] | `HTTP_${number}`

/**
 * A failure as data. `code` is an `LlmErrorCode`, or a provider's own word in
 * capitals where it said something in its stream that no code covers.
 */
export type LlmFailure = {
  message: string
  code: string
  /** HTTP status, where there was one. */
  status?: number
  /** How long the provider asked to wait. */
  retryAfterMs?: number
  requestId?: string
}

const retryable: ReadonlySet<string> = new Set([
  'EMPTY_RESPONSE',
  'RATE_LIMIT',
  'SERVER',
  'TIMEOUT',
  'TRANSPORT',
])

/** Whether trying the same request again may help. */
export function isRetryable(code: string | undefined): boolean {
  return code !== undefined && retryable.has(code)
}

/** A response that contradicts itself or its protocol. */
export function malformed(message: string): LlmFailure {
  return { message, code: 'MALFORMED_RESPONSE' }
}

/** The terminal reason of a stream that failed; `ABORTED` is the caller's own doing, not an error. */
export function finishOf(failure: LlmFailure): FinishReason {
  return failure.code === 'ABORTED' ? { kind: 'aborted' } : { kind: 'error', ...failure }
}

const brand = Symbol.for('@runproof/llm.error')

/**
 * The error this package throws, and the one an adapter throws for a failed
 * call. Recognise it with `LlmError.is`, which also knows errors of a second
 * copy of this package.
 */
export class LlmError extends Error {
  override readonly name = 'LlmError'
  readonly code: LlmErrorCode
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  readonly requestId: string | undefined

  constructor(
    message: string,
    code: LlmErrorCode,
    details: { status?: number; retryAfterMs?: number; requestId?: string; cause?: unknown } = {},
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
    this.requestId = details.requestId
  }

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  static is(value: unknown): value is LlmError {
    return typeof value === 'object' && value !== null && brand in value
  }

  /** The same as data; absent fields are absent. */
  toFailure(): LlmFailure {
    return {
      message: this.message,
      code: this.code,
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
      ...(this.requestId === undefined ? {} : { requestId: this.requestId }),
    }
  }
}
