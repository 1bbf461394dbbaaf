/**
 * A provider on 127.0.0.1 that answers from recordings. This file owns the
 * server: sockets, bodies, the end. What is answered is decided in `decide.ts`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Timers } from '@runproof/llm'
import { headBytesMax, http } from '../http.ts'
import { listenOnLoopback, loopback } from '../loopback.ts'
import type { RunContext } from '../match/context.ts'
import { withoutQuery } from '../match/endpoint.ts'
import type { AuxiliaryAnswers } from './auxiliary.ts'
import { tellNoHttp } from '../no-http.ts'
import { pathOf } from '../request-target.ts'
import { createDecider } from './decide.ts'
import type { Decider, Decision, Incoming, Outcome } from './decide.ts'
import type { ExchangeRef, Fault } from './fault.ts'
import { findExchange, loadRecordings } from './load.ts'
import type { EmulatorRecording } from './load.ts'
import type { EmulatorMiss } from './miss.ts'
import { createPacing } from './pace.ts'
import type { Pace, Pacing } from './pace.ts'
import { readBody } from './read-request.ts'
import { respond } from './respond.ts'

export type EmulatorOptions = {
  recordings: readonly EmulatorRecording[]
  /** Default 0: any that is free. */
  port?: number
  /** When the chunks of an answer go; default `instant`. */
  pace?: Pace
  faults?: readonly Fault[]
  /** Folders of the live run: masked in its requests, put into answers for those of the recorded run. */
  context?: RunContext
  /** Serve an exchange again when all with its key were served; default false. */
  repeat?: boolean
  /**
   * `answer`: a request nobody recorded that offers no tools or demands a form,
   * or that says something else than a session log's prompts, gets a neutral
   * answer. `answer-schema`: the same, but for an agent that never offers tools,
   * so that to offer none says nothing. Default `refuse`.
   */
  auxiliary?: AuxiliaryAnswers
  /** Applied to a body before it is compared: what the recorder did to recorded ones. */
  redact?: (body: unknown) => unknown
  /** Told about each request when it is decided. */
  onRequest?: (request: EmulatedRequest) => void
  /** Times `recorded` and `xN`; default `setTimeout`. */
  timers?: Timers
}

export type EmulatedRequest = {
  method: string
  /** Without its query, which may hold a key. */
  path: string
  outcome: Outcome
  /** Of the recording or session log that answered. */
  file?: string
  /** Number of the exchange or call in it. */
  exchange?: number
  /** Of the outcome `miss`. */
  miss?: EmulatorMiss
}

/** A recorded exchange, or a call of a session log, that was not asked for. */
export type UnusedExchange = { file?: string; exchange: number; method: string; path: string }

export type Emulator = {
  /** Without `/v1` and trailing slash. */
  readonly url: string
  /** In the order in which they came; grows. */
  readonly misses: readonly EmulatorMiss[]
  /** What had to be asked for and was not. */
  readonly unused: () => UnusedExchange[]
  /** At pace `step`: lets this many more events out, of one exchange or of the streams that wait longest. */
  readonly release: (eventCount: number, exchange?: number | ExchangeRef) => void
  /** Ends the server and every connection. Idempotent. */
  readonly close: () => Promise<void>
}

const systemTimers: Timers<NodeJS.Timeout> = {
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (handle) => clearTimeout(handle),
}

/**
 * Starts an emulator. Requests of one key are served in the order of their
 * recording; concurrent requests of different keys do not touch each other.
 *
 * @throws ReplayError `missing-file`, `bad-recording`, `bad-log`,
 * `bad-override`, `unfinished-call`, `bad-config` (a fault, a wire) or
 * `port-in-use`.
 */
export async function createEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { recordings, port = 0, pace = 'instant', faults = [], context = {} } = options
  const loaded = await loadRecordings(recordings, faults, context)
  const decider = await createDecider(loaded, {
    context,
    repeat: options.repeat ?? false,
    auxiliary: options.auxiliary ?? 'refuse',
  })
  const pacing = createPacing(pace, options.timers ?? systemTimers)
  const misses: EmulatorMiss[] = []
  const tell: Tell = (sent, decision) => {
    if (decision.miss !== undefined) misses.push(decision.miss)
    options.onRequest?.(describe(sent, decision))
  }
  const handler = createHandler({ decider, pacing, tell, redact: options.redact })
  // Idle connections stay: a client must not lose a race against their end.
  const server = http.createServer(
    { keepAliveTimeout: 0, requestTimeout: 0, noDelay: true, maxHeaderSize: headBytesMax },
    handler,
  )
  tellNoHttp(server, (parserCode) => {
    const sent = { method: '', path: '', headers: {} }
    const reason = `what came is no HTTP request (${parserCode}), as of an agent that was told https`
    void decider.refuse(sent, { code: 'bad-request', reason }).then((miss) => tell(sent, miss))
  })
  const url = `http://${loopback}:${await listenOnLoopback(server, port)}`
  return {
    url,
    misses,
    unused: () => [
      ...decider.unusedExchanges().map(({ file, exchange: { n, request } }) => ({
        ...(file === null ? {} : { file }),
        exchange: n,
        method: request.method,
        path: request.path,
      })),
      ...decider.unusedCalls().map(({ script, n }) => {
        return { file: script.file, exchange: n, method: 'POST', path: '' }
      }),
    ],
    release(eventCount, exchange) {
      pacing.release(
        eventCount,
        exchange === undefined ? undefined : findExchange(exchange, loaded.exchanges),
      )
    },
    async close() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

/** Takes down what a request was given. */
type Tell = (sent: Omit<Incoming, 'body'>, decision: Decision) => void

type Handling = {
  decider: Decider
  pacing: Pacing
  tell: Tell
  redact: EmulatorOptions['redact']
}

function createHandler({ decider, pacing, tell, redact }: Handling) {
  const decide = async (sent: Incoming): Promise<Decision> => {
    try {
      return await decider.decide(
        redact === undefined ? sent : { ...sent, body: redact(sent.body) },
      )
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return decider.refuse(sent, { code: 'cannot-serve', reason })
    }
  }
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url, headers } = request
    const sent = { method, path: pathOf(url), headers }
    const read = await readBody(request)
    const decision =
      'problem' in read
        ? await decider.refuse(sent, { code: 'bad-request', reason: read.problem })
        : await decide({ ...sent, body: read.body })
    tell(sent, decision)
    const { answer, served, call } = decision
    const waiter = served === undefined && call === undefined ? null : pacing.open(served ?? call)
    await respond(response, answer, waiter)
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    // Rejected: the client left while it sent, or there is nobody to write to.
    handle(request, response).catch(() => response.destroy())
  }
}

function describe(
  { method, path }: Omit<Incoming, 'body'>,
  { outcome, served, call, miss }: Decision,
): EmulatedRequest {
  const file = served?.file ?? call?.script.file
  const exchange = served?.exchange.n ?? call?.n
  return {
    method,
    path: withoutQuery(path),
    outcome,
    ...(file === undefined || file === null ? {} : { file }),
    ...(exchange === undefined ? {} : { exchange }),
    ...(miss === undefined ? {} : { miss }),
  }
}
