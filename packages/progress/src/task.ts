/**
 * A task: its runs in order and the one claim they support together.
 *
 * Follows the contracts, "Runs and tasks": a run never comes back from an
 * approval, so the task goes on in a new run. Runs are called `<task>/1`,
 * `<task>/2` … The claim is the last run's, if every earlier run ended `paused`
 * without an issue and the runs came in order. A call still open when a run
 * paused must come again in the next one (which begins with its
 * `tool.requested`); otherwise a tool would be lost between two runs that both
 * look settled.
 */
import { readShape } from './envelope.ts'
import { messageFor } from './message.ts'
import type { Lang, Status } from './message.ts'
import { createProgress } from './progress.ts'
import type { Progress } from './progress.ts'
import type { ProgressOptions } from './options.ts'
import { isOpen } from './transition.ts'

/**
 * `run_gap_or_reorder`: a run was missing when a later one began, or came after it.
 * `run_not_paused`: a later run began though an earlier one had not ended paused.
 * `run_issue`: a run has issues of its own.
 * `open_call_dropped`: a call open at a pause does not come again in the next run.
 */
export type TaskIssue = 'run_gap_or_reorder' | 'run_not_paused' | 'run_issue' | 'open_call_dropped'

/** The options of each run, without its name. */
export type TaskOptions = { readonly task: string } & Omit<ProgressOptions, 'run'>

export type Task = {
  readonly task: string
  /**
   * Takes the next envelope of any run of the task. The first envelope of the
   * next run ends the input of the one before. A malformed event is judged in
   * the current run, which it cannot be told from. Never throws.
   */
  feed(event: unknown): void
  /** The input is over, see `Progress.end`. Idempotent. */
  end(): void
  readonly status: Status
  message(lang?: Lang): string
  /** What makes the task `unknown`; derived from its runs at each read. */
  readonly issues: TaskIssue[]
  /** Well-formed envelopes of no run of this task. */
  readonly foreign: number
  /** All runs so far, in order; `<task>/1` is there from the beginning. */
  readonly runs: readonly Progress[]
  /** The last run: the one whose claim is the task's, and which a verdict is for. */
  readonly current: Progress
}

/** @throws TypeError on an empty task or an option out of range. */
export function createTask(options: TaskOptions): Task {
  const { task, ...runOptions } = options
  if (typeof task !== 'string' || task === '') {
    throw new TypeError('createTask: task must be a non-empty string')
  }
  const open = (number: number): Progress =>
    createProgress({ ...runOptions, run: `${task}/${number}` })
  let current = open(1)
  let number = 1
  const runs = [current]
  let foreign = 0
  let isDisordered = false

  function feed(event: unknown): void {
    const shape = readShape(event)
    if (shape === null) return current.feed(event)
    const next = runNumber(shape.run, task)
    if (next === null) {
      foreign++
      return
    }
    if (next > number) {
      if (next > number + 1) isDisordered = true
      current.end()
      current = open(next)
      number = next
      runs.push(current)
    }
    const run = next === number ? current : runs.find((other) => other.run === shape.run)
    if (run === undefined) isDisordered = true
    else run.feed(event)
  }

  function issues(): TaskIssue[] {
    const earlier = runs.slice(0, -1)
    const found: [TaskIssue, boolean][] = [
      ['run_gap_or_reorder', isDisordered],
      ['run_not_paused', earlier.some((run) => run.terminal !== 'paused')],
      ['run_issue', runs.some((run) => run.issues.length > 0)],
      ['open_call_dropped', earlier.some((run, index) => dropsCall(run, runs[index + 1]))],
    ]
    return found.filter(([, holds]) => holds).map(([issue]) => issue)
  }

  const status = (): Status => (issues().length > 0 ? 'unknown' : current.status)
  return {
    task,
    feed,
    end: () => current.end(),
    get status() {
      return status()
    },
    message: (lang = 'en') => messageFor(status(), lang),
    get issues() {
      return issues()
    },
    get foreign() {
      return foreign
    },
    get runs() {
      return [...runs]
    },
    get current() {
      return current
    },
  }
}

/** n of a run called `<task>/<n>` in plain decimal, n ≥ 1; null for any other run. */
function runNumber(run: string, task: string): number | null {
  if (!run.startsWith(`${task}/`)) return null
  const digits = run.slice(task.length + 1)
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null
}

/** Whether `next` has settled or paused without taking up a call that `run` left open. */
function dropsCall(run: Progress, next: Progress | undefined): boolean {
  if (next?.terminal !== 'succeeded' && next?.terminal !== 'paused') return false
  const { tools } = next
  return Object.entries(run.tools).some(([call, state]) => isOpen(state) && !(call in tools))
}
