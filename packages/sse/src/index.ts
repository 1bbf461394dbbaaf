/**
 * `@runproof/sse`: bytes to server-sent events and back.
 */

export { createSseDecoder, decodeSse } from './decoder.ts'
export type { SseDecoder, SseEnd, SseFault } from './decoder.ts'
export { encodeSse } from './encode.ts'
export type { SseErrorCode } from './faults.ts'
export type { SseDecoderOptions } from './options.ts'
export type { SseEvent } from './parse.ts'
