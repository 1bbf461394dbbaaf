/**
 * The sessions that this connection has open, and the turn that runs in each.
 *
 * Invariants: one turn a session at a time; a prompt is answered after the
 * last update of its turn; closing a session or the desk ends its turn first,
 * with the log closed in order.
 */
import { RequestError, type PromptResponse, type SessionUpdate } from '@agentclientprotocol/sdk'
import type { ApprovalOutcome } from '../loop/parts.ts'
import type { Loop } from '../plugins/loop.ts'
import type { Session } from '../session.ts'
import { answerPrompt } from './answer.ts'
import { createProjector, type FindTool } from './project.ts'

/** The other end of the protocol. */
export type Client = {
  /** Queues an update; updates and answers leave in the order of the calls. */
  update(sessionId: string, update: SessionUpdate): void
  /** Rejects when the client cannot answer. */
  requestPermission(sessionId: string, callId: string): Promise<ApprovalOutcome>
}

export type DeskParts = {
  findTool: FindTool
  loop: Loop
  client: Client
}

export type Desk = {
  open(session: Session): void
  /** @throws RequestError -32002 for a session that is not open here */
  get(sessionId: string): Session
  has(sessionId: string): boolean
  /** Shows a session's past, as a client sees it on load. */
  replay(session: Session): void
  /** Runs a turn. @throws RequestError -32600 while another one runs, -32603 when it fails */
  prompt(sessionId: string, content: { type: 'text'; text: string }[]): Promise<PromptResponse>
  /** Ends the running turn, if there is one; its prompt is answered `cancelled`. */
  cancel(sessionId: string): void
  close(sessionId: string): Promise<void>
  /** Nobody is left to answer: open and later questions end `unavailable`. */
  dismissClient(): void
  closeAll(): Promise<void>
}

type Running = { controller: AbortController; done: Promise<unknown> }
type Opened = { session: Session; running: Running | null; unsubscribe(): void }

export function createDesk({ findTool, loop, client }: DeskParts): Desk {
  const opened = new Map<string, Opened>()
  /** Aborts when nobody is left to answer a question. */
  const unattended = new AbortController()

  const find = (sessionId: string): Opened => {
    const found = opened.get(sessionId)
    if (found === undefined) throw RequestError.sessionNotFound(sessionId)
    return found
  }

  const ask = (sessionId: string, callId: string, signal: AbortSignal): Promise<ApprovalOutcome> =>
    Promise.race([
      client.requestPermission(sessionId, callId).catch((): ApprovalOutcome => 'unavailable'),
      whenAborted<ApprovalOutcome>(signal, 'cancelled'),
      whenAborted<ApprovalOutcome>(unattended.signal, 'unavailable'),
    ])

  const stop = async ({ running }: Opened, reason: 'cancelled' | 'disposed'): Promise<void> => {
    running?.controller.abort(reason)
    await running?.done.catch(() => undefined)
  }

  const close = async (entry: Opened): Promise<void> => {
    opened.delete(entry.session.id)
    await stop(entry, 'disposed')
    entry.unsubscribe()
    await entry.session.close()
  }

  return {
    open(session) {
      const projector = createProjector(findTool, { prompts: false })
      const unsubscribe = session.subscribe((batch) => {
        for (const update of projector.project(batch)) client.update(session.id, update)
      })
      opened.set(session.id, { session, running: null, unsubscribe })
    },
    get: (sessionId) => find(sessionId).session,
    has: (sessionId) => opened.has(sessionId),
    replay(session) {
      const projector = createProjector(findTool, { prompts: true })
      for (const update of projector.project(session.events)) client.update(session.id, update)
    },
    async prompt(sessionId, content) {
      const entry = find(sessionId)
      if (entry.running !== null) {
        throw RequestError.invalidRequest(undefined, 'a prompt is already running in this session')
      }
      const controller = new AbortController()
      const { signal } = controller
      const done = loop.run(entry.session, content, {
        ask: (callId) => ask(sessionId, callId, signal),
        signal,
      })
      entry.running = { controller, done }
      try {
        return answerPrompt(await done)
      } finally {
        entry.running = null
      }
    },
    cancel(sessionId) {
      opened.get(sessionId)?.running?.controller.abort('cancelled')
    },
    close: (sessionId) => close(find(sessionId)),
    dismissClient: () => unattended.abort(),
    async closeAll() {
      // One log that cannot be closed must not cut the others off.
      const ends = await Promise.allSettled([...opened.values()].map(close))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
  }
}

function whenAborted<T>(signal: AbortSignal, value: T): Promise<T> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(value)
    else signal.addEventListener('abort', () => resolve(value), { once: true })
  })
}
