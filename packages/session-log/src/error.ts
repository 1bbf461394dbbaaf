/**
 * What can be wrong with a session log, as data, and the one error class of
 * this package.
 *
 * The pure reader never throws on input: it returns a `SessionIssue`. The
 * `./node` half throws `SessionLogError`, because there a refused log stops
 * the caller.
 */

export type SessionLogErrorCode =
  /** There is no complete line: the session never began. */
  | 'empty'
  /** Line 1 is not a session header. */
  | 'bad-header'
  /** The header's `version` is greater than this reader's. */
  | 'newer-version'
  /** A complete line is not a JSON object. */
  | 'bad-json'
  /** A complete line is no event: envelope or core data malformed. */
  | 'bad-event'
  /** `seq` is not the number of the event, counted from 0. */
  | 'bad-seq'
  /** The bytes are not UTF-8. */
  | 'bad-encoding'
  /** A line is longer than the reader's limit. */
  | 'line-too-long'
  /** Another writer holds the log. */
  | 'locked'
  /** A new log was to be made where one already stands. */
  | 'exists'
  /** The file could not be opened, read, written or synced. */
  | 'io'
  /** The writer was closed, or broken by an earlier failure. */
  | 'closed'

/** One defect of a log. `line` counts from 1; line 1 is the header. */
export type SessionIssue = { line: number; code: SessionLogErrorCode; message: string }

const brand = Symbol.for('@runproof/session-log.error')

export class SessionLogError extends Error {
  readonly code: SessionLogErrorCode
  readonly file: string
  /** 1-based line of the log, when the error is about one. */
  readonly line: number | null

  constructor(
    code: SessionLogErrorCode,
    file: string,
    message: string,
    options: ErrorOptions & { line?: number } = {},
  ) {
    super(message, options)
    this.name = 'SessionLogError'
    this.code = code
    this.file = file
    this.line = options.line ?? null
  }

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
  }

  /** True for a `SessionLogError` of any installed copy of this package. */
  static is(value: unknown): value is SessionLogError {
    return typeof value === 'object' && value !== null && brand in value
  }
}
