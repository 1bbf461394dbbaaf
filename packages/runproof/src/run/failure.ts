/**
 * What can be wrong with a scenario, as data: the reporters and the texts for
 * people are made from it, and the exit code knows nothing but whether it is
 * empty.
 */
import type { Difference } from '../compare/difference.ts'

export type FailureCode =
  /** A file of the scenario is missing, left over or not as it must be; nothing was run. */
  | 'guard'
  /** `input.json` says nothing usable, or a file that the run needs is not there. */
  | 'bad-scenario'
  /** It could not be run: the machine lacks what it needs. */
  | 'environment'
  /** A step's time was over: the agent hangs. */
  | 'step-timeout'
  /** The agent exited before the script was through. */
  | 'agent-exited'
  /** A line of stdout is not one JSON-RPC object (or, for `jsonl`, one JSON object). */
  | 'stdout-not-json'
  /** The agent wrote so much on stdout that it was not all looked at. */
  | 'stdout-flood'
  /** The agent answered with an error where the script expects a result. */
  | 'unexpected-error'
  /** The agent answered with a result where the script expects an error. */
  | 'expected-error'
  /** The agent answered with a result that the script cannot go on with. */
  | 'unexpected-result'
  /** The turn ended before the moment came at which to cancel it. */
  | 'nothing-to-cancel'
  /** The answer in turn is of a kind that the agent did not offer. */
  | 'permission-not-offered'
  /** Answers that no request asked for. */
  | 'permission-unused'
  /** The agent asked its model something else than was recorded. */
  | 'replay-miss'
  /** The agent asked for more than was recorded. */
  | 'replay-exhausted'
  /** Recorded calls that the agent did not make. */
  | 'replay-unused'
  /** Model calls were made, and nobody says that they were answered from the recording. */
  | 'replay-unreported'
  /** The agent tried to reach something outside. */
  | 'egress'
  /** The agent did not leave in time after stdin ended, or with an error. */
  | 'bad-exit'
  /** Processes of the agent outlived it. */
  | 'left-processes'
  /** An output differs from its golden. */
  | 'difference'
  /** There is no golden yet. */
  | 'missing-golden'
  /** A condition of acceptance could not be judged. */
  | 'not-judged'
  /** A prompt did not end in the claim that the scenario expects: the last one by `expect`, any with `accept`. */
  | 'claim'
  /** The agent's own log tells another story than its transcript. */
  | 'log-disagrees'
  /** A rule about transcripts or logs is broken. */
  | 'rule'
  /** What was recorded is not whole, or may not be written. */
  | 'recording'
  /** While recording: the real provider refused, broke off or fell silent. */
  | 'provider'

/** A step of the script, as people count: from 1. */
export type StepReference = { number: number; op: string }

export type Failure = {
  code: FailureCode
  /** Where in the script, null when it is about the whole. */
  step: StepReference | null
  /** One sentence: what was expected, what happened. */
  message: string
  /** Lines that help: the nearest line, what to do. */
  details: string[]
  /** The agent's last lines on stderr belong to the story. */
  showsStderr?: true
  /** For `replay-unused`: numbers of the exchanges of a recording. */
  unusedExchanges?: number[]
  /** For `difference` and `missing-golden`. */
  difference?: Difference
}
