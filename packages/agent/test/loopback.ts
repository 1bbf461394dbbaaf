/**
 * A provider on 127.0.0.1 that answers each request with the next reply of a
 * script, as a real one would: HTTP and server-sent events. Replies are
 * written as chunks and encoded by the wire, or are recorded payload lines.
 */
import type { AddressInfo } from 'node:net'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { wires, type LlmTool, type StreamChunk, type WireName } from '@runproof/llm'
import { parseSessionLog, deriveHistory, eventsBefore, asCoreEvent } from '@runproof/session-log'
import { encodeSse } from '@runproof/sse'
import { expect, onTestFinished } from 'vitest'
import { isObject, objectsAt, parseObject, type Json } from './json.ts'

export type Reply = {
  status?: number
  headers?: Record<string, string>
  /** Written one after the other. */
  body: (string | Uint8Array)[]
  /** After the body: end it (default), break the connection, or keep silent. */
  after?: 'end' | 'cut' | 'hang'
}

export type SentRequest = { path: string; headers: IncomingHttpHeaders; body: Json }

export type Loopback = {
  url: string
  requests: SentRequest[]
  /** Environment that points the agent at this provider. */
  env: Record<string, string>
  /** Resolves when the connection of a hanging reply is given up by the agent. */
  abandoned: Promise<void>
}

/** A key whose characters must never be seen anywhere but in its header. */
export const key = 'sk-loopback-4f1d9a77c2'

export async function startLoopback(
  replies: readonly Reply[],
  account = 'DEEPSEEK',
): Promise<Loopback> {
  const requests: SentRequest[] = []
  const queue = [...replies]
  const { promise: abandoned, resolve: abandon } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) abandon()
    })
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = parseObject(Buffer.concat(parts).toString())
      requests.push({ path: request.url ?? '', headers: request.headers, body })
      send(response, queue.shift() ?? { status: 500, body: ['no reply left'] })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${portOf(server.address())}`
  return {
    url,
    requests,
    env: { [`${account}_API_KEY`]: key, [`${account}_BASE_URL`]: url, RUNPROOF_MODE: 'record' },
    abandoned,
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}

function send(
  response: ServerResponse,
  { status = 200, headers, body, after = 'end' }: Reply,
): void {
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers })
  for (const part of body) response.write(part)
  if (after === 'end') response.end()
  // The body must be on its way before the connection breaks under it.
  if (after === 'cut') setImmediate(() => response.destroy())
}

/** The chunks as a provider of this wire streams them. */
export function stream(chunks: StreamChunk[], wire: WireName = 'deepseek'): Reply {
  return { body: wires[wire].encode(chunks).map(encodeSse) }
}

/** The beginning of such a stream. */
export function prefix(reply: Reply, parts: number, after: 'end' | 'cut' | 'hang'): Reply {
  return { ...reply, body: reply.body.slice(0, parts), after }
}

/** Recorded payload lines with the envelope they came in. */
export function payloads(lines: readonly string[]): Reply {
  return { body: [...lines, '[DONE]'].map((line) => `data: ${line}\n\n`) }
}

export function failure(status: number, body: Json, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [JSON.stringify(body)],
  }
}

/** An answer in words. */
export function say(...words: string[]): StreamChunk[] {
  return [
    { type: 'block-start', index: 0, blockType: 'text' },
    ...words.map((text): StreamChunk => ({ type: 'text-delta', index: 0, text })),
    { type: 'block-end', index: 0, block: { type: 'text', text: words.join('') } },
    { type: 'usage', usage: { inputTokens: 10, outputTokens: words.length } },
    { type: 'finish', reason: { kind: 'stop' } },
  ]
}

/** An answer that calls tools, each as `[id, name, arguments]`. */
export function callTools(...calls: [id: string, name: string, args: Json][]): StreamChunk[] {
  return [
    ...calls.flatMap(([id, name, args], index): StreamChunk[] => {
      const text = JSON.stringify(args)
      return [
        { type: 'block-start', index, blockType: 'tool-call' },
        { type: 'tool-call-delta', index, id, name, argumentsDelta: text },
        { type: 'block-end', index, block: { type: 'tool-call', id, name, arguments: text } },
      ]
    }),
    { type: 'usage', usage: { inputTokens: 10, outputTokens: 5 } },
    { type: 'finish', reason: { kind: 'tool-calls' } },
  ]
}

/**
 * The invariant of the log: re-deriving each request from what stood in the
 * log before it gives exactly the body that went over the wire. The first
 * `unsent` steps were cancelled before their request left.
 */
export function expectDerivedRequests(
  log: readonly string[],
  requests: readonly SentRequest[],
  { wire = 'deepseek', unsent = 0 }: { wire?: WireName; unsent?: number } = {},
): void {
  const { events } = parseSessionLog(`${log.join('\n')}\n`)
  const steps = events.flatMap((event) => {
    const core = asCoreEvent(event)
    return core?.type === 'step/start' ? [core.data] : []
  })
  const derived = steps.map((place) => {
    const before = eventsBefore(events, place) ?? []
    const header = before.map(asCoreEvent).findLast((event) => event?.type === 'request/header')
    if (header?.type !== 'request/header') throw new Error('a request before its header')
    const { system, config } = header.data.header
    const request = {
      model: String(isObject(config) ? config['model'] : ''),
      system: String(system),
      tools: objectsAt(header.data.header, 'tools').map(readTool),
      messages: deriveHistory(before),
    }
    return wires[wire].buildRequest(request).body
  })
  const sent = requests.map(({ body }) => body)
  expect(JSON.parse(JSON.stringify(derived.slice(unsent)))).toEqual(sent)
}

function readTool({ name, description, parameters }: Json): LlmTool {
  return {
    name: String(name),
    description: String(description),
    parameters: isObject(parameters) ? parameters : {},
  }
}
