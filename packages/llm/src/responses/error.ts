/**
 * Errors of the OpenAI Responses API. Over HTTP they are those of chat
 * completions; in a stream they stand in an `error` event, flat or under
 * `error`, or in the response object of `response.failed`.
 */
import { openAiErrors, readErrorObject } from '../chat-completions/error.ts'
import { isObject, objectOf } from '../json.ts'
import type { ErrorFormat } from '../provider-error.ts'

export const responsesErrors: ErrorFormat = {
  ...openAiErrors,
  wire: 'openai-responses',
  read(body) {
    if (isObject(body.error)) return readErrorObject(body.error)
    // The type of a flat event says only that it is an error.
    const { type: _type, ...error } = objectOf(body)
    return readErrorObject(error)
  },
}

/** The code of a stream error: the API has one word where chat has a type as well. */
export function streamErrorCode(code: string): string {
  return streamErrorCodes[code] ?? code.toLowerCase()
}

const streamErrorCodes: Readonly<Record<string, string>> = {
  AUTH: 'invalid_api_key',
  QUOTA: 'insufficient_quota',
  RATE_LIMIT: 'rate_limit_exceeded',
  CONTEXT_WINDOW_EXCEEDED: 'context_length_exceeded',
  INVALID_REQUEST: 'invalid_prompt',
  SERVER: 'server_error',
}
