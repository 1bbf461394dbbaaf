/**
 * Gemini `streamGenerateContent` with server-sent events.
 *
 * https://ai.google.dev/api/generate-content
 */
import { createDecoder } from '../decoder.ts'
import { encodeFaithfully } from '../faithful.ts'
import { readGeminiResponse } from '../gemini/decode.ts'
import { writeGeminiResponse } from '../gemini/encode.ts'
import { geminiErrors } from '../gemini/error.ts'
import { buildGeminiRequest } from '../gemini/request.ts'
import { parseHttpError, shapeHttpError } from '../provider-error.ts'
import { readUntypedPayloads, type Wire } from '../wire.ts'

export const gemini: Wire = {
  name: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  createDecoder: () => createDecoder(readGeminiResponse),
  encode: (chunks, options = {}) =>
    encodeFaithfully('gemini', chunks, createDecoder(readGeminiResponse), (given, outline) =>
      writeGeminiResponse(given, outline, options),
    ),
  buildRequest: buildGeminiRequest,
  parseError: (status, headers, body) => parseHttpError(geminiErrors, status, headers, body),
  shapeError: (failure) => shapeHttpError(geminiErrors, failure),
  readPayloads: readUntypedPayloads,
}
