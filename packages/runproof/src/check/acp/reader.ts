/**
 * The moments of a transcript: each message with what the transcript said
 * before it, so that a rule is a question about one moment.
 *
 * Follows ACP protocol version 1. Invariant: a moment is told before its message
 * changes what is known. With the agent's side alone turns are inferred: one
 * begins with its first update and ends with a response that has a stop reason,
 * or an error. Memory grows with sessions and calls, not with lines.
 */
import {
  quote,
  readAcpLine,
  textAt,
  turnUpdates,
  valueAt,
  type AcpAnswer,
  type AcpMessage,
  type Peer,
} from '@runproof/progress/acp'
import type { Line } from '../../lines.ts'
import {
  askAbout,
  createCall,
  learnCall,
  statusOf,
  takeAnswer,
  type Call,
  type Question,
} from './call.ts'
import type { Evidence, Left, Moment } from './moment.ts'
import {
  closePrompt,
  createSession,
  openPrompt,
  type Place,
  type Prompt,
  type Session,
} from './session.ts'

/** A request without an answer. */
type Asked = {
  method: string
  line: number
  /** Of the client's requests. */
  session: Session | null
  prompt: Prompt | null
  /** Of an agent's request for permission. */
  question: Question | null
}

const ofTurn: ReadonlySet<string> = new Set(turnUpdates)

export class MomentReader {
  readonly evidence: Evidence = {
    client: false,
    agent: false,
    ends: 0,
    newSessions: 0,
    abandoned: new Set(),
  }
  readonly #tell: (moment: Moment) => void
  readonly #sessions = new Map<string, Session>()
  /** Requests without an answer, by who asked and their id. */
  readonly #asked: Record<Peer, Map<string, Asked>> = { client: new Map(), agent: new Map() }
  #left: Left | null = null
  #at: Place = { line: 0, event: '', timeMs: null }

  constructor(tell: (moment: Moment) => void) {
    this.#tell = tell
  }

