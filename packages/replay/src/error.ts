/**
 * The one error class of this package. A replay that cannot go on as recorded
 * fails loudly: `code` is closed, the message says what, where and what to do.
 * A provider failure that a script asks for is no `ReplayError` but an
 * `LlmError`.
 */

export type ReplayErrorCode =
  /** Configuration or environment ask for something that does not exist or contradict each other. */
  | 'bad-config'
  /** A recording, session log or override file is not there or cannot be read. */
  | 'missing-file'
  /** The text is no recording, or not a sound one. */
  | 'bad-recording'
  /** The port of an emulator is in use. */
  | 'port-in-use'
  /** The session log is refused, or holds what cannot be served. */
  | 'bad-log'
  /** The log has a call without its `finish`, and no override says what happened there. */
  | 'unfinished-call'
  /** The override document is not one. */
  | 'bad-override'
  /** A request is not the one that was recorded. */
  | 'request-mismatch'
  /** A request after the last recorded one. */
  | 'exhausted'
  /** A second request while the first one of the session still streams. */
  | 'concurrent-call'
  /** A request of one session more than was recorded. */
  | 'unknown-session'
  /** A request that no session log records, such as one for a title. */
  | 'unsupported-purpose'
  /** Recorded calls that nobody asked for. */
  | 'unused-calls'
  /** A recording has a secret and may not be written. */
  | 'secret-left'
  /** A redacted recording does not match the requests it was made from. */
  | 'proof-failed'
  /** A request after the replay was closed. */
  | 'closed'

export type ReplayErrorDetails = ErrorOptions & {
  /** The file the error is about: session log or override. */
  file?: string
  /** Number of the model call in its session, from 0. */
  call?: number
  /** Recorded against sent, as a unified diff. */
  diff?: string
}

const brand = Symbol.for('@runproof/replay.error')

export class ReplayError extends Error {
  readonly code: ReplayErrorCode
  readonly file: string | undefined
  readonly call: number | undefined
  readonly diff: string | undefined

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  constructor(code: ReplayErrorCode, message: string, details: ReplayErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.name = 'ReplayError'
    this.code = code
    this.file = details.file
    this.call = details.call
    this.diff = details.diff
  }

  /** True for a `ReplayError` of any installed copy of this package. */
  static is(value: unknown): value is ReplayError {
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** How to make the recording of this log fit again. */
export function recordCommand(file: string): string {
  return `npx runproof record ${folderOf(file)}`
}

/** The override file that belongs to a session log. */
export function overrideBeside(file: string): string {
  return `${folderOf(file)}/replay.override.json`
}

function folderOf(file: string): string {
  const end = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'))
  return end < 0 ? '.' : file.slice(0, end)
}
