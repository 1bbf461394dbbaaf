/**
 * The snapshot: all of a progress as JSON, versioned.
 *
 * Format `runproof.progress` 1, described in the package's README. The evidence
 * is stored as it stands, not computed again; the seen events are stored as
 * the ledger keeps them and go through its own `add` when read back.
 */
import { ProgressError } from './error.ts'
import type { Outcome } from './envelope.ts'
import { codeOf, codes, kindOf } from './fact.ts'
import type { Fact } from './fact.ts'
import { isJsonObject } from './json.ts'
import { Ledger } from './ledger.ts'
import { checkOptions } from './options.ts'
import type { ProgressOptions } from './options.ts'
import { Reorder } from './reorder.ts'
import { isOutcome, isToolState, issueCodes } from './transition.ts'
import type { Evidence, IssueCode, ToolState } from './transition.ts'

const format = 'runproof.progress'
const version = 1

/**
 * An event as it is remembered. First its kind and that kind's one string, or
 * null and the canonical JSON of `[kind, data]`; then seq and id, left out
 * where they are what the producer gives the event of that place.
 */
export type SnapshotEvent =
  | [kind: string | null, piece: string]
  | [kind: string | null, piece: string, seq: number, id: string]

export type Snapshot = {
  format: typeof format
  version: typeof version
  options: ProgressOptions
  issues: IssueCode[]
  duplicates: number
  foreign: number
  lastSeq: number
  closed: boolean
  evidence: {
    tools: [call: string, state: ToolState][]
    waiting: boolean
    cancelRequested: boolean
    terminal: Outcome | null
    finalText: string | null
    verdict: boolean | null
  }
  seen: {
    forgotten: number
    regular: number
    /** Null while deltas still become text. */
    textSlots: number | null
    textDropped: number
    events: SnapshotEvent[]
  }
  held: SnapshotEvent[]
}

/** The parts a progress is made of. */
export type State = {
  issues: IssueCode[]
  duplicates: number
  foreign: number
  lastSeq: number
  closed: boolean
  evidence: Evidence
  ledger: Ledger
  reorder: Reorder | null
}

export function takeSnapshot(options: ProgressOptions, state: State): Snapshot {
  const { evidence, ledger, reorder } = state
  const { textSlots, ...start } = ledger.start()
  return {
    format,
    version,
    options,
    issues: [...state.issues],
    duplicates: state.duplicates,
    foreign: state.foreign,
    lastSeq: state.lastSeq,
    closed: state.closed,
    evidence: { ...evidence, tools: [...evidence.tools] },
    seen: {
      ...start,
      textSlots: Number.isFinite(textSlots) ? textSlots : null,
      events: Array.from(ledger.remembered(), ({ code, piece, seq, id }): SnapshotEvent =>
        id === null ? [kindOf(code), piece] : [kindOf(code), piece, seq, id],
      ),
    },
    held: (reorder?.held ?? []).map(({ code, piece, seq, id }) => [kindOf(code), piece, seq, id]),
  }
}

/** @throws ProgressError on anything that `takeSnapshot` of this version cannot have made. */
export function readSnapshot(value: unknown): { options: ProgressOptions; state: State } {
  check(isJsonObject(value) && value['format'] === format, `format must be ${format}`)
  if (value['version'] !== version) {
    throw new ProgressError(
      'snapshot-version',
      `snapshot: version ${String(value['version'])} is not ${version}; reduce the log again`,
    )
  }
  const options = readOptions(value['options'])
  const { issues, duplicates, foreign, lastSeq, closed, held } = value
  check(Array.isArray(issues) && issues.every(isIssueCode), 'issues must be issue codes')
  check(isCount(duplicates), 'duplicates must be a count')
  check(isCount(foreign), 'foreign must be a count')
  check(isCount(lastSeq), 'lastSeq must be a count')
  check(typeof closed === 'boolean', 'closed must be a boolean')
  check(Array.isArray(held), 'held must be an array')
  check(held.length <= (options.reorderEventsMax ?? 0), 'held must fit reorderEventsMax')
  const reorder =
    options.reorderEventsMax === undefined ? null : new Reorder(options.reorderEventsMax)
  for (const event of held) reorder?.hold(readEvent(event, null))
  const evidence = readEvidence(value['evidence'])
  const ledger = readLedger(value['seen'], options)
  return {
    options,
    state: { issues, duplicates, foreign, lastSeq, closed, evidence, ledger, reorder },
  }
}