  read({ number, text, problem }: Line): void {
    const parsed = problem === undefined ? parse(text) : { problem }
    if ('problem' in parsed) {
      this.evidence.agent = true
      this.#tell({
        line: number,
        event: 'line',
        timeMs: null,
        kind: 'unreadable',
        why: parsed.problem,
      })
      return
    }
    const line = readAcpLine(parsed.value)
    if (line.kind === 'fact') return this.#hearFact(number, parsed.value)
    this.evidence[line.from] = true
    const event = line.kind === 'message' ? nameOf(line.message) : 'line'
    this.#at = { line: number, event, timeMs: line.timeMs }
    const why = line.kind === 'message' ? line.defect : line.why
    if (why !== null && line.from === 'agent') this.#tell({ ...this.#at, kind: 'unreadable', why })
    if (line.kind === 'unreadable') return
    if (line.message.kind === 'request' || line.message.kind === 'notification') {
      this.#tell({ ...this.#at, kind: 'method', from: line.from, method: line.message.method })
    }
    if (line.from === 'client') this.#hearClient(line.message)
    else this.#hearAgent(line.message)
  }

  /** The end of the file: what was never answered, in the order of its lines. */
  end(): void {
    const open = (['client', 'agent'] as const).flatMap((from) =>
      [...this.#asked[from].values()].map((asked) => ({ from, ...asked })),
    )
    for (const { from, method, line, prompt } of open.toSorted((a, b) => a.line - b.line)) {
      const left = this.#left
      // Of the client's requests it is prompts that must have an answer.
      const isOwed = from === 'agent' || prompt !== null
      if (left !== null && isOwed) this.evidence.abandoned.add(from)
      this.#tell({
        line,
        event: method,
        timeMs: null,
        kind: 'unanswered',
        from,
        method,
        prompt,
        left,
      })
    }
    for (const session of this.#sessions.values()) {
      for (const prompt of session.open) {
        if (prompt.id !== null) continue
        const { line, event, timeMs } = prompt
        const afterLine = session.last?.line ?? null
        this.#tell({ line, event, timeMs, kind: 'unclosed', prompt, afterLine })
      }
    }
  }

  /** Of the facts about a process (docs/formats/transcript.md): what it tried to reach, and who left whom. */
  #hearFact(line: number, value: unknown): void {
    const t = valueAt(value, 't')
    const timeMs = typeof t === 'number' ? t : null
    if (textAt(value, 'm', 'left', 'by') !== null) this.#left ??= { line, timeMs }
    const attempt = valueAt(value, 'm', 'egress')
    const host = textAt(attempt, 'host')
    if (host === null) return
    const port = valueAt(attempt, 'port')
    const place = typeof port === 'number' ? `${host}:${port}` : host
    const isAllowed = valueAt(attempt, 'allowed') === true
    this.#tell({ line, event: 'egress', timeMs: null, kind: 'egress', place, isAllowed })
  }

  #session(id: string): Session {
    const session = this.#sessions.get(id) ?? createSession()
    this.#sessions.set(id, session)
    return session
  }

  #hearClient(message: AcpMessage): void {
    const { line } = this.#at
    if (message.kind === 'response' || message.kind === 'error') {
      const asked = this.#asked.agent.get(message.id)
      this.#asked.agent.delete(message.id)
      if (asked?.question != null) takeAnswer(asked.question, message, line)
      return
    }
    const { method, params } = message
    const id = textAt(params, 'sessionId')
    const session = id === null ? null : this.#session(id)
    if (session !== null) session.isKnown = true
    if (message.kind === 'notification') return this.#hearCancel(method, params, session)
    let prompt: Prompt | null = null
    if (method === 'session/new') this.evidence.newSessions++
    else if (session !== null && method === 'session/prompt') {
      prompt = openPrompt(session, message.id, this.#at)
      session.replay = null
    } else if (session !== null && (method === 'session/load' || method === 'session/resume')) {
      session.replay = { id: message.id, method }
    }
    this.#asked.client.set(message.id, { method, line, session, prompt, question: null })
  }

  #hearCancel(method: string, params: unknown, session: Session | null): void {
    const { line } = this.#at
    if (method === 'session/cancel') {
      for (const prompt of session?.open ?? []) prompt.cancelLine = line
    } else if (method === '$/cancel_request') {
      const asked = this.#asked.client.get(JSON.stringify(valueAt(params, 'requestId')))
      if (asked?.prompt != null) asked.prompt.cancelLine = line
    }
  }

  #close(session: Session, prompt: Prompt): void {
    closePrompt(session, prompt, this.#at)
    this.evidence.ends++
  }

  #hearAgent(message: AcpMessage): void {
    if (message.kind === 'response' || message.kind === 'error') {
      const asked = this.#asked.client.get(message.id)
      this.#asked.client.delete(message.id)
      if (asked === undefined) this.#hearUnasked(message)
      else this.#hearAnswer(message, asked)
      return
    }
    const { method, params } = message
    const { line } = this.#at
    let question: Question | null = null
    if (method === 'session/update') this.#hearUpdate(params)
    else if (method === 'session/request_permission') question = this.#hearPermission(params)
    if (message.kind === 'request') {
      this.#asked.agent.set(message.id, { method, line, session: null, prompt: null, question })
    }
  }

  #hearAnswer(answer: AcpAnswer, { session, prompt }: Asked): void {
    if (session?.replay?.id === answer.id) session.replay = null
    const id = answer.kind === 'response' ? textAt(answer.result, 'sessionId') : null
    if (id !== null) this.#session(id).isKnown = true
    if (session === null || prompt === null) return
    this.#tell({ ...this.#at, kind: 'answered', prompt, answer })
    this.#close(session, prompt)
  }

  /** An answer whose request is not in sight. */
  #hearUnasked(answer: AcpAnswer): void {
    const endsTurn = answer.kind === 'error' || valueAt(answer.result, 'stopReason') !== undefined
    const sessions = [...this.#sessions.values()]
    if (this.evidence.client) {
      const first = sessions.find(({ last }) => last !== null && last.id === answer.id)?.last
      if (first != null || (endsTurn && answer.kind === 'response')) {
        this.#tell({ ...this.#at, kind: 'second-answer', firstLine: first?.line ?? null })
      }
      return
    }
    for (const session of sessions) session.mayReplay = false
    if (!endsTurn) return
    const open = sessions.flatMap((session) => session.open.map((prompt) => ({ session, prompt })))
    for (const { session, prompt } of open) {
      if (open.length === 1) this.#tell({ ...this.#at, kind: 'answered', prompt, answer })
      this.#close(session, prompt)
    }
    if (open.length === 0 && answer.kind === 'response') this.evidence.ends++
  }

  #hearUpdate(params: unknown): void {
    const update = valueAt(params, 'update')
    const kind = textAt(update, 'sessionUpdate') ?? 'session/update'
    const sessionId = textAt(params, 'sessionId')
    const session = this.#session(sessionId ?? '')
    const isOfTurn = ofTurn.has(kind)
    const prompt = isOfTurn ? this.#promptFor(session, kind) : (session.open[0] ?? null)
    const callId = kind.startsWith('tool_call') ? textAt(update, 'toolCallId') : null
    const before = callId === null ? null : (session.calls.get(callId) ?? null)
    const announces = kind === 'tool_call'
    const call =
      callId === null ? null : { id: callId, before, status: statusOf(update), announces }
    this.#tell({ ...this.#at, kind: 'update', session, sessionId, isOfTurn, prompt, call })
    if (prompt !== null && isOfTurn) prompt.updates++
    if (prompt !== null) prompt.lastUpdate = { line: this.#at.line, event: kind }
    if (call !== null) {
      const known = this.#learnCall(session, prompt, call.id, update)
      if (call.announces) known.isAnnounced = true
      known.hasComeToBe = true
    }
  }

  #hearPermission(params: unknown): Question | null {
    const session = this.#session(textAt(params, 'sessionId') ?? '')
    const toolCall = valueAt(params, 'toolCall')
    const callId = textAt(toolCall, 'toolCallId')
    const prompt = this.#promptFor(session, 'session/request_permission')
    const before = callId === null ? null : (session.calls.get(callId) ?? null)
    const isOutside = prompt === null
    this.#tell({ ...this.#at, kind: 'permission', callId, call: before, isOutside })
    if (callId === null) return null
    const call = this.#learnCall(session, prompt, callId, toolCall)
    const { line } = this.#at
    askAbout(call, this.evidence.client ? line : null)
    return { line, call, options: valueAt(params, 'options') }
  }

  /** The open turn; with the agent's side alone a new one, unless history is replayed. */
  #promptFor(session: Session, kind: string): Prompt | null {
    const [open] = session.open
    if (open !== undefined || this.evidence.client) return open ?? null
    if (kind === 'user_message_chunk') session.mayReplay = true
    return session.mayReplay ? null : openPrompt(session, null, this.#at)
  }

  #learnCall(session: Session, prompt: Prompt | null, id: string, update: unknown): Call {
    const call = session.calls.get(id) ?? createCall(id)
    session.calls.set(id, call)
    learnCall(call, update)
    prompt?.calls.add(call)
    return call
  }
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: `the line is ${quote(text)}` }
  }
}

function nameOf(message: AcpMessage): string {
  if (message.kind === 'response' || message.kind === 'error')
    return `${message.kind} ${message.id}`
  const update =
    message.method === 'session/update' ? textAt(message.params, 'update', 'sessionUpdate') : null
  return update ?? message.method
}
