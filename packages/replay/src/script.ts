/**
 * Session log → the model calls it records.
 *
 * Follows the replay rule of the DeepSeek Harness: `assistant/chunk` events
 * are grouped by (turn, step) and split at each `finish`, so that a call that
 * was tried again in its step is two calls. A step without chunks is a call
 * that failed before its first one.
 *
 * A call without `finish` cannot be served from the log: it may have thrown,
 * hung or been cut off by its caller, and the log does not tell which. That is
 * an issue unless an override says what happened (`override.ts`).
 */
import { checkChunks } from '@runproof/llm/contract'
import type { StreamChunk } from '@runproof/llm/contract'
import { asCoreEvent } from '@runproof/session-log'
import type { SessionEvent } from '@runproof/session-log'
import type { ReplayEntry } from './entry.ts'

/** One model call as the log holds it. */
export type RecordedCall = {
  turn: number
  step: number
  chunks: StreamChunk[]
  /** The log holds its `finish`. */
  isFinished: boolean
  /** The request was derived from the events before this number. */
  eventCount: number
}

/** A call the log holds no `finish` of; `at` is its place in the script. */
export type PartialCall = { at: number; turn: number; step: number; chunks: StreamChunk[] }

export type ScriptIssue = {
  code: 'unfinished-call' | 'bad-chunk'
  /** Number of the call in the script, from 0. */
  at: number
  turn: number
  step: number
  message: string
}

export type DerivedScript = {
  /** One a call, in order; the entry of a partial call has the chunks there are. */
  entries: ReplayEntry[]
  /** Why the entries must not be served as they are; empty when they may. */
  issues: ScriptIssue[]
  partial: PartialCall[]
}

export type DeriveOptions = {
  /** Number of leading events to skip: those a forked session took over (`seedLength`). */
  from?: number
}

/** Derives the script of a session. Pure; defects come as issues. */
export function deriveReplayScript(
  events: readonly SessionEvent[],
  options: DeriveOptions = {},
): DerivedScript {
  return scriptOf(deriveCalls(events, options))
}

export function scriptOf(calls: readonly RecordedCall[]): DerivedScript {
  const issues: ScriptIssue[] = []
  const partial: PartialCall[] = []
  for (const [at, { turn, step, chunks, isFinished }] of calls.entries()) {
    const bad = checkChunks(chunks).find(({ code }) => code === 'not-a-chunk')
    const where = `call ${at + 1} (turn ${turn}, step ${step})`
    if (bad !== undefined) {
      const message = `${where}: chunk ${bad.position}: ${bad.message}`
      issues.push({ code: 'bad-chunk', at, turn, step, message })
    }
    if (!isFinished) {
      partial.push({ at, turn, step, chunks })
      const got = chunks.length === 0 ? 'no chunk' : `${chunks.length} chunks but no finish`
      const message = `${where} has ${got}: the log does not tell whether it threw, hung or was cut off; say it in replay.override.json`
      issues.push({ code: 'unfinished-call', at, turn, step, message })
    }
  }
  return { entries: calls.map(({ chunks }) => ({ kind: 'chunks', chunks })), issues, partial }
}

/** The calls of a session in order. */
export function deriveCalls(
  events: readonly SessionEvent[],
  { from = 0 }: DeriveOptions = {},
): RecordedCall[] {
  const calls: RecordedCall[] = []
  /** The call that the next chunk of this step belongs to. */
  let current: RecordedCall | null = null
  for (const event of events.slice(from)) {
    const core = asCoreEvent(event)
    if (core?.type === 'step/start') {
      current = beginCall(core.data, event.seq + 1)
      calls.push(current)
    } else if (core?.type === 'assistant/chunk') {
      const { turn, step, chunk } = core.data
      if (!continues(current, core.data)) {
        current = beginCall({ turn, step }, event.seq)
        calls.push(current)
      }
      if (current.chunks.length === 0) current.eventCount = event.seq
      current.chunks.push(chunk)
      current.isFinished = chunk.type === 'finish'
    } else if (core?.type === 'step/end' || core?.type === 'turn/end') {
      if (current?.chunks.length === 0) current.eventCount = event.seq
      current = null
    }
  }
  return calls
}

function beginCall(place: { turn: number; step: number }, eventCount: number): RecordedCall {
  return { turn: place.turn, step: place.step, chunks: [], isFinished: false, eventCount }
}

/** False for the first chunk of a new call: another step, after a finish, or a block that starts again. */
function continues(
  call: RecordedCall | null,
  next: { turn: number; step: number; chunk: StreamChunk },
): call is RecordedCall {
  if (call === null || call.isFinished) return false
  if (call.turn !== next.turn || call.step !== next.step) return false
  const { chunk } = next
  if (chunk.type !== 'block-start') return true
  return !call.chunks.some(({ type, ...rest }) => {
    return type === 'block-start' && 'index' in rest && rest.index === chunk.index
  })
}
