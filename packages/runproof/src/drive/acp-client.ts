/**
 * The client's end of ACP as raw JSON-RPC lines: requests with their answers,
 * and an answer for every request of the agent. No SDK: it would hide lines
 * and answer for us.
 *
 * Neither files nor terminals are offered: the workspace is the world of a
 * scenario, and a second way into it would need goldens of its own.
 */
import { isRecord, type Message, type TranscriptLine } from '../transcript/line.ts'
import type { Channel } from './channel.ts'
import { findMessage } from './driver.ts'
import { cancelledResult, type Permissions } from './permission.ts'
import { describeError, describeResult, type Problem, type Waited } from './problem.ts'

const methodNotFound = -32_601

export type AcpClient = {
  /** Sends a request and does not wait for its answer. */
  request(method: string, params: Message): Request
  notify(method: string, params: Message): void
  /** The answer, as a result unless an error is expected. */
  answer(request: Request, expects?: 'result' | 'error'): Promise<Waited<Message>>
  /** Whether the answer is there. */
  isAnswered(request: Request): boolean
  /** Where in the transcript the last request stands. */
  readonly since: number
  /** Keeps requests for permission open from now on. */
  holdPermissions(): void
  /** How many are open. */
  readonly heldCount: number
  /** Answers the open ones `cancelled`, and later ones from the queue again. */
  cancelPermissions(): void
}

export type Request = { id: number; method: string; at: number }

export function createAcpClient(
  channel: Channel,
  permissions: Permissions,
  limitMs: () => number,
): AcpClient {
  let nextId = 0
  let since = 0
  let isHolding = false
  let held: unknown[] = []

  const reply = (id: unknown, result: Message): void => channel.send({ jsonrpc: '2.0', id, result })
  channel.subscribe((line) => {
    const asked = requestOf(line)
    if (asked === null) return
    const { id, method, params } = asked
    if (method !== 'session/request_permission') {
      const error = { code: methodNotFound, message: `the client does not offer ${method}` }
      channel.send({ jsonrpc: '2.0', id, error })
    } else if (isHolding) held.push(id)
    else reply(id, permissions.answer(params))
  })

  return {
    get since() {
      return since
    },
    get heldCount() {
      return held.length
    },
    request(method, params) {
      const id = nextId++
      since = channel.transcript.length
      channel.send({ jsonrpc: '2.0', id, method, params })
      return { id, method, at: since }
    },
    notify: (method, params) => channel.send({ jsonrpc: '2.0', method, params }),
    async answer({ id, method, at }, expects = 'result') {
      const waited = await channel.until({
        what: `the answer to ${method}`,
        limitMs: limitMs(),
        check: findMessage(channel, at, (message) => answerTo(id, message)),
      })
      return 'problem' in waited ? waited : judge(method, waited.value, expects)
    },
    isAnswered: ({ id, at }) =>
      findMessage(channel, at, (message) => answerTo(id, message))() !== undefined,
    holdPermissions() {
      isHolding = true
    },
    cancelPermissions() {
      for (const id of held) reply(id, cancelledResult)
      held = []
      isHolding = false
    },
  }
}

function requestOf(line: TranscriptLine): { id: unknown; method: string; params: unknown } | null {
  if (line.dir !== '<' || !('m' in line)) return null
  const { id, method, params } = line.m
  return id === undefined || typeof method !== 'string' ? null : { id, method, params }
}

function answerTo(id: number, message: Message): Message | undefined {
  return message['id'] === id && !('method' in message) ? message : undefined
}

function judge(
  method: string,
  { result, error }: Message,
  expects: 'result' | 'error',
): { value: Message } | { problem: Problem } {
  if (error !== undefined) {
    const value = isRecord(error) ? error : {}
    return expects === 'error' ? { value } : { problem: describeError(method, value) }
  }
  const value = isRecord(result) ? result : {}
  return expects === 'result' ? { value } : { problem: describeResult(method, value) }
}
