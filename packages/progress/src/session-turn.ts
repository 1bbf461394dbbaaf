/**
 * One turn of an agent's session, told as the runs of one task: what the
 * adapters `acp` and `session` share.
 *
 * Follows the contracts, "Runs and tasks" and "From ACP to runs". Run n of a
 * task is `<task>/<n>`. An answered approval ends a run `paused`; the next one
 * begins with every call still open, with a cancel that was asked for and with
 * an approval that still waits, so that no fact is lost between two runs.
 * Invariants: every run begins with an envelope at once, an empty `text.delta`
 * when there is nothing to take over, so that a prompt without any sign of life
 * is a run too; the final text is what the text deltas after the last tool
 * event say; a contradiction is emitted as it came and left to the reducer.
 */
import type { Envelope, Kind, Outcome, Payloads } from './envelope.ts'
import type { JsonObject } from './json.ts'
import { createProducer } from './producer.ts'
import type { ToolState } from './transition.ts'

/** Longest final text kept, in UTF-16 units. A longer one cannot be signed as a success. */
const finalTextUnitsMax = 64 * 1024 * 1024

export type SessionTurn = {
  /** Whether the turn knows this call, open or settled. */
  knows(call: string): boolean
  text(text: string): void
  /** What was said so far led to a call, as before every tool event: it is no part of the final text. */
  endText(): void
  /**
   * Takes a call to a state, by the events that lead there. The same or an
   * earlier state of an open call says nothing; leaving a settled state is a
   * contradiction, which the reducer refuses.
   */
  call(call: string, state: ToolState): void
  /** A person must decide; `approval` names the question. */
  wait(approval: string): void
  /** The question was answered: this run ends paused and the next begins. Unknown questions say nothing. */
  answer(approval: string): void
  cancel(): void
  /** Signs the end. `finalText` replaces the text deltas as the candidate of a success. */
  end(outcome: Outcome, finalText?: string): void
  /** Any further envelope, also after the end. */
  emit<K extends string>(kind: K, data: K extends Kind ? Payloads[K] : JsonObject): void
}

const settledBy = { returned: 'tool.finished', failed: 'tool.failed' } as const

/** Begins the task with its first run; envelopes go to `out` in order. */
export function createSessionTurn(task: string, out: (envelope: Envelope) => void): SessionTurn {
  const calls = new Map<string, ToolState>()
  const waiting = new Set<string>()
  let runNumber = 0
  let producer = createProducer(`${task}/1`)
  let isCancelling = false
  let finalText: string[] = []
  let finalTextUnits = 0

  const emit: SessionTurn['emit'] = (kind, data) => out(producer.emit(kind, data))
  const endText = (): void => {
    finalText = []
    finalTextUnits = 0
  }
  const emitTool = (
    kind: `tool.${'requested' | 'started' | 'finished' | 'failed'}`,
    call: string,
  ) => {
    endText()
    emit(kind, { call_id: call })
  }

  const beginRun = (): void => {
    runNumber++
    producer = createProducer(`${task}/${runNumber}`)
    for (const [call, state] of calls) {
      if (state === 'returned' || state === 'failed') continue
      emitTool('tool.requested', call)
      if (state === 'running') emitTool('tool.started', call)
    }
    if (isCancelling) emit('cancel.requested', {})
    if (waiting.size > 0) emit('approval.wait', {})
    if (producer.seq === 0) emit('text.delta', { text: '' })
  }
  beginRun()

  return {
    knows: (call) => calls.has(call),
    text(text) {
      finalTextUnits += text.length
      if (finalTextUnits > finalTextUnitsMax) finalText = []
      else finalText.push(text)
      emit('text.delta', { text })
    },
    endText,
    call(call, state) {
      const before = calls.get(call)
      if (before === state) return
      if (before === 'running' && state === 'requested') return
      const isSettled = before === 'returned' || before === 'failed'
      if (before === undefined || (isSettled && state === 'requested')) {
        emitTool('tool.requested', call)
      }
      if (state === 'running') emitTool('tool.started', call)
      else if (state !== 'requested') emitTool(settledBy[state], call)
      if (!isSettled) calls.set(call, state)
    },
    wait(approval) {
      waiting.add(approval)
      emit('approval.wait', {})
    },
    answer(approval) {
      if (!waiting.delete(approval)) return
      emit('run.ended', { outcome: 'paused', final_text: null })
      beginRun()
    },
    cancel() {
      isCancelling = true
      emit('cancel.requested', {})
    },
    end(outcome, candidate) {
      waiting.clear()
      const text = finalTextUnits > finalTextUnitsMax ? null : (candidate ?? finalText.join(''))
      emit('run.ended', { outcome, final_text: outcome === 'succeeded' ? text : null })
    },
    emit,
  }
}
