/**
 * What stops a command: one error class, whose code decides the exit code.
 *
 * Exit codes (contract): 0 all holds · 1 a difference or an unmet expectation ·
 * 2 bad usage or nothing readable · 3 the environment lacks something.
 */

import { visible } from './visible.ts'

/** Why a command stopped. */
export type RunproofErrorCode = 'usage' | 'unreadable' | 'environment'

const exitCodes: Record<RunproofErrorCode, 2 | 3> = { usage: 2, unreadable: 2, environment: 3 }

/** What the system's commonest refusals mean. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'something of that name is there',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
}

/** Whether the system refused something with this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Why the system refused something, in words. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return reasons[error.code ?? ''] ?? visible(error.message)
}

/** An error as one for people: its own, or what the system refused; null for a fault of ours. */
export function explainError(error: unknown): RunproofError | null {
  if (error instanceof RunproofError) return error
  if (!isRefusal(error)) return null
  const { path, syscall = '' } = error
  const what = visible(path === undefined ? syscall : `${syscall} ${path}`)
  return new RunproofError('environment', `${what}: ${reasonOf(error)}`)
}

/** What the system refused has the call that it refused. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

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
