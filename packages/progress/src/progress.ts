/**
 * The reducer: from envelopes of one run to what a screen may claim.
 *
 * Follows seed `000_…`, progress.py `feed`, in its order of checks: envelope,
 * run, JSON, identity, sequence, closed input, ended run, transition.
 * Invariants: an issue never goes away; the status is derived at each read and
 * stored nowhere; the end of the input is noted, never turned into an ending.
 * The options window, reorderEventsMax and ignoreKinds go beyond the seed and
 * change nothing while they are off.
 */
import type { Outcome } from './envelope.ts'
import { readShape } from './envelope.ts'
import { readFact } from './fact.ts'
import type { Fact } from './fact.ts'
import { Ledger } from './ledger.ts'
import { messageFor } from './message.ts'
import type { Lang, Status } from './message.ts'
import { checkOptions } from './options.ts'
import type { ProgressOptions } from './options.ts'
import { Reorder } from './reorder.ts'
import { readSnapshot, takeSnapshot } from './snapshot.ts'
import type { Snapshot, State } from './snapshot.ts'
import { applyFact, deriveStatus, noEvidence } from './transition.ts'
import type { IssueCode, ToolState } from './transition.ts'

export type Progress = {
  readonly run: string
  /** Takes the next event, whatever it is; bad input becomes an issue. Never throws. */
  feed(event: unknown): void
  /** The input is over. Signs nothing: a run without an end is `unknown` from here on. Idempotent. */
  end(): void
  readonly status: Status
  message(lang?: Lang): string
  /** Issue codes in the order they were first met; a copy. */
  readonly issues: IssueCode[]
  /** Events that came again, exactly as before. */
  readonly duplicates: number
  /** Well-formed envelopes of other runs, which change nothing else. */
  readonly foreign: number
  /** State of each call by its id; a copy without prototype, so that any id is safe. */
  readonly tools: Record<string, ToolState>
  /** All text deltas joined; with a window those of the remembered events. Built on each read. */
  readonly text: string
  /** How the run ended, as the owner signed it; null before. */
  readonly terminal: Outcome | null
  /** What the application's check said of the final text; null before. */
  readonly verdict: boolean | null
  readonly finalText: string | null
  /** The highest seq taken; 0 before the first. */
  readonly lastSeq: number
  /** Whether `end` was called. */
  readonly closed: boolean
  /** Null unless memory is bounded; then how much is no longer known. */
  readonly window: WindowReport | null
  /** All of the state as JSON, for `restoreProgress`. */
  snapshot(): Snapshot
}

/**
 * `events`: how many of the newest events are remembered. `forgotten`: how many
 * are not any more. `textDropped`: UTF-16 units of text that went with them.
 */
export type WindowReport = { events: number; forgotten: number; textDropped: number }

/** @throws TypeError on an empty run or an option out of range. */
export function createProgress(options: ProgressOptions): Progress {
  checkOptions(options)
  const { run, window, reorderEventsMax } = options
  return new RunProgress(options, {
    issues: [],
    duplicates: 0,
    foreign: 0,
    lastSeq: 0,
    closed: false,
    evidence: noEvidence(),
    ledger: new Ledger(run, window ?? null),
    reorder: reorderEventsMax === undefined ? null : new Reorder(reorderEventsMax),
  })
}

/**
 * Feeds all events to a new progress. Does not call `end()`: more may follow.
 * Call it when nothing does, or a cut log looks like one still running.
 * @throws TypeError on an empty run or an option out of range.
 */
export function reduceProgress(events: Iterable<unknown>, options: ProgressOptions): Progress {
  const progress = createProgress(options)
  for (const event of events) progress.feed(event)
  return progress
}

/**
 * A progress that goes on exactly where `snapshot()` was taken, options included.
 * @throws ProgressError `snapshot-version` on a version this release cannot
 *   read, `snapshot-invalid` on anything that is no snapshot.
 */
export function restoreProgress(snapshot: unknown): Progress {
  const { options, state } = readSnapshot(snapshot)
  return new RunProgress(options, state)
}

const noKinds: ReadonlySet<string> = new Set()

