/**
 * Errors of the chat completions family: `{"error": {message, type, code}}`,
 * in an HTTP response or as a payload of the stream. Also the HTTP errors of
 * OpenAI's Responses API.
 *
 * A number in `code` is an HTTP status (OpenRouter and its like).
 */
import type { LlmFailure } from '../error.ts'
import { objectOf, textOf, type JsonObject } from '../json.ts'
import {
  contextWindowText,
  statusIn,
  wordsOf,
  type ErrorDetails,
  type ErrorFormat,
} from '../provider-error.ts'

type Spelling = { status?: number; type: string; code: string | null }

const openAiSpellings: Readonly<Record<string, Spelling>> = {
  AUTH: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  QUOTA: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  RATE_LIMIT: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  CONTEXT_WINDOW_EXCEEDED: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
  INVALID_REQUEST: { status: 400, type: 'invalid_request_error', code: null },
  SERVER: { status: 500, type: 'server_error', code: null },
}

/** DeepSeek says `invalid_request_error` in `code` whatever happened. */
const deepSeekSpellings: Readonly<Record<string, Spelling>> = {
  AUTH: { status: 401, type: 'authentication_error', code: 'invalid_request_error' },
  QUOTA: { status: 402, type: 'insufficient_balance', code: 'invalid_request_error' },
  RATE_LIMIT: { status: 429, type: 'rate_limit_error', code: null },
  CONTEXT_WINDOW_EXCEEDED: {
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_request_error',
  },
  INVALID_REQUEST: { status: 400, type: 'invalid_request_error', code: 'invalid_request_error' },
  SERVER: { status: 500, type: 'server_error', code: null },
}

export const openAiErrors: ErrorFormat = chatErrors('openai-chat', 'x-request-id', openAiSpellings)

export const deepSeekErrors: ErrorFormat = chatErrors(
  'deepseek',
  'x-ds-trace-id',
  deepSeekSpellings,
)

export function readErrorObject(error: JsonObject): ErrorDetails {
  const words = wordsOf(error.code, error.type)
  return { message: textOf(error.message), words, status: statusIn(error.code) }
}

function chatErrors(
  wire: string,
  requestIdHeader: string,
  spellings: Readonly<Record<string, Spelling>>,
): ErrorFormat {
  return {
    wire,
    requestIdHeader,
    read: (body) => readErrorObject(objectOf(body.error)),
    write({ code, message, status: statusInside }: LlmFailure, status) {
      const spelling = spellings[code] ?? { type: code.toLowerCase(), code: null }
      const isWordless =
        code === 'CONTEXT_WINDOW_EXCEEDED' && spelling.code !== 'context_length_exceeded'
      return {
        error: {
          message: isWordless ? contextWindowText(message) : message,
          type: spelling.type,
          param: null,
          // Inside a stream the status has no other place than the code.
          code: status === undefined ? (statusInside ?? spelling.code) : spelling.code,
        },
      }
    },
    statusOf: (code) => spellings[code]?.status,
  }
}
