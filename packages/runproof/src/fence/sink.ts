/**
 * A proxy that leads nowhere: it notes where an agent wants to go, and refuses.
 * Only what an agent may reach is passed on, for agents that use a proxy for
 * 127.0.0.1 too, whatever NO_PROXY says.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'

// Not imported: an import loads an HTTP client that nobody needs here (35 ms).
const http = process.getBuiltinModule('node:http')

export type SinkOptions = {
  /** Ports on 127.0.0.1 that may be reached. */
  ports: readonly number[]
  onAttempt: (host: string, port: number) => void
}

const refusal = 'runproof: this run may not leave the machine\n'

export function createSink({ ports, onAttempt }: SinkOptions): Server {
  const isOpen = (host: string, port: number): boolean =>
    (host === '127.0.0.1' || host === 'localhost') && ports.includes(port)
  // Idle connections stay: an agent must not lose a race against their end.
  const timeouts = { keepAliveTimeout: 0, requestTimeout: 0 }
  const server = http.createServer(timeouts, (request, response) => {
    const target = URL.parse(request.url ?? '')
    if (target === null) return refuse(response, 400)
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    if (isOpen(target.hostname, port)) return forward(request, response, target, port)
    onAttempt(target.hostname, port)
    refuse(response, 403)
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // A client that is refused may leave before it has heard all of it.
    socket.on('error', () => socket.destroy())
    const target = URL.parse(`connect://${request.url ?? ''}`)
    const host = target?.hostname.replace(/^\[|\]$/g, '') ?? ''
    const port = Number(target?.port) || 443
    if (isOpen(host, port)) return tunnel(socket, port)
    if (host !== '') onAttempt(host, port)
    socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`)
  })
  return server
}

function refuse(response: ServerResponse, status: 400 | 403): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(refusal)
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, search }: URL,
  port: number,
): void {
  const { method, headers } = request
  const path = pathname + search
  const outgoing = http.request({ host: '127.0.0.1', port, method, path, headers }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers)
    incoming.pipe(response)
    incoming.on('error', () => response.destroy())
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => outgoing.destroy())
  request.pipe(outgoing)
}

function tunnel(socket: Socket, port: number): void {
  const outgoing = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    joinSockets(socket, outgoing)
  })
  outgoing.on('error', () => socket.destroy())
}

/** Two sockets as one: what ends or breaks on one side does so on the other. */
export function joinSockets(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  one.on('error', () => other.destroy()).on('close', () => other.destroySoon())
  other.on('error', () => one.destroy()).on('close', () => one.destroySoon())
}
