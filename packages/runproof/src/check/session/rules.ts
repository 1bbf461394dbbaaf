/**
 * The rules for session logs of format 0, S1–S6. Normative text:
 * docs/formats/check.md. S1 and S2's numbering are judged by the reader of
 * `@runproof/session-log`; what stands here looks at sound events, in order.
 *
 * Memory grows with the calls of one turn and the chunks of one step.
 */
import { assembleMessage, checkChunks, type Block, type StreamChunk } from '@runproof/llm/contract'
import { asCoreEvent, type CoreEvent, type SessionEvent } from '@runproof/session-log'
import { isDeepStrictEqual } from 'node:util'
import type { Fault } from '../audit.ts'

/** Tells a fault of the event that is being read. */
type Tell = (rule: SessionRule, fault: Fault) => void

export const sessionRules = ['S1', 'S2', 'S3', 'S4', 'S5', 'S6'] as const
export type SessionRule = (typeof sessionRules)[number]

type CallState = 'asked' | 'called' | 'settled'

/** Where the log is: the open turn and step, and what they hold. */
export type LogState = {
  turn: number | null
  step: number | null
  lastTurn: number | null
  lastStep: number
  calls: Map<string, CallState>
  approvals: Set<string>
  chunks: Map<number, StreamChunk>
  /** Whether the chunks of the step have been judged as those of a message. */
  hasMessage: boolean
  /** Whether a message could be compared with its chunks. */
  comparedMessages: number
}

export function createLogState(): LogState {
  return {
    turn: null,
    step: null,
    lastTurn: null,
    lastStep: 0,
    calls: new Map(),
    approvals: new Set(),
    chunks: new Map(),
    hasMessage: false,
    comparedMessages: 0,
  }
}

const error = (message: string): Fault => ({ severity: 'error', message })

/** Judges the next event and takes it into the state. */
export function judgeEvent(state: LogState, event: SessionEvent, tell: Tell): void {
  judgeCitations(event, tell)
  const core = asCoreEvent(event)
  if (core === undefined) return
  judgePlace(state, core, tell)
  switch (core.type) {
    case 'turn/start':
      return startTurn(state, core.data.turn)
    case 'turn/end':
      return endTurn(state, core.data.reason.kind, tell)
    case 'step/start':
      state.step = core.data.step
      state.lastStep = core.data.step
      state.chunks.clear()
      state.hasMessage = false
      return
    case 'step/end':
      judgeBrokenOff(state, tell)
      state.step = null
      return
    case 'assistant/chunk':
      state.chunks.set(core.seq, core.data.chunk)
      return
    case 'assistant/message':
      judgeMessage(state, core, tell)
      for (const block of core.data.content) {
        if (block.type === 'tool-call') state.calls.set(block.id, 'asked')
      }
      return
    case 'tool/call':
      return judgeCall(state, core.data.callId, tell)
    case 'tool/result':
      return judgeResult(state, core.data.callId, tell)
    case 'approval/asked':
      state.approvals.add(core.data.id)
      return
    case 'approval/decided':
      if (!state.approvals.delete(core.data.id)) {
        tell('S6', error(`approval ${core.data.id} is decided but was not asked for`))
      }
  }
}

function judgeCitations({ seq, sourceEventSeqs = [] }: SessionEvent, tell: Tell): void {
  const ahead = sourceEventSeqs.filter((source) => source >= seq)
  if (ahead.length > 0) {
    tell('S2', error(`event ${seq} cites ${ahead.join(', ')}, which does not stand before it`))
  }
}

/** S3: turns and steps follow each other, and what names a turn or step lies in it. */
function judgePlace(state: LogState, { type, data }: CoreEvent, tell: Tell): void {
  if (!('turn' in data)) return
  const place = 'step' in data ? `turn ${data.turn}, step ${data.step}` : `turn ${data.turn}`
  const wrong = (why: string): void => tell('S3', error(`${place}: ${why}`))
  if (type === 'turn/start') {
    if (state.turn !== null) wrong(`begins while turn ${state.turn} is open`)
    else if (state.lastTurn !== null && data.turn !== state.lastTurn + 1) {
      wrong(`follows turn ${state.lastTurn}`)
    }
  } else if (data.turn !== state.turn) {
    wrong(state.turn === null ? 'no turn is open' : `turn ${state.turn} is open`)
  } else if (type === 'step/start') {
    if (state.step !== null) wrong(`begins while step ${state.step} is open`)
    else if ('step' in data && data.step !== state.lastStep + 1) {
      wrong(`follows step ${state.lastStep}`)
    }
  } else if (type === 'turn/end') {
    if (state.step !== null) wrong(`ends while step ${state.step} is open`)
  } else if ('step' in data && data.step !== state.step) {
    wrong(state.step === null ? 'no step is open' : `step ${state.step} is open`)
  }
}

function startTurn(state: LogState, turn: number): void {
  state.turn = turn
  state.lastTurn = turn
  state.step = null
  state.lastStep = 0
  state.calls.clear()
  state.approvals.clear()
}

function endTurn(state: LogState, reason: string, tell: Tell): void {
  const open = [...state.calls].filter(([, call]) => call !== 'settled').map(([id]) => id)
  if (reason === 'completed' && open.length > 0) {
    tell('S4', error(`the turn is completed, but has no result of ${open.join(', ')}`))
  }
  if (state.approvals.size > 0) {
    tell('S6', error(`the turn ends, approval ${[...state.approvals].join(', ')} is undecided`))
  }
  state.turn = null
  state.step = null
}

function judgeCall({ calls }: LogState, id: string, tell: Tell): void {
  const call = calls.get(id)
  if (call === undefined) tell('S4', error(`the model did not ask for call ${id}`))
  else if (call !== 'asked') tell('S4', error(`call ${id} is called twice`))
  calls.set(id, 'called')
}

/** A call that was asked for and never started has a result too: it says so to the model. */
function judgeResult({ calls }: LogState, id: string, tell: Tell): void {
  const call = calls.get(id)
  if (call === undefined) tell('S4', error(`a result of call ${id}, which nobody called`))
  else if (call === 'settled') tell('S4', error(`a second result of call ${id}`))
  calls.set(id, 'settled')
}

/** S5: a message says what the chunks it cites said, which are a whole stream. */
function judgeMessage(
  state: LogState,
  { data, sourceEventSeqs }: CoreEvent<'assistant/message'>,
  tell: Tell,
): void {
  const cited = sourceEventSeqs ?? [...state.chunks.keys()]
  const chunks = cited.flatMap((seq) => state.chunks.get(seq) ?? [])
  if (chunks.length === 0 || data.interrupted === true) return
  state.comparedMessages++
  state.hasMessage = true
  const [fault] = checkChunks(chunks)
  if (fault !== undefined) tell('S5', error(`the message's stream: ${fault.message}`))
  else if (!isDeepStrictEqual(saidBy(assembleMessage(chunks).content), saidBy(data.content))) {
    tell('S5', error('the message differs from what its chunks say'))
  }
}

/** S5: of a stream that broke off, and of attempts that were given up, at least each chunk is one. */
function judgeBrokenOff({ chunks, hasMessage }: LogState, tell: Tell): void {
  if (hasMessage) return
  const fault = checkChunks(chunks.values()).find(
    ({ code }) => code === 'not-a-chunk' || code === 'block-not-started',
  )
  if (fault !== undefined) tell('S5', error(`the stream of the step: ${fault.message}`))
}

/** What the blocks say; fields of other programs are not part of it. */
function saidBy(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) =>
    block.type === 'tool-call'
      ? [block.type, block.id, block.name, block.arguments]
      : [block.type, block.text],
  )
}
