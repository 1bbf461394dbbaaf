/**
 * The rules for transcripts, R1–R13, as one table. Normative text with the
 * reasons: docs/formats/check.md.
 *
 * A rule looks at one moment at a time and says what is wrong with it; it also
 * says which evidence it needs before a file without a violation counts as held.
 */
import { agentMethods, clientMethods, outcomeOf, valueAt, type Peer } from '@runproof/progress/acp'
import type { Fault } from '../audit.ts'
import type { Call } from './call.ts'
import type { Evidence, Moment } from './moment.ts'
import type { Prompt } from './session.ts'

/** A prompt may take this long before its answer counts as slow. */
const answerMsMax = 30 * 60 * 1000

export type AcpRule = {
  id: string
  /** What a file without a violation must hold to count as held; null when it does. */
  missing: (evidence: Evidence) => string | null
  judge?: (moment: Moment, evidence: Evidence) => Fault | null
}

const error = (message: string): Fault => ({ severity: 'error', message })
const warning = (message: string): Fault => ({ severity: 'warning', message })

const bothSides = ({ client, agent }: Evidence): string | null => {
  if (client && agent) return null
  return `the file holds the ${client ? "client's" : "agent's"} side only`
}
/** Both sides, up to an answer to all that this side asked. */
const allAnswered =
  (from: Peer) =>
  (evidence: Evidence): string | null =>
    bothSides(evidence) ??
    (evidence.abandoned.has(from) ? 'the client left before all was answered' : null)
const someTurnEnds = (evidence: Evidence): string | null =>
  evidence.ends > 0 ? null : 'no turn ends in this file'
const anything = (): null => null
const outOfReach = (): string => 'needs more than a transcript'

export const acpRules: readonly AcpRule[] = [
  { id: 'R1', missing: allAnswered('client'), judge: judgeAnswers },
  { id: 'R2', missing: someTurnEnds, judge: judgeTurn },
  { id: 'R3', missing: anything, judge: judgeCallUpdate },
  { id: 'R4', missing: someTurnEnds, judge: judgeOpenCalls },
  { id: 'R5', missing: anything, judge: judgePermission },
  { id: 'R6', missing: bothSides, judge: judgeCancel },
  {
    id: 'R7',
    missing: ({ agent }) => (agent ? null : "the file holds the client's side only"),
    judge: (moment) =>
      moment.kind === 'unreadable' ? error(`not one JSON-RPC message: ${moment.why}`) : null,
  },
  {
    id: 'R8',
    missing: (evidence) =>
      bothSides(evidence) ??
      (evidence.newSessions > 0 ? null : 'no session is created in this file'),
    judge: (moment, { client }) =>
      moment.kind === 'update' && client && !moment.session.isKnown
        ? error(
            moment.sessionId === null
              ? 'the update names no session'
              : `session ${moment.sessionId} is updated before the client can know it`,
          )
        : null,
  },
  { id: 'R9', missing: outOfReach },
  { id: 'R10', missing: outOfReach },
  { id: 'R11', missing: outOfReach },
  { id: 'R12', missing: allAnswered('agent'), judge: judgeMethod },
  {
    id: 'R13',
    // An attempt is seen by a fence; that there was one no transcript says.
    missing: outOfReach,
    judge: (moment) =>
      moment.kind === 'egress' && !moment.isAllowed
        ? error(`the agent tried to reach ${moment.place}`)
        : null,
  },
]

function judgeAnswers(moment: Moment): Fault | null {
  if (moment.kind === 'answered') {
    const { prompt, timeMs } = moment
    if (timeMs === null || prompt.timeMs === null || timeMs - prompt.timeMs <= answerMsMax) {
      return null
    }
    return warning(`${nameOf(prompt)} is answered only after ${duration(timeMs - prompt.timeMs)}`)
  }
  if (moment.kind === 'second-answer') {
    return error(
      moment.firstLine === null
        ? 'a prompt that is not in this file is answered'
        : `the prompt was already answered at line ${moment.firstLine}`,
    )
  }
  if (moment.kind !== 'unanswered' || moment.prompt === null) return null
  const { lastUpdate, calls } = moment.prompt
  const open = [...calls].filter(({ status }) => isOpen(status)).map(({ id }) => id)
  const last =
    lastUpdate === null
      ? 'no update came'
      : `the last update is ${lastUpdate.event} at line ${lastUpdate.line}`
  const state = open.length === 0 ? 'no call is open' : `still open: ${open.join(', ')}`
  const { left, prompt } = moment
  if (left === null) return error(`the prompt is never answered: ${last}, ${state}`)
  return warning(
    `the prompt had no answer when the client left at line ${left.line}${later(prompt, left)}: ${last}, ${state}`,
  )
}

