/**
 * One turn: the user's message, steps until the model has nothing more to do,
 * and the end. Each step is one model request and the tools it asked for.
 *
 * Order of events: turn/start, a changed permission mode, user/message; per
 * step step/start, a changed request/header, the answer's chunks, the
 * assistant message, tool calls and results, step/end; turn/end. Whatever
 * happens, an opened step and the turn are closed in the log, and the log is
 * on the disk when this returns.
 */
import type { Block, FinishReason } from '@runproof/llm'
import type { EventDraft, SessionEvent, TurnEndReason } from '@runproof/session-log'
import { asCoreEvent, deriveClosers } from '@runproof/session-log'
import { findMode, type Session } from '../session.ts'
import { createHeader, findHeaderReason, type RequestHeader } from './header.ts'
import { ModelFailure, requestModel } from './model-step.ts'
import type { LoopParts, Turn } from './parts.ts'
import { runTools } from './tool-step.ts'

/** Codes of a `turn/end` error that are no failure of a provider. */
export const endCodes = {
  refusal: 'REFUSAL',
  'content-filter': 'CONTENT_FILTER',
  steps: 'MAX_STEPS',
} as const

/**
 * Runs a turn to its end and returns why it ended.
 * @throws what the log throws when it cannot be written; then the turn stays
 * open in it until the next one, which closes it first, as loading does
 */
export async function runTurn(
  parts: LoopParts,
  open: Omit<Turn, 'turn'>,
  prompt: { type: 'text'; text: string }[],
): Promise<TurnEndReason> {
  const { session } = open
  const turn: Turn = { ...open, turn: lastTurn(session.events) + 1 }
  const source = { kind: 'user' }
  await session.append([
    ...deriveClosers(session.events),
    { type: 'turn/start', data: { turn: turn.turn, trigger: { kind: 'message', source } } },
    ...describeMode(session, parts.permissions.initial),
    { type: 'user/message', data: { content: prompt, source }, surfaceOp: 'append' },
  ])
  const reason = await runSteps(parts, turn)
  await session.append([{ type: 'turn/end', data: { turn: turn.turn, reason } }])
  await session.checkpoint()
  return reason
}

async function runSteps(parts: LoopParts, turn: Turn): Promise<TurnEndReason> {
  const { session } = turn
  const header = createHeader(parts.llm.model, systemFor(parts, session), parts.tools.list())
  for (let step = 1; step <= parts.stepsMax; step++) {
    const end = await runStep(parts, turn, step, header)
    if (end !== null) return end
  }
  return {
    kind: 'error',
    step: parts.stepsMax,
    message: `stopped after ${parts.stepsMax} model requests in one turn`,
    code: endCodes.steps,
  }
}

/** Null when the model is to be asked again. */
async function runStep(
  parts: LoopParts,
  turn: Turn,
  step: number,
  header: RequestHeader,
): Promise<TurnEndReason | null> {
  const { session } = turn
  const place = { turn: turn.turn, step }
  const headerReason = findHeaderReason(session.events, header)
  await session.append([
    { type: 'step/start', data: place },
    ...(headerReason === null
      ? []
      : [{ type: 'request/header' as const, data: { header, reason: headerReason } }]),
  ])
  const end = await takeStep(parts, turn, step, header)
  await session.append([{ type: 'step/end', data: place }])
  return end
}

async function takeStep(
  parts: LoopParts,
  turn: Turn,
  step: number,
  header: RequestHeader,
): Promise<TurnEndReason | null> {
  try {
    const answer = await requestModel(parts, turn, step, header)
    if (answer === null) return abortReason(turn)
    const { content, finish } = answer
    if (content.some(isCall)) {
      await runTools(parts, turn, step, content)
      return turn.signal.aborted ? abortReason(turn) : null
    }
    return endOf(finish, step)
  } catch (error) {
    // Anything else is a defect of this program or of the disk: it escapes.
    if (!(error instanceof ModelFailure)) throw error
    const { message, code } = error.failure
    return { kind: 'error', step, message, code }
  }
}

/** What a finished answer without tool calls means for the turn; null: ask again. */
function endOf(finish: FinishReason, step: number): TurnEndReason | null {
  switch (finish.kind) {
    case 'max-tokens':
      return { kind: 'max-tokens' }
    case 'refusal':
    case 'content-filter': {
      const message = finish.message ?? `the model's answer ended with ${finish.kind}`
      return { kind: 'error', step, message, code: endCodes[finish.kind] }
    }
    case 'pause':
      // The provider wants its own message back before it goes on.
      return null
    case 'stop':
      return { kind: 'completed' }
    default:
      // A script can end in any way: what is not understood is not a success.
      return {
        kind: 'error',
        step,
        message: `an answer without tool calls ended with "${finish.kind}"`,
        code: 'MALFORMED_RESPONSE',
      }
  }
}

function abortReason({ signal }: Turn): TurnEndReason {
  return signal.reason === 'disposed'
    ? { kind: 'disposed' }
    : { kind: 'aborted', reason: 'session/cancel' }
}

function describeMode({ mode, events }: Session, initial: Session['mode']): EventDraft[] {
  const logged = findMode(events) ?? initial
  return mode === logged ? [] : [{ type: 'permission/preset', data: { preset: mode } }]
}

/** The workspace is said to the model; dates and other changing facts are not. */
function systemFor({ system }: LoopParts, { cwd }: Session): string {
  return `${system.trim()}\n\nThe workspace folder is ${cwd}.`
}

function lastTurn(events: readonly SessionEvent[]): number {
  const last = events.findLast(({ type }) => type === 'turn/start')
  const start = last && asCoreEvent(last)
  return start?.type === 'turn/start' ? start.data.turn : 0
}

function isCall(block: Block): boolean {
  return block.type === 'tool-call'
}
