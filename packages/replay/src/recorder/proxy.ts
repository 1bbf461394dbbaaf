/**
 * An HTTP proxy in front of one provider. Bytes pass in both directions as they
 * come, statuses and headers as they are, and an exchange ends for the agent as
 * it ended for the proxy: complete, broken off, or not at all.
 *
 * Every piece is sent on first and kept afterwards. Nobody is made to wait for
 * the recording.
 */
import type {
  ClientRequest,
  IncomingMessage,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Writable, Readable } from 'node:stream'
import { cut } from '../cut.ts'
import { headBytesMax, http } from '../http.ts'
import { tellNoHttp } from '../no-http.ts'
import { pathOf } from '../request-target.ts'
import { keepBytes, type Budget, type Capture } from './capture.ts'
import type { EndKind } from './exchange.ts'
import { headersForClient, headersForUpstream } from './header.ts'

export type ProxyOptions = {
  /** `http:` or `https:`; its path stands before that of every request. */
  upstream: URL
  /** Milliseconds of a clock that does not go back. */
  clock: () => number
  /** A provider that sends nothing for so long is taken for dead. */
  silenceMs: number
  budget: Budget
  /** Certificates to trust beside those of the system, as PEM. */
  ca?: string | undefined
  /** Called once for each exchange, when its request arrives. */
  onCapture: (capture: Capture) => void
  /** Called when the provider cannot be reached or speaks no HTTP: an error code, such as `ECONNREFUSED`. */
  onFailure: (capture: Capture, code: string) => void
  /** Called when the agent sends what is no HTTP request: what the parser says of it. */
  onNoHttp: (code: string) => void
}

const serverOptions: ServerOptions = {
  maxHeaderSize: headBytesMax,
  // A long upload or a long silence is the provider's business.
  requestTimeout: 0,
  headersTimeout: 0,
  // An idle agent must not lose a race against the end of its connection.
  keepAliveTimeout: 0,
}

export type Proxy = { server: Server; close(): void }

export function createProxy(options: ProxyOptions): Proxy {
  const { upstream } = options
  const isSecure = upstream.protocol === 'https:'
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, ...(options.ca === undefined ? {} : { ca: options.ca }) })
    : new http.Agent({ keepAlive: true })
  const open = isSecure ? requestHttps : http.request
  const prefix = upstream.pathname.replace(/\/$/, '')
  const send = (request: IncomingMessage): ClientRequest =>
    open({
      agent,
      hostname: upstream.hostname.replace(/^\[|\]$/g, ''),
      port: upstream.port,
      method: request.method ?? 'GET',
      path: prefix + pathOf(request.url),
      headers: headersForUpstream(request.rawHeaders, upstream.host),
      setDefaultHeaders: false,
      maxHeaderSize: headBytesMax,
    })
  let count = 0
  const server = http.createServer(serverOptions, (request, response) => {
    const capture: Capture = {
      n: ++count,
      method: request.method ?? 'GET',
      path: pathOf(request.url),
      headers: request.headers,
      requestChunks: [],
      requestedMs: options.clock(),
      isRequestWhole: false,
      response: null,
      chunks: [],
      end: null,
      isWhole: true,
    }
    options.onCapture(capture)
    pass(request, response, capture, () => send(request), options)
  })
  tellNoHttp(server, options.onNoHttp)
  return {
    server,
    close() {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  capture: Capture,
  open: () => ClientRequest,
  { clock, silenceMs, budget, onFailure }: ProxyOptions,
): void {
  let outgoing = open()
  const finish = (kind: EndKind): void => {
    if (capture.end !== null) return
    capture.end = kind
    if (kind === 'eof') return void response.end()
    outgoing.destroy()
    if (kind === 'aborted' || !response.headersSent) return void response.destroy()
    // What is recorded as received has been sent on.
    response.flushHeaders()
    cut(response)
  }
  const listen = (): void => {
    outgoing.setTimeout(silenceMs, () => finish('timeout'))
    outgoing.on('response', (incoming) => {
      const { statusCode: status = 0, headers } = incoming
      try {
        sendHead(incoming, response)
      } catch (error) {
        // Node reads heads that it does not write, such as that of status 000.
        onFailure(capture, codeOf(error))
        finish('reset')
        return
      }
      capture.response = { status, headers, atMs: clock() }
      forward(incoming, response, (bytes) => {
        if (keepBytes(capture, budget, bytes)) capture.chunks.push({ bytes, atMs: clock() })
      })
      incoming.on('end', () => finish('eof'))
      incoming.on('error', () => finish('reset'))
    })
    // The offer to speak something else was not passed on.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy()
      onFailure(capture, 'status 101')
      finish('reset')
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (capture.end !== null) return
      if (isStale(outgoing, error) && capture.response === null && capture.isWhole) {
        // As a rule the provider had closed an idle connection and saw nothing: it is sent again.
        outgoing = open()
        listen()
        for (const bytes of capture.requestChunks) outgoing.write(bytes)
        if (request.readableEnded) outgoing.end()
        // It may have waited for the connection that is gone.
        else request.resume()
        return
      }
      if (capture.response === null && !isBroken(error)) onFailure(capture, error.code ?? 'error')
      finish(error.code === 'ETIMEDOUT' ? 'timeout' : 'reset')
    })
  }
  listen()
  request.on('data', (bytes: Buffer) => {
    if (!outgoing.write(bytes)) waitFor(outgoing, request)
    if (keepBytes(capture, budget, bytes)) capture.requestChunks.push(bytes)
  })
  request.on('end', () => {
    capture.requestedMs = clock()
    capture.isRequestWhole = true
    outgoing.end()
  })
  response.on('close', () => finish('aborted')).on('error', () => finish('aborted'))
}

function sendHead(incoming: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false
  response.writeHead(
    incoming.statusCode ?? 502,
    incoming.statusMessage ?? '',
    headersForClient(incoming.rawHeaders),
  )
  // With the first piece when it is already there, else alone: an agent may wait for the head.
  setImmediate(() => response.flushHeaders())
}

function forward(from: Readable, to: Writable, keep: (bytes: Buffer) => void): void {
  from.on('data', (bytes: Buffer) => {
    if (!to.write(bytes)) waitFor(to, from)
    keep(bytes)
  })
}

/** Stops the source until the sink has taken what it holds. */
function waitFor(to: Writable, from: Readable): void {
  from.pause()
  to.once('drain', () => from.resume())
}

function isStale(outgoing: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return outgoing.reusedSocket && isBroken(error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Whether there was a connection, which broke off: an end like any other. */
function isBroken({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall !== 'connect' && (code === 'ECONNRESET' || code === 'EPIPE')
}
