/** Provider-neutral model streams, and the wires of five providers. */
export * from './contract.ts'
export { wireNames } from './wire.ts'
export type {
  EncodeOptions,
  HttpError,
  SseEvent,
  Wire,
  WireDecoder,
  WireName,
  WireRequest,
} from './wire.ts'
export { wires } from './wires.ts'
