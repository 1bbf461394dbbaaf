/**
 * `@runproof/replay/redact`: secrets in texts and JSON, found and replaced. Of
 * whole recordings: `@runproof/replay/recorder`.
 */
export { createBodyRedactor, redactValue } from './redact/body.ts'
export type { BodyRedactor } from './redact/body.ts'
export { findLeaks } from './redact/recording.ts'
export { createRedactor } from './redact/redactor.ts'
export type { RedactedSecret, Redactor, TextOptions } from './redact/redactor.ts'
export type { Span } from './redact/span.ts'
export { redactLines } from './redact/stream.ts'
export { secretsOfEnvironment, secretsOfRequest } from './redact/value.ts'
export type { KnownSecret } from './redact/value.ts'
