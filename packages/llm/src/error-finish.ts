/**
 * Error finishes that are a provider's way of ending a response rather than an
 * error object: how they are read, and so how they are written again.
 */
import type { FinishReason } from './chunk.ts'
import { emptyResponseMessage } from './response.ts'

/** Message of the error that an unknown finish word of a provider becomes; its code is the word. */
function finishWordMessage(code: string): string {
  return `the provider ended the response with "${code}"`
}

/** The error finish for a provider's finish word that this package gives no meaning. */
export function unknownFinish(word: string): FinishReason {
  const code = word.toUpperCase()
  return { kind: 'error', message: finishWordMessage(code), code }
}

/**
 * How an error finish appears on a wire: as a body that just ends, as a stop
 * that said nothing, as a finish word of the provider's, or as an error object.
 */
export function formOfError(
  reason: Extract<FinishReason, { kind: 'error' }>,
): 'cut' | 'empty' | 'word' | 'object' {
  if (reason.code === 'STREAM_CLOSED') return 'cut'
  if (reason.code === 'EMPTY_RESPONSE' && reason.message === emptyResponseMessage) return 'empty'
  if (reason.code !== undefined && reason.message === finishWordMessage(reason.code)) return 'word'
  return 'object'
}
