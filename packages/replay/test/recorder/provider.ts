/** A provider and a client on 127.0.0.1, both as raw as Node's HTTP lets them be. */
import { once } from 'node:events'
import {
  createServer,
  request as requestHttp,
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { Server, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Provider = {
  url: string
  /** Bodies of the requests so far, as bytes. */
  bodies: Buffer[]
  /** Headers of the requests so far, names and values in turn. */
  headers: string[][]
  connectionCount(): number
  close(): Promise<void>
}

/** Answers each request, once its body is there, by `answer`. */
export async function startProvider(
  answer: (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ) => void | Promise<void>,
): Promise<Provider> {
  const bodies: Buffer[] = []
  const headers: string[][] = []
  const listener: RequestListener = async (request, response) => {
    headers.push(request.rawHeaders)
    const body = await buffer(request)
    bodies.push(body)
    await answer(request, response, body)
  }
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    bodies,
    headers,
    connectionCount: () => connections,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address.port
}

export type Reply = {
  status: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  /** Pieces as they came. */
  chunks: Buffer[]
  text: string
  /** Whether the response was complete. */
  isWhole: boolean
}

export type Asked = {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer
  agent?: Agent
  /** Called with each piece; `leave` destroys the connection. */
  onChunk?: (chunk: Buffer, leave: () => void) => void
  onSocket?: (socket: Socket) => void
}

/** Asks once. Rejects when the connection ends before a head. */
export function ask(url: string, asked: Asked = {}): Promise<Reply> {
  const { method = 'POST', path = '/v1/chat/completions', headers = {}, body = '{}' } = asked
  return new Promise((resolve, reject) => {
    const request = requestHttp(
      url + path,
      { method, headers, ...(asked.agent === undefined ? {} : { agent: asked.agent }) },
      (response) => {
        const chunks: Buffer[] = []
        const finish = (): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            chunks,
            text: Buffer.concat(chunks).toString(),
            isWhole: response.complete,
          })
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          asked.onChunk?.(chunk, () => request.destroy())
        })
        response.on('end', finish)
        response.on('error', finish)
      },
    )
    request.on('error', reject)
    if (asked.onSocket !== undefined) request.on('socket', asked.onSocket)
    request.end(method === 'GET' || method === 'HEAD' ? undefined : body)
  })
}

/** A clock that only tests move. */
export function createClock(): { now: () => number; advance(ms: number): void } {
  let ms = 1000
  return {
    now: () => ms,
    advance: (by) => {
      ms += by
    },
  }
}
