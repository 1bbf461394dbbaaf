/** The options of a progress: the run it is bound to, and what goes beyond the seed. */
import { isKind } from './envelope.ts'

/** Longest reorder buffer: it is searched event by event. */
const reorderEventsLimit = 1024

export type ProgressOptions = {
  /** The run whose events count; all others are foreign. */
  readonly run: string
  /**
   * Remember the newest `window` events only (1 or more), so that memory no
   * longer grows with the log but for one entry a tool call. Off by default.
   * An event older than that cannot be told from a repetition any more: one
   * with an old seq is a `sequence_gap_or_reorder` and is not applied.
   */
  readonly window?: number
  /**
   * Hold up to this many events (1 to 1024) that come before their turn and
   * judge them in order of seq. Off by default: any disorder is an issue.
   */
  readonly reorderEventsMax?: number
  /**
   * Kinds outside the protocol that carry no evidence, such as a heartbeat, and
   * give no `unknown_event`. They are numbered like all events and are as much
   * too late after the end of the run. Empty by default.
   */
  readonly ignoreKinds?: readonly string[]
}

/** @throws TypeError that names the option and what it must be. */
export function checkOptions(options: {
  readonly [K in keyof ProgressOptions]?: unknown
}): asserts options is ProgressOptions {
  const { run, window, reorderEventsMax, ignoreKinds } = options
  if (typeof run !== 'string' || run === '') {
    throw new TypeError('progress: run must be a non-empty string')
  }
  if (window !== undefined && !isCount(window, Number.MAX_SAFE_INTEGER)) {
    throw new TypeError('progress: window must be a whole number of events, 1 or more')
  }
  if (reorderEventsMax !== undefined && !isCount(reorderEventsMax, reorderEventsLimit)) {
    throw new TypeError(`progress: reorderEventsMax must be from 1 to ${reorderEventsLimit}`)
  }
  if (ignoreKinds === undefined) return
  if (!Array.isArray(ignoreKinds) || !ignoreKinds.every((kind) => typeof kind === 'string')) {
    throw new TypeError('progress: ignoreKinds must be an array of strings')
  }
  const evidence = ignoreKinds.find((kind: string) => isKind(kind))
  if (evidence !== undefined) {
    throw new TypeError(`progress: ${evidence} is evidence and cannot be ignored`)
  }
}

function isCount(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
}
