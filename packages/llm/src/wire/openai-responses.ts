/**
 * OpenAI Responses, without storage at the provider.
 *
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
import { createDecoder } from '../decoder.ts'
import { encodeFaithfully } from '../faithful.ts'
import { parseHttpError, shapeHttpError } from '../provider-error.ts'
import { readOpenAiResponse } from '../responses/decode.ts'
import { writeOpenAiResponse } from '../responses/encode.ts'
import { responsesErrors } from '../responses/error.ts'
import { buildOpenAiResponsesRequest } from '../responses/request.ts'
import { readTypedPayloads, type Wire } from '../wire.ts'

const name = 'openai-responses'

export const openAiResponses: Wire = {
  name,
  baseUrl: 'https://api.openai.com',
  createDecoder: () => createDecoder(readOpenAiResponse),
  encode: (chunks, options = {}) =>
    encodeFaithfully(name, chunks, createDecoder(readOpenAiResponse), (given, outline) =>
      writeOpenAiResponse(given, outline, options),
    ),
  buildRequest: buildOpenAiResponsesRequest,
  parseError: (status, headers, body) => parseHttpError(responsesErrors, status, headers, body),
  shapeError: (failure) => shapeHttpError(responsesErrors, failure),
  readPayloads: readTypedPayloads,
}
