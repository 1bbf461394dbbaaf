/**
 * What goes back to the editor: how a turn's end becomes a stop reason or an
 * error, and how errors of this program become JSON-RPC errors.
 *
 * A failed turn is an error with the text of the DeepSeek Harness,
 * `Internal error: turn failed: <message>` (-32603), and the failure's code in
 * `data.code`.
 */
import { RequestError, type PromptResponse } from '@agentclientprotocol/sdk'
import { LlmError } from '@runproof/llm/contract'
import { SessionLogError, type TurnEndReason } from '@runproof/session-log'
import { AgentError } from '../error.ts'
import { endCodes } from '../loop/turn.ts'

/** @throws RequestError for a turn that failed */
export function answerPrompt(reason: TurnEndReason): PromptResponse {
  switch (reason.kind) {
    case 'completed':
      return { stopReason: 'end_turn' }
    case 'max-tokens':
      return { stopReason: 'max_tokens' }
    case 'error':
      return answerFailure(reason)
    default:
      return { stopReason: 'cancelled' }
  }
}

function answerFailure({ code, message }: { code?: string; message?: string }): PromptResponse {
  switch (code) {
    case endCodes.refusal:
    case endCodes['content-filter']:
      return { stopReason: 'refusal' }
    case endCodes.steps:
      return { stopReason: 'max_turn_requests' }
    default:
      throw RequestError.internalError({ code: code ?? 'UNKNOWN' }, `turn failed: ${message}`)
  }
}

/** The JSON-RPC error for anything a handler threw; `redact` cleans its text. */
export function toRequestError(error: unknown, redact: (text: string) => string): RequestError {
  if (error instanceof RequestError) {
    return new RequestError(error.code, redact(error.message), error.data)
  }
  if (error instanceof AgentError && error.code === 'session-not-found') {
    return new RequestError(-32002, `Resource not found: ${error.message}`)
  }
  if (error instanceof AgentError) return RequestError.invalidParams(undefined, error.message)
  const hasCode = SessionLogError.is(error) || LlmError.is(error)
  const data = hasCode ? { code: error.code } : undefined
  const message = error instanceof Error ? error.message : String(error)
  return RequestError.internalError(data, redact(message))
}
