/**
 * A question of the agent to a person, and what its answer says of the call it
 * is about.
 *
 * Follows ACP protocol version 1. Some agents ask for permission before they
 * announce the call, and never announce one that was refused (Gemini CLI 0.61).
 * Such a call is told when the question is answered, unless the answer is no:
 * then nothing runs and nothing is left open. A question that is still open when
 * the agent ends its turn leaves its call open too, so that nobody calls it done,
 * and so does one that says itself that the call is past waiting.
 */
import { textAt, valueAt } from '../adapter.ts'
import type { AcpAnswer } from './line.ts'
import { tellCall } from './prompt.ts'
import type { Prompt } from './prompt.ts'
import { isBackgroundCall, toolStateOf } from './update.ts'

const refusals: ReadonlySet<unknown> = new Set(['reject_once', 'reject_always'])

export type Question = {
  readonly id: string
  readonly prompt: Prompt
  /** Id of the call it is about; null for a question about something else. */
  readonly call: string | null
  readonly options: unknown
}

/** Asks; `params` are those of the agent's request. */
export function ask(prompt: Prompt, id: string, params: unknown): Question {
  const { turn, asked, background } = prompt
  const toolCall = valueAt(params, 'toolCall')
  const call = textAt(toolCall, 'toolCallId')
  const state = toolStateOf(toolCall)
  const isReadable = call !== null && state !== undefined
  if (toolCall !== undefined) {
    if (!isReadable || turn.knows(call)) tellCall(prompt, toolCall, 'update')
    else if ((state ?? 'requested') !== 'requested') tellCall(prompt, toolCall, 'announcement')
    else {
      turn.endText()
      asked.add(call)
      if (isBackgroundCall(toolCall)) background.add(call)
    }
  }
  turn.wait(id)
  return { id, prompt, call, options: valueAt(params, 'options') }
}

/** Takes the answer; null when it is inferred from what the agent did next. */
export function takeAnswer(
  { id, prompt, call, options }: Question,
  answer: AcpAnswer | null,
): void {
  const { turn, asked, refused } = prompt
  if (call !== null && !turn.knows(call)) {
    const isAsked = asked.delete(call)
    // An agent that ended its turn before did not wait for the no.
    const isTooLate = prompt.answer !== null
    if (answer === null || isTooLate || !isRefusal(options, answer)) {
      // Whatever another question about it was answered.
      refused.delete(call)
      turn.call(call, 'requested')
    } else if (isAsked) refused.add(call)
  }
  turn.answer(id)
}

/** Whether the answer to a request for permission is no. An answer that cannot be read is none. */
export function isRefusal(options: unknown, answer: AcpAnswer): boolean {
  if (answer.kind === 'error') return false
  const outcome = valueAt(answer.result, 'outcome', 'outcome')
  if (outcome === 'cancelled') return true
  const optionId = textAt(answer.result, 'outcome', 'optionId')
  if (outcome !== 'selected' || optionId === null || !Array.isArray(options)) return false
  const chosen = options.filter((option) => textAt(option, 'optionId') === optionId)
  // Of two options with one id nobody knows which was meant.
  return chosen.length > 0 && chosen.every((option) => refusals.has(valueAt(option, 'kind')))
}
