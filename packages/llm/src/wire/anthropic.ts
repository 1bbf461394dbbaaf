/**
 * Anthropic Messages.
 *
 * https://docs.claude.com/en/api/messages-streaming
 */
import { readAnthropicMessage } from '../anthropic/decode.ts'
import { writeAnthropicMessage } from '../anthropic/encode.ts'
import { anthropicErrors } from '../anthropic/error.ts'
import { buildAnthropicRequest } from '../anthropic/request.ts'
import { createDecoder } from '../decoder.ts'
import { encodeFaithfully } from '../faithful.ts'
import { parseHttpError, shapeHttpError } from '../provider-error.ts'
import { readTypedPayloads, type Wire } from '../wire.ts'

export const anthropic: Wire = {
  name: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  createDecoder: () => createDecoder(readAnthropicMessage),
  encode: (chunks, options = {}) =>
    encodeFaithfully('anthropic', chunks, createDecoder(readAnthropicMessage), (given, outline) =>
      writeAnthropicMessage(given, outline, options),
    ),
  buildRequest: buildAnthropicRequest,
  parseError: (status, headers, body) => parseHttpError(anthropicErrors, status, headers, body),
  shapeError: (failure) => shapeHttpError(anthropicErrors, failure),
  readPayloads: readTypedPayloads,
}
