/**
 * `@runproof/progress/session`: envelopes from an agent's session log, format 0
 * (docs/formats/session-log.md): the header line, then its events.
 *
 * One turn is one task, `<run>-1`, `<run>-2` …; its runs are those of
 * `session-turn.ts`. A turn ends by its `turn/end` alone. The final text is the
 * text of the committed messages after the last tool event, which a retried
 * model call cannot double. A hole in the log's own numbering, a line that is
 * no event and a type that a reader of format 0 must not skip make the turn
 * they fall in `unknown`. Events copied from a parent session are left out.
 * No `app.checked` comes from here.
 */
import { textAt, valueAt } from './adapter.ts'
import type { Adapter } from './adapter.ts'
import type { Envelope, Outcome } from './envelope.ts'
import { createSessionTurn } from './session-turn.ts'
import type { SessionTurn } from './session-turn.ts'

export type SessionOptions = {
  /** Prefix of the task names. */
  readonly run: string
}

export type SessionObservation = {
  /** The process that wrote the log is confirmed dead: its open turn failed. */
  readonly runtimeFailed?: boolean
}

const outcomes: ReadonlyMap<unknown, Outcome> = new Map([
  ['completed', 'succeeded'],
  ['max-tokens', 'incomplete'],
  ['interrupted', 'incomplete'],
  ['aborted', 'cancelled'],
  ['disposed', 'cancelled'],
  ['rejected', 'cancelled'],
  ['blocked', 'cancelled'],
  ['error', 'failed'],
] as const)

/** The outcome of a turn by the kind of its end; null for a kind that format 0 has not. */
export function turnOutcome(reason: unknown): Outcome | null {
  return outcomes.get(valueAt(reason, 'kind')) ?? null
}

/** Event types, whole or by their part before the slash, that claim nothing about a turn. */
const silentTypes: ReadonlySet<string> = new Set([
  'agent',
  'agent-preset',
  'approval/policy',
  'bash',
  'command',
  'compaction',
  'context',
  'feedback',
  'goal',
  'hook',
  'llm',
  'permission',
  'plan',
  'prompt',
  'request',
  'sandbox',
  'schedule',
  'session',
  'steering',
  'step',
  'subagent',
  'team',
  'todo',
  'tool-workflow',
  'tool/code-dispatch',
  'tool/code-dispatch-start',
  'user',
  'web',
])

/**
 * `push` takes one parsed line. `finish` tells what is known when the log is
 * over; an open turn stays without an end unless its writer is dead.
 * @throws TypeError on an empty run.
 */
export function createAdapter(options: SessionOptions): Adapter<SessionObservation> {
  const { run } = options
  if (typeof run !== 'string' || run === '') {
    throw new TypeError('session adapter: run must be a non-empty string')
  }
  return new SessionAdapter(run)
}

class SessionAdapter implements Adapter<SessionObservation> {
  readonly #run: string
  #envelopes: Envelope[] = []
  #turn: SessionTurn | null = null
  #turnCount = 0
  #seqNext = 0
  /** Events before this one were copied from a parent. */
  #ownFrom = 0
  #isForeignVersion = false
  /** Something is missing that no open turn could be told of. */
  #hasHole = false
  #committedText = ''
  /** Whether the text of the message to come was streamed. */
  #isStreamed = false

  constructor(run: string) {
    this.#run = run
  }

  push(event: unknown): Envelope[] {
    const type = textAt(event, 'type')
    if (type === 'session') this.#readHeader(event)
    else {
      this.#readSeq(valueAt(event, 'seq'))
      if (type === null) this.#reportHole('adapter.unreadable_line')
      else if (this.#seqNext > this.#ownFrom) this.#readEvent(type, event)
    }
    return this.#take()
  }

  finish({ runtimeFailed = false }: SessionObservation = {}): Envelope[] {
    if (runtimeFailed) {
      this.#turn?.end('failed')
      this.#turn = null
    }
    return this.#take()
  }

  #take(): Envelope[] {
    const envelopes = this.#envelopes
    this.#envelopes = []
    return envelopes
  }

