/**
 * Closing the turn that a crash left open.
 *
 * Follows the recovery rule of the DeepSeek Harness: existing events are
 * never changed; each tool call of the open step without a result gets one
 * that says what is known (`TOOL_NOT_STARTED` when no `tool/call` was
 * logged, `TOOL_OUTCOME_UNKNOWN` when one was), then come `step/end` and
 * `turn/end` with reason `interrupted`, so that the history is again one that
 * a provider accepts.
 *
 * Invariants: pure and deterministic (the closers carry the time of the last
 * real event); a log that ends between turns gets none; after the closers a
 * second pass finds nothing to close.
 */
import { asCoreEvent } from './event.ts'
import type { CoreEvent, SessionEvent } from './event.ts'

export const toolNotStarted = 'TOOL_NOT_STARTED'
export const toolOutcomeUnknown = 'TOOL_OUTCOME_UNKNOWN'

const notStartedText =
  'Not run: the session was interrupted before this tool call began. Call the tool again if its result is still needed.'
const outcomeUnknownText =
  'Interrupted: this tool call began, but the session ended before its result was written down. It may have taken effect in full, in part or not at all. Look at the state of the world before you call it again.'

/** What stands open at the end of a log. */
type OpenTurn = {
  turn: number
  step: number | null
  /** Calls the model asked for in the open step, in its order, with the seq of their `tool/call`. */
  calls: Map<string, number | null>
}

/** The events to append after `events`, numbered and timed; empty when no turn is open. */
export function deriveClosers(events: readonly SessionEvent[]): CoreEvent[] {
  const open = findOpenTurn(events)
  const last = events.at(-1)
  if (open === null || last === undefined) return []
  const { turn, step, calls } = open
  const closers: CoreEvent[] = []
  const next = (): { seq: number; time: number } => ({
    seq: last.seq + 1 + closers.length,
    time: last.time,
  })
  if (step !== null) {
    for (const [callId, callSeq] of calls) {
      const started = callSeq !== null
      closers.push({
        type: 'tool/result',
        ...next(),
        data: {
          turn,
          step,
          callId,
          content: [{ type: 'text', text: started ? outcomeUnknownText : notStartedText }],
          isError: true,
          error: started
            ? { name: 'ToolOutcomeUnknownError', code: toolOutcomeUnknown }
            : { name: 'ToolNotStartedError', code: toolNotStarted },
        },
        ...(started ? { sourceEventSeqs: [callSeq] } : {}),
        surfaceOp: 'append',
      })
    }
    closers.push({ type: 'step/end', ...next(), data: { turn, step } })
  }
  closers.push({ type: 'turn/end', ...next(), data: { turn, reason: { kind: 'interrupted' } } })
  return closers
}

function findOpenTurn(events: readonly SessionEvent[]): OpenTurn | null {
  let open: OpenTurn | null = null
  for (const event of events) {
    const core = asCoreEvent(event)
    if (core?.type === 'turn/start') {
      open = { turn: core.data.turn, step: null, calls: new Map() }
    } else if (core?.type === 'turn/end') {
      open = null
    } else if (open !== null && core !== undefined) {
      noteStep(open, core)
    }
  }
  return open
}

function noteStep(open: OpenTurn, event: CoreEvent): void {
  switch (event.type) {
    case 'step/start':
      open.step = event.data.step
      open.calls.clear()
      break
    case 'step/end':
      open.step = null
      open.calls.clear()
      break
    case 'assistant/message':
      for (const block of event.data.content) {
        if (block.type === 'tool-call') open.calls.set(block.id, null)
      }
      break
    case 'tool/call':
      open.calls.set(event.data.callId, event.seq)
      break
    case 'tool/result':
      open.calls.delete(event.data.callId)
      break
    default:
  }
}
