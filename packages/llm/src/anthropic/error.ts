/**
 * Errors of the Anthropic API: `{"type": "error", "error": {type, message},
 * "request_id"}`, as an HTTP response or as an `error` event.
 *
 * https://docs.claude.com/en/api/errors
 */
import { objectOf, textOf } from '../json.ts'
import { contextWindowText, wordsOf, type ErrorFormat } from '../provider-error.ts'

const types: Readonly<Record<string, { status: number; type: string }>> = {
  AUTH: { status: 401, type: 'authentication_error' },
  QUOTA: { status: 402, type: 'billing_error' },
  RATE_LIMIT: { status: 429, type: 'rate_limit_error' },
  CONTEXT_WINDOW_EXCEEDED: { status: 400, type: 'invalid_request_error' },
  INVALID_REQUEST: { status: 400, type: 'invalid_request_error' },
  SERVER: { status: 500, type: 'api_error' },
  HTTP_404: { status: 404, type: 'not_found_error' },
}

/** Where one code has several types, the status tells which. */
const typesByStatus: Readonly<Record<number, string>> = {
  403: 'permission_error',
  413: 'request_too_large',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export const anthropicErrors: ErrorFormat = {
  wire: 'anthropic',
  requestIdHeader: 'request-id',
  read(body) {
    const error = objectOf(body.error)
    return {
      message: textOf(error.message),
      words: wordsOf(error.type),
      requestId: textOf(body.request_id) || undefined,
    }
  },
  write({ code, message, requestId }, status) {
    const type = typesByStatus[status ?? 0] ?? types[code]?.type ?? code.toLowerCase()
    const isWordless = code === 'CONTEXT_WINDOW_EXCEEDED'
    return {
      type: 'error',
      error: { type, message: isWordless ? contextWindowText(message) : message },
      ...(requestId !== undefined && { request_id: requestId }),
    }
  },
  statusOf: (code) => types[code]?.status,
}
