/**
 * `@runproof/progress/acp`: envelopes from an Agent Client Protocol transcript
 * alone, both directions when they are there, else the agent's side only.
 *
 * Follows ACP protocol version 1 and the contracts, "From ACP to runs". One
 * prompt is one task, `<run>-1`, `<run>-2` … in the order of the prompts of all
 * sessions; its runs are those of `session-turn.ts`. What a transcript can
 * never show is a verdict: no `app.checked` comes from here.
 *
 * From the agent's side alone a prompt is inferred: its turn begins with the
 * first update of a turn and ends with a response that has a `stopReason`, or,
 * with just one turn open, with an error. The answer to a permission request is
 * inferred from progress of its call. Where two readings are possible the turn
 * stays without an end, which no reader takes for a success.
 */
import { textAt, valueAt } from './adapter.ts'
import type { Adapter } from './adapter.ts'
import { readAcpLine } from './acp/line.ts'
import type { AcpAnswer, AcpMessage } from './acp/line.ts'
import { outcomeOf } from './acp/outcome.ts'
import { createPrompt, hasHeardOf, tellUpdate } from './acp/prompt.ts'
import type { Prompt } from './acp/prompt.ts'
import { ask, takeAnswer } from './acp/question.ts'
import type { Question } from './acp/question.ts'
import { housekeepingUpdates, toolStateOf } from './acp/update.ts'
import type { Envelope, Outcome } from './envelope.ts'
import { createSessionTurn } from './session-turn.ts'

export { textAt, valueAt } from './adapter.ts'
export { agentMethods, clientMethods, quote, readAcpLine } from './acp/line.ts'
export type { AcpAnswer, AcpLine, AcpMessage, Peer } from './acp/line.ts'
export { outcomeOf, requestCancelled } from './acp/outcome.ts'
export { isRefusal } from './acp/question.ts'
export { housekeepingUpdates, isBackgroundCall, turnUpdates } from './acp/update.ts'

/**
 * Milliseconds of the transcript's own clock that updates may follow the answer
 * and still belong to its turn. Agents that answer before their last updates
 * were seen to be 10 ms late; banners and new work come 300 ms and more after.
 */
export const drainMsDefault = 250

export type AcpOptions = {
  /** Prefix of the task names. */
  readonly run: string
  /**
   * How long the end of a turn waits for late updates. Needs lines with a time
   * and a visible prompt request; otherwise, and with 0, the answer signs at once.
   */
  readonly drainMs?: number
  /** Update kinds that are allowed outside a turn and claim nothing; default `housekeepingUpdates`. */
  readonly housekeeping?: readonly string[]
}

export type AcpObservation = {
  /** The agent is confirmed dead: its open turns failed. */
  readonly runtimeFailed?: boolean
}

/**
 * `push` takes one line: Transcript v1, `{t_ms, dir, msg}`, or a bare JSON-RPC
 * message. `finish` signs the ends that still wait for late updates; the
 * transcript may go on after it.
 * @throws TypeError on an empty run or a drain that is no time.
 */
export function createAdapter(options: AcpOptions): Adapter<AcpObservation> {
  const { run, drainMs = drainMsDefault } = options
  if (typeof run !== 'string' || run === '') {
    throw new TypeError('acp adapter: run must be a non-empty string')
  }
  if (!(drainMs >= 0)) throw new TypeError('acp adapter: drainMs must be 0 or more')
  return new AcpAdapter(options, drainMs)
}

/**
 * `load`: the request in flight whose updates are history; never while a turn is
 * open. `mayReplay`: the same, inferred from the agent's side alone.
 */
type Session = { open: Prompt[]; last: Prompt | null; load: string | null; mayReplay: boolean }

/** A request of the client that the agent has not answered. */
type Asked = { session: Session; prompt: Prompt | null } | null

class AcpAdapter implements Adapter<AcpObservation> {
  readonly #run: string
  readonly #drainMs: number
  readonly #housekeeping: ReadonlySet<string>
  readonly #sessions = new Map<string, Session>()
  readonly #asked = new Map<string, Asked>()
  /** Questions of the agent to a person, by the id of their request. */
  readonly #questions = new Map<string, Question>()
  readonly #draining = new Map<Prompt, Session>()
  #promptCount = 0
  #seesClient = false
  #envelopes: Envelope[] = []

  constructor({ run, housekeeping = housekeepingUpdates }: AcpOptions, drainMs: number) {
    this.#run = run
    this.#drainMs = drainMs
    this.#housekeeping = new Set(housekeeping)
  }

