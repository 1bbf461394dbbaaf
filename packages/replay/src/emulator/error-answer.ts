/**
 * HTTP errors as the provider of a wire writes them.
 */
import { LlmError, wires } from '@runproof/llm'
import type { HttpError, LlmFailure, WireName } from '@runproof/llm'
import { answerBody } from './answer.ts'
import type { Answer } from './answer.ts'

export type ErrorText = {
  status: number
  message: string
  headers?: Record<string, string> | undefined
}

/** An HTTP error as the provider of a wire writes it. */
export function answerError(wire: WireName, { status, message, headers = {} }: ErrorText): Answer {
  const { code } = wires[wire].parseError(status, {}, '')
  const shaped = shapeError(wire, { code, status, message })
  return answerBody(shaped.status, { ...shaped.headers, ...headers }, shaped.body)
}

/** The HTTP error of a failure; status 500 where the provider has none for it. */
export function answerFailure(wire: WireName, failure: LlmFailure): Answer {
  const { status, headers, body } = shapeError(wire, { status: 500, ...failure })
  return answerBody(status, headers, body)
}

/** The provider's own form where it has one; its words may say something else than the code. */
function shapeError(wire: WireName, failure: LlmFailure & { status: number }): HttpError {
  const { status, message } = failure
  try {
    return wires[wire].shapeError(failure)
  } catch (error) {
    if (!LlmError.is(error)) throw error
    const body = JSON.stringify({ error: { message, type: 'error', code: status } })
    return { status, headers: {}, body }
  }
}