function judgeTurn(moment: Moment, evidence: Evidence): Fault | null {
  if (moment.kind === 'unclosed' && moment.afterLine !== null) {
    const { updates } = moment.prompt
    return error(
      `${updates} update${updates === 1 ? '' : 's'} of a turn from here on, after the last turn's end at line ${moment.afterLine}, and no end follows`,
    )
  }
  if (moment.kind !== 'update' || !evidence.client) return null
  const { session, isOfTurn, prompt, timeMs } = moment
  if (!isOfTurn || prompt !== null) return null
  const { last, replay } = session
  if (replay?.method === 'session/load') return null
  if (replay !== null) return error('history is replayed, which session/resume must not do')
  if (last === null) return error('an update of a turn before any prompt')
  return error(
    `an update of a turn after its response at line ${last.line}${later(last, { timeMs })}`,
  )
}

function judgeCallUpdate(moment: Moment): Fault | null {
  if (moment.kind !== 'update' || moment.call === null) return null
  const { id, before, announces } = moment.call
  return announces || before !== null
    ? null
    : error(`call ${id} is updated but no tool_call announced it`)
}

function judgeOpenCalls(moment: Moment): Fault | null {
  if (moment.kind !== 'answered' || outcomeOf(moment.answer) !== 'succeeded') return null
  const calls = [...moment.prompt.calls].filter(
    ({ hasComeToBe, questionLines }) => hasComeToBe || questionLines.size > 0,
  )
  const open = calls.filter(({ status, isBackground }) => isOpen(status) && !isBackground)
  if (open.length > 0) {
    const list = open.map(({ id, status }) => `${id} ${status}`).join(', ')
    return error(`the turn ends with open calls: ${list}`)
  }
  const launched = calls.filter(({ isBackground }) => isBackground).map(({ id }) => id)
  return launched.length === 0
    ? null
    : warning(
        `the turn ends while ${launched.join(', ')} may go on in the background; nothing in the file shows an end`,
      )
}

function judgePermission(moment: Moment): Fault | null {
  if (moment.kind === 'update') {
    const { id = '', before = null, status = null } = moment.call ?? {}
    const [questionLine] = before?.questionLines ?? []
    if (questionLine === undefined) {
      return before !== null && status === 'completed' ? judgeRefused(before) : null
    }
    if (status !== 'in_progress' && status !== 'completed') return null
    return error(
      `call ${id} is ${status} while its permission request at line ${questionLine} has no answer`,
    )
  }
  if (moment.kind !== 'permission') return null
  const { callId, call } = moment
  if (callId === null) return error('the permission request names no call')
  if (call === null || !call.isAnnounced) {
    return error(`permission is asked for call ${callId}, which no tool_call announced`)
  }
  return call.status === 'pending'
    ? null
    : error(`permission is asked for call ${callId}, which is ${call.status}, not pending`)
}

/**
 * A warning: agents differ in what they call a refused call, and a question may
 * be a choice of which one is spelled as a no.
 */
function judgeRefused({ id, status, refusedLine, isAllowed }: Call): Fault | null {
  if (refusedLine === null || isAllowed || status === 'completed') return null
  return warning(
    `call ${id} is completed though its permission was refused at line ${refusedLine}: it ran all the same, or was not done`,
  )
}

function judgeCancel(moment: Moment, { client }: Evidence): Fault | null {
  if (moment.kind !== 'answered' || !client) return null
  const { prompt, answer } = moment
  const isCancelled = outcomeOf(answer) === 'cancelled'
  if (prompt.cancelLine === null) {
    return isCancelled ? warning('the turn ends cancelled, but nobody cancelled it') : null
  }
  if (isCancelled) return null
  const stopReason = answer.kind === 'response' ? valueAt(answer.result, 'stopReason') : undefined
  const end = typeof stopReason === 'string' ? stopReason : 'an error'
  return error(`the turn was cancelled at line ${prompt.cancelLine} but ends with ${end}`)
}

function judgeMethod(moment: Moment, { client }: Evidence): Fault | null {
  if (moment.kind === 'unanswered' && moment.from === 'agent' && client) {
    return moment.left === null
      ? error("the agent's request is never answered")
      : warning(
          `the agent's request had no answer when the client left at line ${moment.left.line}`,
        )
  }
  if (moment.kind !== 'method') return null
  const { from, method } = moment
  if (method.startsWith('_') || method.startsWith('$/')) return null
  const known = from === 'agent' ? agentMethods : clientMethods
  return known.has(method)
    ? null
    : error(`the ${from} calls what the protocol has not; such methods begin with _`)
}

const isOpen = (status: string): boolean => status === 'pending' || status === 'in_progress'

const nameOf = ({ id, line }: Prompt): string =>
  id === null ? `the turn from line ${line}` : `prompt ${id} of line ${line}`

type Timed = { timeMs: number | null }

/** How much later the second one is, to go on with; nothing where that is not known. */
const later = ({ timeMs: from }: Timed, { timeMs: to }: Timed): string =>
  from === null || to === null ? '' : `, ${duration(to - from)} later`

const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
