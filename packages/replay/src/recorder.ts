/**
 * `@runproof/replay/recorder`: an HTTP proxy between an agent and its provider
 * that remembers what crossed it and gives a recording without secrets.
 *
 * Nothing is written while the run goes on. `close` takes the secrets out,
 * makes sure that the recording still matches the requests that were really
 * sent, and gives it; `writeRecording` puts it on disk.
 */
import type { WireName } from '@runproof/llm'
import { ReplayError } from './error.ts'
import { listenOnLoopback, loopback } from './loopback.ts'
import type { Exchange, Recording, RecordingSource } from './recording/recording.ts'
import { proveRecording, refuseLeftSecrets } from './recorder/prove.ts'
import type { Capture } from './recorder/capture.ts'
import { isUnasked, readExchange } from './recorder/exchange.ts'
import { createProxy } from './recorder/proxy.ts'
import { secretsOfJson } from './redact/member.ts'
import { redactRecording, type RedactionReport } from './redact/recording.ts'
import { createRedactor } from './redact/redactor.ts'
import {
  secretsOfEnvironment,
  secretsOfRequest,
  secretsOfResponse,
  type KnownSecret,
} from './redact/value.ts'

export { writeRecording } from './recorder/write.ts'
export type { WriteOptions } from './recorder/write.ts'
export { createBodyRedactor, holdsSecrets } from './redact/body.ts'
export type { BodyRedactor } from './redact/body.ts'
export { findLeaks, redactRecording } from './redact/recording.ts'
export type { RedactionReport } from './redact/recording.ts'
export type { Suspect } from './redact/entropy.ts'
export { createRedactor } from './redact/redactor.ts'
export type { RedactedSecret, Redactor } from './redact/redactor.ts'
export { secretsOfEnvironment } from './redact/value.ts'
export type { KnownSecret } from './redact/value.ts'

export type RecorderOptions = {
  /** Base address of the provider, `http:` or `https:`; its path stands before that of every request. */
  upstream: string | URL
  wire: WireName
  /** Milliseconds of a clock that does not go back, such as `() => performance.now()`. */
  clock: () => number
  /** The environment of the agent: what its names call a secret is taken out wherever it stands. */
  env?: Readonly<Record<string, string | undefined>>
  /** Further secrets of the run, such as those of its configuration. */
  secrets?: readonly KnownSecret[]
  /** Where the answers come from; default `live`. */
  source?: RecordingSource
  /** Goes into the recording's header; `cwd`, `home` and `temp` are masked in the keys. */
  provenance?: Readonly<Record<string, unknown>>
  /** Port on 127.0.0.1; default: any free one. */
  port?: number
  /** A provider that sends nothing for so long is given up; default 15 minutes. */
  silenceMs?: number
  /** Bytes kept of all exchanges together; default 512 MiB. What goes beyond passes unrecorded. */
  keptBytesMax?: number
  /** Certificates to trust instead of the system's, as PEM. */
  ca?: string
}

export type Recorder = {
  /** What the agent gets as the address of its provider, without a path. */
  url: string
  /**
   * Ends what still runs, and gives the recording; always the same one.
   * @throws ReplayError `proof-failed` when it would not match its own requests, `secret-left`.
   */
  close(): Promise<Recording>
  /** What went wrong that the recording cannot show, in words; complete after `close`. */
  readonly problems: readonly string[]
  /** What was taken out; null before `close`. */
  readonly report: RedactionReport | null
}

const silenceMsDefault = 15 * 60_000
const keptBytesMaxDefault = 512 * 1024 * 1024

/** @throws ReplayError `bad-config` for an address that is none, `port-in-use`. */
export async function createRecorder(options: RecorderOptions): Promise<Recorder> {
  const upstream = readUpstream(options.upstream)
  const captures: Capture[] = []
  const problems: string[] = []
  const proxy = createProxy({
    upstream,
    clock: options.clock,
    silenceMs: options.silenceMs ?? silenceMsDefault,
    budget: { leftBytes: options.keptBytesMax ?? keptBytesMaxDefault },
    ca: options.ca,
    onCapture: (capture) => captures.push(capture),
    onFailure: ({ n }, code) =>
      problems.push(`exchange ${n}: ${upstream.origin} ${describeFailure(code)}`),
    onNoHttp: (code) => problems.push(`the agent sent what is no HTTP request (${code})`),
  })
  const port = await listenOnLoopback(proxy.server, options.port ?? 0)
  let report: RedactionReport | null = null

  const close = async (): Promise<Recording> => {
    proxy.close()
    const exchanges: Exchange[] = []
    for (const capture of captures.filter((one) => !isUnasked(one))) {
      const exchange = await readExchange(capture)
      if (typeof exchange === 'string') problems.push(`exchange ${capture.n} ${exchange}`)
      else exchanges.push(exchange)
    }
    // Those a replay knows, too.
    const beforehand = [...(options.secrets ?? []), ...secretsOfEnvironment(options.env ?? {})]
    const redactor = await createRedactor([
      ...beforehand,
      ...captures.flatMap(({ headers, path, response }) => [
        ...secretsOfRequest(headers, path),
        ...secretsOfResponse(response?.headers ?? {}),
      ]),
      ...exchanges.flatMap(({ request }) => secretsOfJson(request.body)),
    ])
    const raw: Recording = {
      version: 1,
      wire: options.wire,
      source: options.source ?? 'live',
      provenance: { upstream: upstream.origin, ...options.provenance },
      exchanges,
    }
    const redacted = redactRecording(raw, redactor)
    refuseLeftSecrets(redacted.recording, redactor)
    await proveRecording(redacted.recording, exchanges, beforehand)
    report = redacted.report
    return redacted.recording
  }
  let closing: Promise<Recording> | undefined
  return {
    url: `http://${loopback}:${port}`,
    close: () => (closing ??= close()),
    problems,
    get report() {
      return report
    },
  }
}

function describeFailure(code: string): string {
  const isAnswer = /^(?:HPE_|ERR_HTTP|ERR_INVALID_CHAR|status )/.test(code)
  return isAnswer ? `gives an answer that cannot be read (${code})` : `cannot be reached (${code})`
}

function readUpstream(given: string | URL): URL {
  const upstream = URL.parse(String(given))
  if (upstream !== null && /^https?:$/.test(upstream.protocol)) return upstream
  throw new ReplayError(
    'bad-config',
    'upstream is no http or https address; give the base address of the provider, such as https://api.example.com',
  )
}
