/** The ACP methods this agent answers, as thin handlers over desk and store. */
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type NewSessionRequest,
  type SessionInfo,
  type SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk'
import type { SessionEntry } from '@runproof/session-log/node'
import type { Host } from '../host.ts'
import { isPermissionMode } from '../permission.ts'
import type { SessionStore } from '../plugins/session-files.ts'
import type { Session } from '../session.ts'
import { toRequestError } from './answer.ts'
import { describeOptions, permissionOptionId } from './config-option.ts'
import type { Desk } from './desk.ts'
import { readPrompt } from './prompt.ts'

export type AppParts = {
  host: Host
  desk: Desk
  sessions: SessionStore
  /** Sessions in one answer to session/list. */
  pageSize: number
  warn: (message: string) => void
}

export type App = {
  app: AgentApp
  /** Resolves when every request that has come in is answered. */
  settled: () => Promise<void>
}

/** Characters of a first prompt that serve as a session's title. */
const titleCharsMax = 80

export function createApp(parts: AppParts): App {
  const { desk, host } = parts
  const inFlight = new Set<Promise<unknown>>()
  /** Keeps count of a request and gives its errors their JSON-RPC form. */
  const answer = async <T>(work: () => Promise<T>): Promise<T> => {
    const running = work().catch((error: unknown) => {
      throw toRequestError(error, (text) => host.secrets.redact(text))
    })
    inFlight.add(running)
    try {
      return await running
    } finally {
      inFlight.delete(running)
    }
  }
  const { session } = methods.agent
  const app = agent({ name: 'runproof-agent' })
    .onRequest(methods.agent.initialize, () => describeAgent(host.version))
    .onRequest(session.new, ({ params }) => answer(() => startSession(parts, params)))
    .onRequest(session.load, ({ params }) => answer(() => loadSession(parts, params)))
    .onRequest(session.list, ({ params }) => answer(() => listSessions(parts, params)))
    .onRequest(session.prompt, ({ params, signal }) =>
      answer(async () => {
        const { sessionId, prompt } = params
        signal.addEventListener('abort', () => desk.cancel(sessionId), { once: true })
        return desk.prompt(sessionId, readPrompt(prompt))
      }),
    )
    .onNotification(session.cancel, ({ params }) => desk.cancel(params.sessionId))
    .onRequest(session.setConfigOption, ({ params }) =>
      answer(async () => setOption(desk.get(params.sessionId), params)),
    )
    .onRequest(session.close, ({ params }) =>
      answer(async () => {
        await desk.close(params.sessionId)
        return {}
      }),
    )
  return {
    app,
    async settled() {
      while (inFlight.size > 0) await Promise.allSettled(inFlight)
    },
  }
}

function describeAgent(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'runproof-agent', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      sessionCapabilities: { list: {}, close: {} },
    },
    authMethods: [],
  }
}

async function startSession({ desk, sessions, warn }: AppParts, params: NewSessionRequest) {
  refuseDirectories(params)
  noteServers(params, warn)
  const opened = await sessions.create(params.cwd)
  desk.open(opened)
  return { sessionId: opened.id, configOptions: describeOptions(opened.mode) }
}

/** The past is shown before the answer; a session that is open here already is shown again. */
async function loadSession({ desk, sessions, warn }: AppParts, params: LoadSessionRequest) {
  refuseDirectories(params)
  noteServers(params, warn)
  const { sessionId, cwd } = params
  const isOpen = desk.has(sessionId)
  const opened = isOpen ? desk.get(sessionId) : await sessions.load(sessionId, cwd)
  if (opened.cwd !== cwd) {
    throw RequestError.invalidParams(undefined, `the session belongs to the folder ${opened.cwd}`)
  }
  desk.replay(opened)
  if (!isOpen) desk.open(opened)
  return { configOptions: describeOptions(opened.mode) }
}

async function listSessions(
  { sessions, pageSize }: AppParts,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const entries = await sessions.list(cwd ?? null)
  // The cursor is the last id of the page before.
  const last = cursor == null ? -1 : entries.findIndex(({ header }) => header.id === cursor)
  if (cursor != null && last < 0) throw RequestError.invalidParams(undefined, 'unknown cursor')
  const page = entries.slice(last + 1, last + 1 + pageSize)
  const hasMore = entries.length > last + 1 + pageSize
  return {
    sessions: page.map(describeSession),
    ...(hasMore && { nextCursor: page.at(-1)?.header.id ?? null }),
  }
}

function describeSession({ header, firstPrompt, updatedAt }: SessionEntry): SessionInfo {
  const title = firstPrompt?.trim().split('\n')[0]?.slice(0, titleCharsMax)
  return {
    sessionId: header.id,
    cwd: header.cwd ?? '',
    ...(title && { title }),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}

/** Takes effect with the next call; the log has it from the next turn on. */
function setOption(session: Session, { configId, value }: SetSessionConfigOptionRequest) {
  if (configId !== permissionOptionId) {
    throw RequestError.invalidParams(undefined, `there is no option "${configId}"`)
  }
  if (!isPermissionMode(value)) {
    throw RequestError.invalidParams(undefined, `there is no permission mode "${value}"`)
  }
  session.mode = value
  return { configOptions: describeOptions(value) }
}

function refuseDirectories({ additionalDirectories }: NewSessionRequest): void {
  if (additionalDirectories === undefined || additionalDirectories.length === 0) return
  throw RequestError.invalidParams(undefined, 'additionalDirectories is not supported')
}

/** Editors send their MCP servers with every session; refusing would make the agent unusable there. */
function noteServers({ mcpServers }: NewSessionRequest, warn: (message: string) => void): void {
  if (mcpServers.length === 0) return
  warn(`this agent does not use MCP: ${mcpServers.map((server) => server.name).join(', ')}`)
}
