/**
 * Serves scripts to live sessions, call by call.
 *
 * Follows the positional replay of the DeepSeek Harness: each session has its
 * own script and cursor, and one stream in flight. Sessions bind to scripts
 * in the order of their first calls; among the scripts still free, one whose
 * first request is the live one goes first, so that sub-agents that start
 * together find their own.
 *
 * Invariants: a request is answered only after it was compared with the
 * recorded one; whatever does not fit throws a `ReplayError`, is told in the
 * report and moves no cursor; nothing is answered twice. Pure: no clock, no
 * files, no process.
 */
import type { AbortSignalLike, StreamChunk } from '@runproof/llm'
import { ReplayError } from './error.ts'
import type { ReplayScript } from './load.ts'
import {
  concurrent,
  exhausted,
  mismatched,
  unknownSession,
  unsupportedPurpose,
  unused,
} from './miss.ts'
import { compareRequest, formatDifference } from './request.ts'
import type { CompareLevel, CompareOptions, Difference } from './request.ts'
import type { RecordedCall } from './script.ts'
import { serveEntry } from './serve.ts'

/** What the replay reads of a model request; other fields are not looked at. */
export type ReplayRequest = {
  messages: readonly unknown[]
  /** Absent: all such requests are one session. */
  sessionId?: string
  /** Set for requests outside the agent's turns, which no log records. */
  purpose?: string
  signal?: AbortSignalLike
}

export type ReplayOptions = {
  /** The primary session first; the others in the order they are to bind. */
  scripts: readonly ReplayScript[]
  /** Default `strict`. */
  level?: CompareLevel
  /** Working folder of the live run, when it is known. */
  cwd?: string | undefined
  /** Number of calls of the primary session that were served before, by another process. */
  startAt?: number
  /** Hears each miss when it happens. */
  onMiss?: (miss: Miss) => void
  /** Writes the `readyFile` of a hang. */
  writeMarker?: (file: string) => void
}

/** A request that could not be answered, or a script that could not be loaded. */
export type Miss = { code: string; message: string; file?: string; call?: number }

export type SessionReport = {
  file: string
  /** null when no session asked for this script. */
  sessionId: string | null
  served: number
  unused: number
}

export type ReplayReport = {
  /** Calls that this replay answered, without those before `startAt`. */
  served: number
  /** Recorded calls that nobody asked for. */
  unused: number
  misses: Miss[]
  /** The same by script, in binding order. */
  sessions: SessionReport[]
}

export type Replay = {
  /** Answers one request. Never throws itself; a miss is thrown by the stream. */
  stream(request: ReplayRequest): AsyncIterable<StreamChunk>
  report(): ReplayReport
  /** Throws `unused-calls` when recorded calls are left. */
  assertConsumed(): void
  /** Ends hanging streams and takes no more requests. Safe to call again. */
  close(): void
}

type Cursor = {
  script: ReplayScript
  sessionId: string | null
  /** Number of the first entry. */
  start: number
  /** Number of the next entry. */
  at: number
  /** Number of the recorded call the last request was; for scripts that are not aligned. */
  matched: number
  /** The stream in flight. */
  inFlight: object | null
}

/** The recorded call a request is (null: the log holds none to compare with), or how it differs. */
type Match = { index: number; call: RecordedCall | null } | { difference: Difference }

export function createReplay(options: ReplayOptions): Replay {
  const { scripts, level = 'strict', cwd, startAt = 0, onMiss, writeMarker } = options
  refuseStart(startAt, scripts[0])
  const cursors = scripts.map((script, i): Cursor => {
    const start = i === 0 ? startAt : 0
    return { script, sessionId: null, start, at: start, matched: start - 1, inFlight: null }
  })
  const misses: Miss[] = []
  const closing = new AbortController()

  const bind = ({ sessionId = '', messages }: ReplayRequest): Cursor => {
    const bound = cursors.find((cursor) => cursor.sessionId === sessionId)
    if (bound !== undefined) return bound
    const free = cursors.filter((cursor) => cursor.sessionId === null)
    const fitting = free.find((cursor) => 'call' in matchCall(cursor, messages, { level, cwd }))
    const cursor = fitting ?? free[0]
    if (cursor === undefined) throw unknownSession(sessionId, scripts)
    cursor.sessionId = sessionId
    return cursor
  }

  async function* answer(request: ReplayRequest): AsyncGenerator<StreamChunk, void, undefined> {
    const { messages, purpose, signal } = request
    if (closing.signal.aborted) throw new ReplayError('closed', 'the replay was closed')
    if (purpose !== undefined) throw unsupportedPurpose(purpose)
    const cursor = bind(request)
    const entry = cursor.script.entries[cursor.at]
    if (cursor.inFlight !== null) throw concurrent(cursor)
    if (entry === undefined) throw exhausted(cursor)
    const match = matchCall(cursor, messages, { level, cwd })
    if ('difference' in match) throw mismatched(cursor, await formatDifference(match.difference))

    const ticket = {}
    cursor.inFlight = ticket
    cursor.at++
    cursor.matched = match.index
    const leave = (): void => {
      if (cursor.inFlight === ticket) cursor.inFlight = null
    }
    try {
      yield* serveEntry(entry, {
        recorded: match.call?.chunks ?? [],
        signals: [closing.signal, signal],
        writeMarker,
        onLast: leave,
      })
    } finally {
      leave()
    }
  }

  return {
    async *stream(request) {
      try {
        yield* answer(request)
      } catch (reason) {
        if (ReplayError.is(reason)) {
          const miss = missOf(reason)
          misses.push(miss)
          onMiss?.(miss)
        }
        throw reason
      }
    },
    report: () => reportOf(cursors, misses),
    assertConsumed() {
      const left = cursors.filter(({ script, at }) => at < script.entries.length)
      if (left.length > 0) throw unused(left)
    },
    close: () => closing.abort(),
  }
}

function refuseStart(startAt: number, primary: ReplayScript | undefined): void {
  const count = primary?.entries.length ?? 0
  if (Number.isSafeInteger(startAt) && startAt >= 0 && startAt <= count) return
  throw new ReplayError('bad-config', `startAt is ${startAt}, but the script has ${count} calls`)
}

function matchCall(
  { script, at, matched }: Cursor,
  messages: readonly unknown[],
  options: CompareOptions,
): Match {
  // A script that was replaced may throw and be asked again, so its calls are
  // those of the log in order only: the next one, or the same once more.
  const places = script.isAligned ? [at] : [matched + 1, matched]
  let first: Difference | undefined
  for (const index of places) {
    const call = script.recorded[index]
    if (call === undefined) continue
    const difference = compareRequest(script, call, messages, options)
    if (difference === null) return { index, call }
    first ??= difference
  }
  return first === undefined ? { index: matched, call: null } : { difference: first }
}

/** The report's form of an error. */
export function missOf({ code, message, file, call }: ReplayError): Miss {
  return {
    code,
    message,
    ...(file === undefined ? {} : { file }),
    ...(call === undefined ? {} : { call }),
  }
}

function reportOf(cursors: readonly Cursor[], misses: readonly Miss[]): ReplayReport {
  const sessions = cursors.map(({ script, sessionId, start, at }): SessionReport => {
    const unusedCount = script.entries.length - at
    return { file: script.file, sessionId, served: at - start, unused: unusedCount }
  })
  const sum = (key: 'served' | 'unused'): number =>
    sessions.reduce((total, session) => total + session[key], 0)
  return { served: sum('served'), unused: sum('unused'), misses: [...misses], sessions }
}
