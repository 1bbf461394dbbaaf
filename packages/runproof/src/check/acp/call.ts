/** What a transcript has said of a tool call, of its questions and their answers. */
import { isBackgroundCall, isRefusal, valueAt, type AcpAnswer } from '@runproof/progress/acp'

export type CallStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

export type Call = {
  id: string
  status: CallStatus
  /** False while only a permission request has named the call. */
  isAnnounced: boolean
  /** False while nothing but questions has named it that wait, or were answered no. */
  hasComeToBe: boolean
  isBackground: boolean
  /** Lines of the permission requests that wait for their answers. */
  questionLines: Set<number>
  /** Where a question was answered no. */
  refusedLine: number | null
  /** Whether any question was answered otherwise. */
  isAllowed: boolean
}

const statuses: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed', 'failed'])

export function createCall(id: string): Call {
  return {
    id,
    status: 'pending',
    isAnnounced: false,
    hasComeToBe: false,
    isBackground: false,
    questionLines: new Set(),
    refusedLine: null,
    isAllowed: false,
  }
}

/** The status that an update or a question gives; null when it gives none. */
export function statusOf(update: unknown): CallStatus | null {
  const status = valueAt(update, 'status')
  return isStatus(status) ? status : null
}

const isStatus = (value: unknown): value is CallStatus => statuses.has(value)

/** Takes in what an update or a question says of a call. */
export function learnCall(call: Call, update: unknown): void {
  call.status = statusOf(update) ?? call.status
  if (isBackgroundCall(update)) call.isBackground = true
}

/** @param line of the question; null where its answer is not to be seen. */
export function askAbout(call: Call, line: number | null): void {
  if (line !== null) call.questionLines.add(line)
  // Of the agent's side alone nobody knows when the question was answered, and how.
  if (line === null || call.status !== 'pending') call.hasComeToBe = true
}

/** A question about a call: where it was asked, and the options it gave. */
export type Question = { line: number; call: Call; options: unknown }

/** @param line of the answer. */
export function takeAnswer(
  { line: asked, call, options }: Question,
  answer: AcpAnswer,
  line: number,
): void {
  call.questionLines.delete(asked)
  if (isRefusal(options, answer)) {
    call.refusedLine = line
    return
  }
  call.hasComeToBe = true
  call.isAllowed = true
}
