/**
 * The one error class of this package. `code` is closed; the message says
 * what, where, and what to do next. Provider failures are `LlmError`s of
 * `@runproof/llm` and pass through unchanged.
 */

export type AgentErrorCode =
  /** The composition file cannot be read, is not a list of entries, or a patch matches nothing. */
  | 'bad-composition'
  /** An entry of the composition did not start: module, plugin or service is missing or failed. */
  | 'entry-failed'
  /** The command line or the environment asks for something that does not exist. */
  | 'bad-usage'
  /** No session with this id under the sessions root. */
  | 'session-not-found'
  /** The session's folder, id or state does not allow the request. */
  | 'session-refused'

export class AgentError extends Error {
  override readonly name = 'AgentError'
  readonly code: AgentErrorCode

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** True for an error of the operating system with this code, such as `ENOENT`. */
export function isCode(reason: unknown, code: string): boolean {
  return reason instanceof Error && 'code' in reason && reason.code === code
}

/** The message of anything that was thrown. */
export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}
