/** What every driver does: take the steps of a script to a process, one after the other. */
import type { Step, WaitFor } from '../scenario/step.ts'
import { isRecord, type Message, type TranscriptLine } from '../transcript/line.ts'
import type { Channel } from './channel.ts'
import { matchesPattern } from './match.ts'
import type { Problem, Waited } from './problem.ts'
import { waitForFile } from './wait-file.ts'

/** What a step came to. After a problem the script ends: later steps would only repeat it. */
export type StepOutcome = { problem: Problem | null; turnEnded: boolean }

export type Driver = {
  runStep(step: Step): Promise<StepOutcome>
  /** What was wrong beside the steps, once the script is through. */
  close(): Problem[]
}

/** What a driver works with. */
export type DriverOptions = {
  channel: Channel
  /** The run's working folder. */
  cwd: string
  /** How long the current step may still take, in milliseconds. */
  limitMs: () => number
}

export const passed: StepOutcome = { problem: null, turnEnded: false }

/** The outcome of a step that was nothing but one wait. */
export const outcomeOf = (waited: Waited<unknown>): StepOutcome =>
  'problem' in waited ? { problem: waited.problem, turnEnded: false } : passed

/**
 * Waits for what the step names, among the agent's messages from number `since`
 * of the transcript on, or for a file of the workspace.
 */
export async function waitFor(
  wait: WaitFor,
  since: number,
  { channel, cwd, limitMs }: DriverOptions,
  giveUp?: () => Problem | undefined,
): Promise<Waited<true>> {
  const waitMs = Math.min(wait.timeoutMs ?? Infinity, limitMs())
  const shared = { limitMs: waitMs, ...(giveUp !== undefined && { giveUp }) }
  if (wait.file !== undefined) return waitForFile(wait.file, cwd, channel, shared)
  const { what, matches } = describeWait(wait)
  const check = findMessage(channel, since, (message) => (matches(message) ? true : undefined))
  return channel.until({ what, check, ...shared })
}

/** A check for `until`: what `pick` makes of the first message of the agent that it takes. */
export function findMessage<T>(
  { transcript }: Channel,
  since: number,
  pick: (message: Message) => T | undefined,
): () => T | undefined {
  let next = since
  return () => {
    for (; next < transcript.length; next++) {
      const message = receivedMessage(transcript[next])
      const picked = message === null ? undefined : pick(message)
      if (picked !== undefined) return picked
    }
    return undefined
  }
}

function receivedMessage(line: TranscriptLine | undefined): Message | null {
  return line?.dir === '<' && 'm' in line ? line.m : null
}

/** The `update` of a `session/update`, or null. */
export function updateOf(message: Message): Message | null {
  if (message['method'] !== 'session/update' || !isRecord(message['params'])) return null
  const { update } = message['params']
  return isRecord(update) ? update : null
}

function describeWait({ update, message: pattern }: WaitFor): {
  what: string
  matches: (message: Message) => boolean
} {
  if (update === undefined) {
    return {
      what: `a message like ${JSON.stringify(pattern)}`,
      matches: (message) => matchesPattern(message, pattern),
    }
  }
  const wanted = typeof update === 'string' ? { sessionUpdate: update } : update
  return {
    what: `an update like ${JSON.stringify(wanted)}`,
    matches: (message) => matchesPattern(updateOf(message), wanted),
  }
}
