/**
 * The one error class of this package. Bad events never raise it: they are
 * issues of the progress. It is for a snapshot that cannot be continued.
 */

export type ProgressErrorCode = 'snapshot-invalid' | 'snapshot-version'

const brand = Symbol.for('@runproof/progress.error')

export class ProgressError extends Error {
  override readonly name = 'ProgressError'
  readonly code: ProgressErrorCode

  constructor(code: ProgressErrorCode, message: string) {
    super(message)
    this.code = code
    Object.defineProperty(this, brand, { value: true })
  }

  /** True for an error of this class, also from a second copy of the package. */
  static is(value: unknown): value is ProgressError {
    return typeof value === 'object' && value !== null && Reflect.get(value, brand) === true
  }
}
