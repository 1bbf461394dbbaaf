/**
 * One line of a transcript as the ACP adapter and the checker read it: who
 * wrote it, when, and which JSON-RPC message it is.
 *
 * Follows Transcript v1 (docs/formats/transcript.md), JSON-RPC 2.0 and ACP
 * protocol version 1. Read alike: `{t, dir, m}`, `{t_ms, dir, msg}`, `raw`
 * lines and bare messages. A bare message is the agent's, unless only a client
 * can have written it. Never throws, whatever the value.
 */
import { valueAt } from '../adapter.ts'
import { isJsonObject } from '../json.ts'

/** `id` is the JSON text of the id: `1` and `"1"` are two ids. */
export type AcpMessage =
  | { kind: 'request'; id: string; method: string; params: unknown }
  | { kind: 'notification'; method: string; params: unknown }
  | { kind: 'response'; id: string; result: unknown }
  | { kind: 'error'; id: string; code: number | null; message: string }

/** What ends a request. */
export type AcpAnswer = Extract<AcpMessage, { kind: 'response' | 'error' }>

/**
 * `timeMs` is the line's own clock, null when it has none. A `fact` is a line
 * about the process or the file. `defect` says how a message, readable as it
 * is, breaks JSON-RPC.
 */
export type AcpLine =
  | { kind: 'fact'; timeMs: number | null }
  | { kind: 'unreadable'; timeMs: number | null; from: Peer; why: string }
  | {
      kind: 'message'
      timeMs: number | null
      from: Peer
      message: AcpMessage
      defect: string | null
    }

/** UTF-16 units of an unreadable line that are quoted. */
const quoteUnitsMax = 60

export type Peer = 'client' | 'agent'

const directions: ReadonlyMap<unknown, Peer | 'process'> = new Map([
  ['>', 'client'],
  ['<', 'agent'],
  ['x', 'process'],
  ['client->agent', 'client'],
  ['agent->client', 'agent'],
  ['process', 'process'],
] as const)

/** Methods that a client calls; of them a bare message shows its writer. */
export const clientMethods: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'logout',
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
  'session/list',
  'session/delete',
  'session/close',
  'session/archive',
  'session/unarchive',
  'session/status',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_model',
  'session/set_title',
  'session/set_config_option',
  'providers/list',
  'providers/set',
  'providers/disable',
  'auth/status',
  'mcp/message',
  'proxy/initialize',
  'proxy/successor',
])

/** Methods that an agent calls. */
export const agentMethods: ReadonlySet<string> = new Set([
  'session/update',
  'session/request_permission',
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
  'elicitation/create',
  'elicitation/complete',
  'mcp/message',
  'auth/status_update',
])

/** Reads one parsed line. */
export function readAcpLine(value: unknown): AcpLine {
  if (!isJsonObject(value)) return unreadable(null, 'agent', 'not a JSON object')
  if (!Object.hasOwn(value, 'dir')) {
    if (isCaseHead(value)) return { kind: 'fact', timeMs: null }
    return readMessage(value, null, writerOf(value))
  }
  const { dir, t, t_ms: tMs, m, msg, raw } = value
  const time = t ?? tMs
  const timeMs = typeof time === 'number' ? time : null
  const from = directions.get(dir)
  if (from === undefined) return unreadable(timeMs, 'agent', '"dir" is not one of ">", "<", "x"')
  if (from === 'process') return { kind: 'fact', timeMs }
  if (typeof raw === 'string') return unreadable(timeMs, from, `the line is ${quote(raw)}`)
  return readMessage(m ?? msg, timeMs, from)
}

/** The first line of a file of bug reports says what the case is. */
function isCaseHead(value: Record<string, unknown>): boolean {
  return typeof value['case'] === 'string' && typeof value['expect'] === 'string'
}

function writerOf(message: Record<string, unknown>): Peer {
  const { method } = message
  if (typeof method === 'string') {
    return clientMethods.has(method) && !agentMethods.has(method) ? 'client' : 'agent'
  }
  // Only a client answers a permission request.
  return typeof valueAt(message, 'result', 'outcome', 'outcome') === 'string' ? 'client' : 'agent'
}

/** The beginning of a text, quoted and on one line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > quoteUnitsMax ? `${text.slice(0, quoteUnitsMax)}…` : text)
}

function unreadable(timeMs: number | null, from: Peer, why: string): AcpLine {
  return { kind: 'unreadable', timeMs, from, why }
}

function readMessage(value: unknown, timeMs: number | null, from: Peer): AcpLine {
  if (!isJsonObject(value)) return unreadable(timeMs, from, 'not a JSON object')
  const message = messageOf(value)
  if (message === null) return unreadable(timeMs, from, 'neither a request nor a response')
  return { kind: 'message', timeMs, from, message, defect: defectOf(value) }
}

function messageOf(value: Record<string, unknown>): AcpMessage | null {
  const { id, method, params, result, error } = value
  const key =
    typeof id === 'string' || typeof id === 'number' || id === null ? JSON.stringify(id) : null
  if (typeof method === 'string') {
    return key === null
      ? { kind: 'notification', method, params }
      : { kind: 'request', id: key, method, params }
  }
  if (key === null) return null
  if (error !== undefined) {
    const [code, text] = [valueAt(error, 'code'), valueAt(error, 'message')]
    return {
      kind: 'error',
      id: key,
      code: typeof code === 'number' ? code : null,
      message: typeof text === 'string' ? text : '',
    }
  }
  return result === undefined ? null : { kind: 'response', id: key, result }
}

function defectOf(value: Record<string, unknown>): string | null {
  if (value['jsonrpc'] !== '2.0') return 'no "jsonrpc": "2.0"'
  const parts = ['method', 'result', 'error'].filter((key) => Object.hasOwn(value, key))
  return parts.length === 1 ? null : `both "${parts.join('" and "')}"`
}