  push(event: unknown): Envelope[] {
    const line = readAcpLine(event)
    const { timeMs } = line
    if (timeMs !== null) this.#drain((answeredMs) => timeMs > answeredMs + this.#drainMs)
    if (line.kind === 'unreadable') {
      // It may be what is left of a message that mattered.
      for (const { open } of this.#sessions.values()) {
        for (const { turn } of open) turn.emit('adapter.unreadable_line', {})
      }
    } else if (line.kind === 'message') {
      if (line.from === 'client') this.#hearClient(line.message)
      else this.#hearAgent(line.message, timeMs)
    }
    return this.#take()
  }

  finish({ runtimeFailed = false }: AcpObservation = {}): Envelope[] {
    this.#drain(() => true)
    if (runtimeFailed) {
      for (const session of this.#sessions.values()) {
        for (const prompt of session.open) this.#sign(session, prompt, 'failed')
      }
    }
    return this.#take()
  }

  #take(): Envelope[] {
    const envelopes = this.#envelopes
    this.#envelopes = []
    return envelopes
  }

  #session(params: unknown): Session {
    const id = textAt(params, 'sessionId') ?? ''
    let session = this.#sessions.get(id)
    if (session === undefined) {
      session = { open: [], last: null, load: null, mayReplay: false }
      this.#sessions.set(id, session)
    }
    return session
  }

  /** Begins the turn of the next prompt; `request` is null when it is inferred. */
  #open(session: Session, request: string | null): Prompt {
    this.#promptCount++
    const turn = createSessionTurn(`${this.#run}-${this.#promptCount}`, (envelope) =>
      this.#envelopes.push(envelope),
    )
    const prompt = createPrompt(turn, request)
    session.open.push(prompt)
    return prompt
  }

  /** Signs the ends whose time for late updates is over. */
  #drain(isOver: (answeredMs: number) => boolean): void {
    for (const [prompt, session] of this.#draining) {
      const { answer } = prompt
      if (answer !== null && isOver(answer.timeMs)) this.#sign(session, prompt, answer.outcome)
    }
  }

  #sign(session: Session, prompt: Prompt, outcome: Outcome | null): void {
    this.#draining.delete(prompt)
    session.open = session.open.filter((other) => other !== prompt)
    session.last = prompt
    for (const [id, question] of this.#questions) {
      if (question.prompt === prompt) this.#questions.delete(id)
    }
    for (const call of prompt.asked) prompt.turn.call(call, 'requested')
    if (outcome === null) prompt.turn.emit('adapter.unresolved_terminal', {})
    else prompt.turn.end(outcome)
  }

  #hearClient(message: AcpMessage): void {
    this.#seesClient = true
    if (message.kind === 'request') this.#hearRequest(message)
    else if (message.kind === 'notification') this.#hearCancel(message)
    else {
      const question = this.#questions.get(message.id)
      if (question !== undefined) takeAnswer(question, message)
      this.#questions.delete(message.id)
    }
  }

  #hearRequest({ id, method, params }: AcpMessage & { kind: 'request' }): void {
    const isPrompt = method === 'session/prompt'
    if (!isPrompt && method !== 'session/load' && method !== 'session/resume') {
      this.#asked.set(id, null)
      return
    }
    const session = this.#session(params)
    const [first] = session.open
    if (first !== undefined && first.answer !== null) {
      this.#sign(session, first, first.answer.outcome)
    }
    if (isPrompt) {
      // A turn inferred before the client was seen never gets an end.
      session.open = session.open.filter(({ request }) => request !== null)
      session.load = null
    } else if (session.open.length === 0) session.load = id
    this.#asked.set(id, { session, prompt: isPrompt ? this.#open(session, id) : null })
  }

  #hearCancel({ method, params }: AcpMessage & { kind: 'notification' }): void {
    if (method === 'session/cancel') {
      for (const { turn, answer } of this.#session(params).open) {
        if (answer === null) turn.cancel()
      }
    } else if (method === '$/cancel_request') {
      const id = JSON.stringify(valueAt(params, 'requestId'))
      this.#asked.get(id)?.prompt?.turn.cancel()
    }
  }

  #hearAgent(message: AcpMessage, timeMs: number | null): void {
    if (message.kind === 'response' || message.kind === 'error') this.#hearAnswer(message, timeMs)
    else if (message.method === 'session/update') this.#hearUpdate(message.params)
    else if (
      message.kind === 'request' &&
      (message.method === 'session/request_permission' || message.method === 'elicitation/create')
    ) {
      this.#hearQuestion(message)
    }
  }

  /** The turn that a message of the agent belongs to; null, and told as late, outside of any. */
  #promptFor(session: Session, what: string): Prompt | null {
    const [open] = session.open
    if (open !== undefined) return open
    if (!this.#seesClient) return this.#open(session, null)
    session.last?.turn.emit('adapter.late_update', { update: what })
    return null
  }

  #hearUpdate(params: unknown): void {
    const update = valueAt(params, 'update')
    const kind = textAt(update, 'sessionUpdate') ?? ''
    const session = this.#session(params)
    if (this.#housekeeping.has(kind) || session.load !== null) return
    if (!this.#seesClient && session.open.length === 0) {
      // Outside a turn only the history of a loaded session begins with the user.
      if (kind === 'user_message_chunk') session.mayReplay = true
      if (session.mayReplay) return
    }
    const call = textAt(update, 'toolCallId')
    if (kind === 'tool_call_update' && call !== null && isOfLastTurn(session, call)) {
      session.last?.turn.emit('adapter.late_update', { update: kind })
      return
    }
    const prompt = this.#promptFor(session, kind)
    if (prompt === null) return
    if (!this.#seesClient) this.#inferAnswer(prompt, call, update)
    tellUpdate(prompt, update)
  }

  #hearQuestion({ id, params }: AcpMessage & { kind: 'request' }): void {
    const prompt = this.#promptFor(this.#session(params), 'request_permission')
    if (prompt === null) return
    this.#questions.set(id, ask(prompt, id, params))
  }

  /** Of the agent's side alone: a call that goes on was allowed or refused. */
  #inferAnswer(prompt: Prompt, call: string | null, update: unknown): void {
    const state = toolStateOf(update)
    if (call === null || (state ?? 'requested') === 'requested') return
    for (const [id, question] of this.#questions) {
      if (question.prompt !== prompt || question.call !== call) continue
      takeAnswer(question, null)
      this.#questions.delete(id)
    }
  }

  #hearAnswer(message: AcpAnswer, timeMs: number | null): void {
    const asked = this.#asked.get(message.id)
    if (asked === undefined) return this.#hearUnasked(message)
    this.#asked.delete(message.id)
    if (asked === null) return
    const { session, prompt } = asked
    if (prompt === null) {
      if (session.load === message.id) session.load = null
      return
    }
    const outcome = outcomeOf(message)
    if (timeMs === null || this.#drainMs === 0 || session.open.length > 1) {
      return this.#sign(session, prompt, outcome)
    }
    prompt.answer = { outcome, timeMs }
    this.#draining.set(prompt, session)
  }

  /** An answer whose request is not in sight: a second one, or one to an inferred prompt. */
  #hearUnasked(message: AcpAnswer): void {
    const sessions = [...this.#sessions.values()]
    for (const session of sessions) {
      const twice = [...session.open, session.last].find((prompt) => prompt?.request === message.id)
      if (twice === undefined || twice === null) continue
      if (this.#draining.has(twice)) this.#sign(session, twice, twice.answer?.outcome ?? null)
      twice.turn.emit('adapter.late_update', { update: 'response' })
      return
    }
    const endsTurn = message.kind === 'error' || valueAt(message.result, 'stopReason') !== undefined
    const maybeReplays = sessions.filter(({ mayReplay }) => mayReplay)
    for (const session of maybeReplays) session.mayReplay = false
    if (!endsTurn) return
    const inferred = sessions.flatMap((session) =>
      session.open.filter(({ request }) => request === null).map((prompt) => ({ session, prompt })),
    )
    let [only] = inferred
    if (only === undefined && message.kind === 'response' && !this.#seesClient) {
      const session = this.#session({})
      only = { session, prompt: this.#open(session, null) }
      // What looked like history was this very turn, and was not told.
      if (maybeReplays.length > 0) only.prompt.turn.emit('adapter.unsupported_event', {})
    }
    if (only === undefined || inferred.length > 1) return
    only.prompt.request = message.id
    this.#sign(only.session, only.prompt, outcomeOf(message))
  }
}

/** A call of the turn that ended, which no later turn has taken up again. */
function isOfLastTurn({ open: [prompt], last }: Session, call: string): boolean {
  if (last === null || !hasHeardOf(last, call)) return false
  return prompt === undefined || !hasHeardOf(prompt, call)
}
