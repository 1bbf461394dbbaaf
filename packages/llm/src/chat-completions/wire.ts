/**
 * The chat completions wire of one dialect, put together.
 */
import { createDecoder } from '../decoder.ts'
import { encodeFaithfully } from '../faithful.ts'
import { parseHttpError, shapeHttpError, type ErrorFormat } from '../provider-error.ts'
import { doneData, readUntypedPayloads, type Wire, type WireDecoder } from '../wire.ts'
import { readChatCompletion } from './decode.ts'
import { writeChatCompletion } from './encode.ts'
import { buildChatRequest, type ChatDialect } from './request.ts'

export function createChatWire(baseUrl: string, dialect: ChatDialect, errors: ErrorFormat): Wire {
  const decoder = (): WireDecoder =>
    createDecoder((response) => readChatCompletion(response, errors))
  return {
    name: dialect.name,
    baseUrl,
    createDecoder: decoder,
    encode: (chunks, options = {}) =>
      encodeFaithfully(dialect.name, chunks, decoder(), (given, outline) =>
        writeChatCompletion(given, outline, errors, options),
      ),
    buildRequest: (request) => buildChatRequest(request, dialect),
    parseError: (status, headers, body) => parseHttpError(errors, status, headers, body),
    shapeError: (failure) => shapeHttpError(errors, failure),
    /** `[DONE]` is no payload, so a recording of payloads lacks it: it is added. */
    readPayloads(lines) {
      const events = readUntypedPayloads(lines)
      const isEnded = events.at(-1)?.data.trim() === doneData
      return isEnded ? events : [...events, { event: 'message', data: doneData, id: '' }]
    },
  }
}