function readOptions(value: unknown): ProgressOptions {
  check(isJsonObject(value), 'options must be an object')
  try {
    checkOptions(value)
    return value
  } catch (error) {
    throw invalid(String(error))
  }
}

function readEvidence(value: unknown): Evidence {
  check(isJsonObject(value), 'evidence must be an object')
  const { tools, waiting, cancelRequested, terminal, finalText, verdict } = value
  check(Array.isArray(tools) && tools.every(isTool), 'tools must be pairs of call and state')
  check(typeof waiting === 'boolean', 'waiting must be a boolean')
  check(typeof cancelRequested === 'boolean', 'cancelRequested must be a boolean')
  check(terminal === null || isOutcome(terminal), 'terminal must be an outcome or null')
  check(finalText === null || typeof finalText === 'string', 'finalText must be text or null')
  check(verdict === null || typeof verdict === 'boolean', 'verdict must be a boolean or null')
  check(terminal !== 'succeeded' || finalText !== null, 'a succeeded run must have a finalText')
  check(terminal === 'succeeded' || verdict === null, 'only a succeeded run has a verdict')
  return { tools: new Map(tools), waiting, cancelRequested, terminal, finalText, verdict }
}

function readLedger(value: unknown, { run, window }: ProgressOptions): Ledger {
  check(isJsonObject(value), 'seen must be an object')
  const { forgotten, regular, textSlots, textDropped, events } = value
  check(isCount(forgotten), 'forgotten must be a count')
  check(isCount(regular), 'regular must be a count')
  check(textSlots === null || isCount(textSlots), 'textSlots must be a count or null')
  check(isCount(textDropped), 'textDropped must be a count')
  check(Array.isArray(events), 'events must be an array')
  const start = {
    forgotten,
    regular,
    textSlots: textSlots ?? Number.POSITIVE_INFINITY,
    textDropped,
  }
  const ledger = new Ledger(run, window ?? null, start)
  for (const [index, event] of events.entries()) {
    const seq = forgotten + index + 1
    ledger.add(readEvent(event, { seq, id: `${run}:${seq}` }))
  }
  return ledger
}

/** @param regular the seq and id of an event that does not name its own. */
function readEvent(value: unknown, regular: { seq: number; id: string } | null): Fact {
  check(Array.isArray(value), 'an event must be an array')
  const [kind, piece, seq = regular?.seq, id = regular?.id] = value as unknown[]
  check(typeof piece === 'string', 'the second item of an event must be text')
  check(isCount(seq) && typeof id === 'string', 'an event must have a seq and an id')
  if (kind !== null) {
    check(typeof kind === 'string', 'the first item of an event must be a kind or null')
    const code = codeOf(kind)
    check(code !== codes.json, `${kind} must be stored as null and its JSON`)
    return { id, seq, kind, code, piece }
  }
  return { id, seq, kind: kindInJson(piece), code: codes.json, piece }
}

function kindInJson(piece: string): string {
  let pair: unknown = null
  try {
    pair = JSON.parse(piece)
  } catch {
    // Falls to the check: the text is no JSON.
  }
  const kind: unknown = Array.isArray(pair) ? pair[0] : null
  check(typeof kind === 'string', 'an event stored with null must be the JSON of [kind, data]')
  return kind
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isIssueCode(value: unknown): value is IssueCode {
  return issueCodes.some((code) => code === value)
}

function isTool(value: unknown): value is [string, ToolState] {
  return Array.isArray(value) && typeof value[0] === 'string' && isToolState(value[1])
}

function check(holds: boolean, rule: string): asserts holds {
  if (!holds) throw invalid(rule)
}

function invalid(rule: string): ProgressError {
  return new ProgressError('snapshot-invalid', `snapshot: ${rule}; pass one that snapshot() made`)
}
