/**
 * Faults by exchange: the provider fails where a test wants it to.
 */
import { LlmError, wires } from '@runproof/llm'
import type { WireName } from '@runproof/llm'
import { ReplayError } from '../error.ts'
import { encodeFrame } from '../recording/frame.ts'
import type { Exchange, RecordedEvent } from '../recording/recording.ts'
import { answerOf, recordedEvent, silentAnswer } from './answer.ts'
import { answerError } from './error-answer.ts'
import type { Answer } from './answer.ts'

/** An exchange by its number; `recording` counts the emulator's recordings from 0, default 0. */
export type ExchangeRef = { n: number; recording?: number }

export type Fault = {
  exchange: number | ExchangeRef
  /** How many requests for the exchange meet the fault; those after it get what was recorded. Default 1. */
  times?: number
} & FaultKind

type FaultKind =
  /** Answers with an HTTP error as the provider would write it. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; message?: string }
  /** After this many events, an error inside the stream as the provider would write it. */
  | { kind: 'throw'; after: number; code?: string; message?: string }
  /** After this many events, silence until the client leaves. Without a number not even a head comes. */
  | { kind: 'hang'; after?: number }
  /** After this many events and bytes of the next, the connection closes. Without a number, before the head. */
  | { kind: 'cut'; after?: number; bytes?: number }

/** @throws ReplayError `bad-config` for a fault that the exchange or its wire cannot have. */
export function faultedAnswer(fault: Fault, exchange: Exchange, wire: WireName): Answer {
  if (fault.kind === 'status') {
    const { status, headers, message = `injected fault: HTTP ${status}` } = fault
    return answerError(wire, { status, headers, message })
  }
  const { after } = fault
  const end = fault.kind === 'hang' ? 'hang' : 'cut'
  if (after === undefined) return silentAnswer(end)
  const { body, events } = exchange
  if (body !== null) throw badFault(exchange, 'it has a body and no events to be after')
  if (!Number.isSafeInteger(after) || after < 0 || after > events.length) {
    throw badFault(exchange, `after is ${after}, but it has ${events.length} events`)
  }
  const begun = { ...exchange, events: events.slice(0, after), end: { kind: 'eof' as const } }
  if (fault.kind === 'throw') {
    return answerOf({ ...begun, events: [...begun.events, errorEvent(fault, exchange, wire)] })
  }
  const answer = { ...answerOf(begun), end } as const
  if (fault.kind === 'hang' || fault.bytes === undefined) return answer
  const next = events[after]
  const frame = next && encodeFrame(next, exchange.response?.lineEnd)
  if (frame === undefined || fault.bytes > frame.length) {
    throw badFault(
      exchange,
      `bytes is ${fault.bytes}, but event ${after + 1} has ${frame?.length ?? 0}`,
    )
  }
  const piece = { bytes: frame.subarray(0, fault.bytes), eventCount: after + 1, dtMs: 0 }
  return { ...answer, chunks: [...answer.chunks, piece] }
}

/** The error as the wire writes it after what it has sent. */
function errorEvent(
  { after, code = 'SERVER', message = 'injected fault' }: Extract<Fault, { kind: 'throw' }>,
  exchange: Exchange,
  wire: WireName,
): RecordedEvent {
  const refuse = (): never => {
    throw badFault(exchange, `${wire} has no error inside a stream for ${code}`)
  }
  try {
    const events = wires[wire].encode([
      { type: 'finish', reason: { kind: 'error', message, code } },
    ])
    const last = events.at(-1)
    const [chunk] = last === undefined ? [] : wires[wire].createDecoder().push(last)
    // Some codes are no error that a provider words, but a stream that breaks off.
    if (last === undefined || chunk?.type !== 'finish') return refuse()
    // Events of a wire that numbers them keep their order.
    const data = last.data.replace(/"sequence_number":\d+/, `"sequence_number":${after}`)
    return recordedEvent({ ...last, data })
  } catch (error) {
    if (LlmError.is(error)) return refuse()
    throw error
  }
}

function badFault({ n }: Exchange, message: string): ReplayError {
  return new ReplayError('bad-config', `the fault of exchange ${n} cannot be: ${message}`, {
    call: n,
  })
}
