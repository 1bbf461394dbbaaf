/**
 * What each kind of event does to a run, and when it contradicts what is known.
 *
 * Follows seed `000_…`, progress.py `apply`, and its derived `status`. An event
 * that is not allowed changes nothing and gives its issue code. `waiting` is
 * never taken back: a run does not return from it, it ends.
 */
import { digestOf } from './acceptance.ts'
import { isKind } from './envelope.ts'
import type { Outcome } from './envelope.ts'
import { codes } from './fact.ts'
import type { Fact } from './fact.ts'
import { hasExactKeys, isJsonObject } from './json.ts'
import type { Status } from './message.ts'

export const issueCodes = [
  'bad_envelope',
  'not_json',
  'id_conflict',
  'sequence_gap_or_reorder',
  'event_after_transport_close',
  'event_after_terminal',
  'bad_payload_or_transition',
  'unknown_event',
] as const

/** Why a log cannot be trusted; once found it stays. */
export type IssueCode = (typeof issueCodes)[number]

const toolStates = ['requested', 'running', 'returned', 'failed'] as const

/** `requested` and `running` are open; `returned` and `failed` are settled. */
export type ToolState = (typeof toolStates)[number]

/** What the events of one run have established. */
export type Evidence = {
  readonly tools: Map<string, ToolState>
  waiting: boolean
  cancelRequested: boolean
  terminal: Outcome | null
  finalText: string | null
  verdict: boolean | null
}

export function noEvidence(): Evidence {
  return {
    tools: new Map(),
    waiting: false,
    cancelRequested: false,
    terminal: null,
    finalText: null,
    verdict: null,
  }
}

export function isToolState(value: unknown): value is ToolState {
  return toolStates.some((state) => state === value)
}

export function isOpen(state: ToolState): boolean {
  return state === 'requested' || state === 'running'
}

/** The claim that issue-free evidence supports; `closed` when the input has ended. */
export function deriveStatus(evidence: Evidence, closed: boolean): Status {
  switch (evidence.terminal) {
    case 'cancelled':
    case 'failed':
    case 'incomplete':
      return evidence.terminal
    case 'paused':
      return 'waiting'
    case 'succeeded':
      if (evidence.verdict === null) return 'checking'
      return evidence.verdict ? 'done' : 'rejected'
    default:
      if (evidence.waiting) return 'waiting'
      if (closed) return 'unknown'
      return evidence.cancelRequested ? 'cancelling' : 'running'
  }
}

const outcomes: ReadonlySet<unknown> = new Set<Outcome>([
  'succeeded',
  'paused',
  'cancelled',
  'failed',
  'incomplete',
])

/** From which states a tool event leads on; a result may come without a start. */
const toolSteps: {
  readonly [code: number]: { from: readonly (ToolState | undefined)[]; to: ToolState }
} = {
  [codes.toolRequested]: { from: [undefined], to: 'requested' },
  [codes.toolStarted]: { from: ['requested'], to: 'running' },
  [codes.toolFinished]: { from: ['requested', 'running'], to: 'returned' },
  [codes.toolFailed]: { from: ['requested', 'running'], to: 'failed' },
}

/**
 * Applies one event to `evidence`. Text deltas change nothing here: their text
 * is the ledger's.
 * @param ignored kinds outside the protocol that may pass without an issue.
 */
export function applyFact(
  evidence: Evidence,
  fact: Fact,
  ignored: ReadonlySet<string>,
): IssueCode | null {
  if (fact.code !== codes.json) {
    return applyString(evidence, fact) ? null : 'bad_payload_or_transition'
  }
  switch (fact.kind) {
    case 'approval.wait':
    case 'cancel.requested':
    case 'run.ended':
    case 'app.checked': {
      const data = parseData(fact.piece)
      return data !== null && applyObject(evidence, fact.kind, data)
        ? null
        : 'bad_payload_or_transition'
    }
    default:
      // A kind of one string that is no string fact has a malformed payload.
      if (isKind(fact.kind)) return 'bad_payload_or_transition'
      return ignored.has(fact.kind) ? null : 'unknown_event'
  }
}

/** The well-formed payload of a kind that carries one string. */
function applyString(evidence: Evidence, { code, piece }: Fact): boolean {
  if (code === codes.textDelta) return true
  if (piece === '') return false
  const step = toolSteps[code]
  if (step === undefined) return true
  if (!step.from.includes(evidence.tools.get(piece))) return false
  evidence.tools.set(piece, step.to)
  return true
}

type ObjectKind = 'approval.wait' | 'cancel.requested' | 'run.ended' | 'app.checked'

function applyObject(evidence: Evidence, kind: ObjectKind, data: Record<string, unknown>): boolean {
  switch (kind) {
    case 'approval.wait':
      if (!hasExactKeys(data, [])) return false
      evidence.waiting = true
      return true
    case 'cancel.requested':
      if (!hasExactKeys(data, [])) return false
      evidence.cancelRequested = true
      return true
    case 'run.ended':
      return endRun(evidence, data)
    default:
      return checkResult(evidence, data)
  }
}

function endRun(evidence: Evidence, data: Record<string, unknown>): boolean {
  if (!hasExactKeys(data, ['outcome', 'final_text'])) return false
  const { outcome, final_text: finalText } = data
  if (!isOutcome(outcome)) return false
  if (finalText !== null && (typeof finalText !== 'string' || !finalText.isWellFormed())) {
    return false
  }
  if (outcome === 'succeeded') {
    if (evidence.waiting || evidence.cancelRequested || finalText === null) return false
    for (const state of evidence.tools.values()) if (isOpen(state)) return false
  }
  evidence.terminal = outcome
  evidence.finalText = finalText
  return true
}

function checkResult(evidence: Evidence, data: Record<string, unknown>): boolean {
  if (!hasExactKeys(data, ['digest', 'ok'])) return false
  const { terminal, finalText, verdict } = evidence
  if (terminal !== 'succeeded' || finalText === null || verdict !== null) return false
  if (typeof data['ok'] !== 'boolean' || data['digest'] !== digestOf(finalText)) return false
  evidence.verdict = data['ok']
  return true
}

export function isOutcome(value: unknown): value is Outcome {
  return outcomes.has(value)
}

/** The `data` in the canonical JSON of `[kind, data]`. */
function parseData(piece: string): Record<string, unknown> | null {
  try {
    const pair: unknown = JSON.parse(piece)
    const data: unknown = Array.isArray(pair) ? pair[1] : null
    return isJsonObject(data) ? data : null
  } catch {
    // An engine whose parser gives up on deep nesting: no payload that is right is deep.
    return null
  }
}