class RunProgress implements Progress {
  readonly run: string
  readonly #options: ProgressOptions
  readonly #ignored: ReadonlySet<string>
  readonly #state: State

  constructor(options: ProgressOptions, state: State) {
    this.run = options.run
    this.#options = options
    this.#ignored = options.ignoreKinds === undefined ? noKinds : new Set(options.ignoreKinds)
    this.#state = state
  }

  feed(event: unknown): void {
    const state = this.#state
    const shape = readShape(event)
    if (shape === null) return this.#raise('bad_envelope')
    if (shape.run !== this.run) {
      state.foreign++
      return
    }
    const fact = readFact(shape)
    if (fact === null) return this.#raise('not_json')
    const { ledger, reorder } = state
    let seen = ledger.find(fact)
    if (seen === 'new' && reorder !== null) seen = reorder.find(fact)
    if (seen === 'same') {
      state.duplicates++
      return
    }
    if (seen === 'different') return this.#raise('id_conflict')
    if (reorder === null || state.closed) return this.#admit(fact)
    reorder.hold(fact)
    for (;;) {
      const next = reorder.takeNext(state.lastSeq + 1)
      if (next === undefined) return
      this.#admit(next)
    }
  }

  end(): void {
    const { ledger, reorder } = this.#state
    for (let next = reorder?.takeLowest(); next !== undefined; next = reorder?.takeLowest()) {
      this.#admit(next)
    }
    this.#state.closed = true
    ledger.endText()
  }

  /** An event that is not a repetition, in its turn or beyond hope of it. */
  #admit(fact: Fact): void {
    const state = this.#state
    const { evidence, ledger } = state
    if (fact.seq <= state.lastSeq && ledger.forgotten > 0) {
      // It may be a repetition of a forgotten event: applying it could double text.
      return this.#raise('sequence_gap_or_reorder')
    }
    ledger.add(fact)
    if (fact.seq !== state.lastSeq + 1) this.#raise('sequence_gap_or_reorder')
    state.lastSeq = Math.max(state.lastSeq, fact.seq)
    if (state.closed) return this.#raise('event_after_transport_close')
    if (evidence.terminal !== null && fact.kind !== 'app.checked') {
      return this.#raise('event_after_terminal')
    }
    const issue = applyFact(evidence, fact, this.#ignored)
    if (issue !== null) this.#raise(issue)
    if (evidence.terminal !== null) ledger.endText()
  }

  #raise(issue: IssueCode): void {
    if (!this.#state.issues.includes(issue)) this.#state.issues.push(issue)
  }

  get status(): Status {
    const { issues, evidence, closed, reorder } = this.#state
    if (issues.length > 0) return 'unknown'
    // What is held comes after an event that is missing: two more than an ended run can take.
    if (evidence.terminal !== null && reorder !== null && reorder.held.length > 0) return 'unknown'
    return deriveStatus(evidence, closed)
  }

  message(lang: Lang = 'en'): string {
    return messageFor(this.status, lang)
  }

  get issues(): IssueCode[] {
    return [...this.#state.issues]
  }

  get duplicates(): number {
    return this.#state.duplicates
  }

  get foreign(): number {
    return this.#state.foreign
  }

  get tools(): Record<string, ToolState> {
    const tools: Record<string, ToolState> = Object.create(null)
    for (const [call, state] of this.#state.evidence.tools) tools[call] = state
    return tools
  }

  get text(): string {
    return this.#state.ledger.text
  }

  get terminal(): Outcome | null {
    return this.#state.evidence.terminal
  }

  get verdict(): boolean | null {
    return this.#state.evidence.verdict
  }

  get finalText(): string | null {
    return this.#state.evidence.finalText
  }

  get lastSeq(): number {
    return this.#state.lastSeq
  }

  get closed(): boolean {
    return this.#state.closed
  }

  get window(): WindowReport | null {
    const { window: events } = this.#options
    if (events === undefined) return null
    const { forgotten, textDropped } = this.#state.ledger
    return { events, forgotten, textDropped }
  }

  snapshot(): Snapshot {
    return takeSnapshot(this.#options, this.#state)
  }
}
