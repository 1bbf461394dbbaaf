/**
 * What stops a command: one error class, whose code decides the exit code.
 *
 * Exit codes (contract): 0 all holds · 1 a difference or an unmet expectation ·
 * 2 bad usage or nothing readable · 3 the environment lacks something.
 */

/** Why a command stopped. */
export type RunproofErrorCode = 'usage' | 'unreadable' | 'environment'

const exitCodes: Record<RunproofErrorCode, 2 | 3> = { usage: 2, unreadable: 2, environment: 3 }

/** An error for people: the message says what, where and what to do next. */
export class RunproofError extends Error {
  override readonly name = 'RunproofError'
  readonly code: RunproofErrorCode

  constructor(code: RunproofErrorCode, message: string) {
    super(message)
    this.code = code
  }

  get exitCode(): 2 | 3 {
    return exitCodes[this.code]
  }
}
