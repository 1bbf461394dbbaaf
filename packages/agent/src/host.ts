/**
 * Everything the agent takes from the world, as one service: clock, ids,
 * chance, environment, the two ends of the protocol. The bin makes the real
 * one; below it nothing touches `Date`, timers, `crypto` or `process` for
 * these purposes, so a run can be repeated.
 */
import type { Readable, Writable } from 'node:stream'
import type { Timers } from '@runproof/llm'
import type { Environment, Secrets } from './environment.ts'

/**
 * `live`: a person's editor. `record`: a scenario against the real provider.
 * `replay`: a scenario from its log, without key, provider or `.env`.
 */
export type Mode = 'live' | 'record' | 'replay'

export const modes: readonly Mode[] = ['live', 'record', 'replay']

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `delayMs`, or at once when `signal` aborts; never rejects. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
  timers: Timers<NodeJS.Timeout>
}

export type Host = {
  mode: Mode
  version: string
  /** The environment of the process: what its user said. */
  env: Environment
  /** What `.env` in the working folder says, beneath `env`. It may be a stranger's; none in a replay. */
  folderEnv: Environment
  secrets: Secrets
  clock: Clock
  /** A new unique id (a UUID in the real host). */
  createId: () => string
  /** A number in [0, 1). */
  random: () => number
  /** Protocol in and out: newline-delimited JSON. */
  input: Readable
  output: Writable
  /** Aborts when the process was asked to stop: end open work now. */
  stop: AbortSignal
  /** Resolves when every entry of the composition runs; before that nobody is served. */
  started: Promise<void>
  /**
   * Tells that the protocol is over and all work ended: the process may leave.
   * `failure` when not everything could be written. The first call counts.
   */
  finished: (failure?: unknown) => void
}