  #readHeader(header: unknown): void {
    const seedLength = valueAt(header, 'seedLength')
    this.#seqNext = 0
    this.#ownFrom = typeof seedLength === 'number' ? seedLength : 0
    this.#isForeignVersion = valueAt(header, 'version') !== 0
    this.#turn = null
  }

  /** Logs made for comparing may leave the numbers out; then there is nothing to check. */
  #readSeq(seq: unknown): void {
    if (seq !== undefined && seq !== this.#seqNext) this.#reportHole('adapter.sequence_gap')
    this.#seqNext = (typeof seq === 'number' ? seq : this.#seqNext) + 1
  }

  #reportHole(kind: string): void {
    if (this.#turn === null) this.#hasHole = true
    else this.#turn.emit(kind, {})
  }

  #begin(): SessionTurn {
    this.#turnCount++
    this.#committedText = ''
    this.#isStreamed = false
    const turn = createSessionTurn(`${this.#run}-${this.#turnCount}`, (envelope) =>
      this.#envelopes.push(envelope),
    )
    if (this.#isForeignVersion) turn.emit('adapter.unsupported_version', {})
    if (this.#hasHole) turn.emit('adapter.sequence_gap', {})
    this.#hasHole = false
    this.#turn = turn
    return turn
  }

  /** The open turn; one without its start is begun with a hole. */
  #current(): SessionTurn {
    if (this.#turn !== null) return this.#turn
    this.#hasHole = true
    return this.#begin()
  }

  #readEvent(type: string, event: unknown): void {
    const data = valueAt(event, 'data')
    switch (type) {
      case 'turn/start':
        if (this.#turn !== null) this.#hasHole = true
        this.#begin()
        return
      case 'turn/end':
        return this.#endTurn(turnOutcome(valueAt(data, 'reason')))
      case 'assistant/chunk':
        return this.#readChunk(valueAt(data, 'chunk'))
      case 'assistant/message':
        return this.#readMessage(data)
      case 'tool/call':
        return this.#readCall(data, 'requested')
      case 'tool/result':
        return this.#readCall(data, valueAt(data, 'isError') === false ? 'returned' : 'failed')
      case 'approval/asked':
      case 'approval/decided':
        return this.#readApproval(type, textAt(data, 'id'))
      default:
        if (silentTypes.has(type) || silentTypes.has(type.slice(0, type.indexOf('/')))) return
        if (valueAt(event, 'ignorable') !== true) {
          this.#turn?.emit('adapter.unsupported_event', { type })
        }
    }
  }

  #endTurn(outcome: Outcome | null): void {
    const turn = this.#current()
    if (outcome === null) turn.emit('adapter.unresolved_terminal', {})
    else turn.end(outcome, this.#committedText)
    this.#turn = null
  }

  #readChunk(chunk: unknown): void {
    const text = valueAt(chunk, 'text')
    if (valueAt(chunk, 'type') !== 'text-delta' || typeof text !== 'string') return
    this.#isStreamed = true
    this.#current().text(text)
  }

  #readMessage(data: unknown): void {
    const turn = this.#current()
    const [number, step] = [valueAt(data, 'turn'), valueAt(data, 'step')]
    if (valueAt(data, 'interrupted') !== true) {
      turn.emit('model.completed', { response_id: `${String(number)}.${String(step)}` })
    }
    const content = valueAt(data, 'content')
    for (const block of Array.isArray(content) ? content : []) {
      const [blockType, text] = [valueAt(block, 'type'), valueAt(block, 'text')]
      if (blockType === 'text' && typeof text === 'string') {
        this.#committedText += text
        if (!this.#isStreamed) turn.text(text)
      } else if (blockType === 'tool-call') {
        this.#readCall({ callId: valueAt(block, 'id') }, 'requested')
      }
    }
    this.#isStreamed = false
  }

  #readCall(data: unknown, state: 'requested' | 'returned' | 'failed'): void {
    const turn = this.#current()
    const call = textAt(data, 'callId')
    this.#committedText = ''
    if (call === null) turn.emit('adapter.unsupported_event', {})
    else if (state !== 'requested' && !turn.knows(call)) {
      turn.emit('adapter.unannounced_call', { call_id: call })
    } else turn.call(call, state)
  }

  #readApproval(type: 'approval/asked' | 'approval/decided', id: string | null): void {
    const turn = this.#current()
    if (id === null) turn.emit('adapter.unsupported_event', { type })
    else if (type === 'approval/asked') turn.wait(id)
    else turn.answer(id)
  }
}
