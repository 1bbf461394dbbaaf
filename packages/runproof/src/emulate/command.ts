/**
 * `runproof emulate`: serves recordings as a provider on 127.0.0.1 until it is
 * told to stop, and says what was asked, what was not recorded, and what nobody
 * asked for.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ReplayError } from '@runproof/replay'
import { createEmulator } from '@runproof/replay/emulator'
import type { EmulatedRequest, Emulator, EmulatorOptions } from '@runproof/replay/emulator'
import { RunproofError } from '../error.ts'
import { createSecretFinder } from '../guard/secret.ts'
import { createOutput, type Output, type Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'
import { readOptions, type EmulateOptions } from './options.ts'
import { readRecordings } from './recordings.ts'

/**
 * @param stopped resolves when the emulator is to end.
 * @returns 1 when a request was not recorded or an exchange was never asked for.
 * @throws RunproofError for options and files it cannot use, or a port that is taken.
 */
export async function runEmulate(
  files: readonly string[],
  options: EmulateOptions,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<0 | 1> {
  const { wire, json, ...emulation } = readOptions(options)
  const { recordings, redact } = await readRecordings(files, wire, terminal.env)
  const output = createOutput(terminal.stdout)
  const print = createPrinter(output, json)
  let requestCount = 0
  // The detectors take a moment to load: what is told waits for them, the address does not.
  const started = Promise.withResolvers<void>()
  const hiding = started.promise.then(() => createHider(terminal.env))
  const tell = async (request: EmulatedRequest): Promise<void> => {
    const hide = await hiding
    print({ request: hide(request) }, String(hide(requestText(request))))
    const { miss } = request
    if (miss !== undefined) terminal.stderr.write(`${lines(String(hide(miss.message)))}\n`)
  }
  const emulator = await start({
    ...emulation,
    recordings,
    ...(redact !== undefined && { redact }),
    onRequest(request) {
      requestCount++
      void tell(request)
    },
  })
  print({ url: emulator.url }, emulator.url)
  started.resolve()
  const input = emulation.pace === 'step' ? releaseByLine(terminal.stdin, emulator) : null
  await stopped
  input?.close()
  await emulator.close()
  await hiding
  const unused = emulator.unused()
  for (const { file = '', exchange } of unused) {
    print({ unused: { file, exchange } }, `never asked for: ${exchange} of ${visible(file)}`)
  }
  const end = { requests: requestCount, misses: emulator.misses.length, unused: unused.length }
  print(
    { end: true, ...end },
    `${end.requests} requests, ${end.misses} not recorded; ${end.unused} recorded never asked for`,
  )
  await output.flush()
  return end.misses + end.unused === 0 ? 0 : 1
}

/** Takes the secrets of the environment, and what looks like one, out of a JSON value. */
async function createHider(env: Terminal['env']): Promise<(value: unknown) => unknown> {
  const { redactValue } = await import('@runproof/replay/redact')
  const finder = await createSecretFinder(env)
  return (value) => redactValue(value, finder)
}

async function start(options: EmulatorOptions): Promise<Emulator> {
  return createEmulator(options).catch((error: unknown) => {
    if (!ReplayError.is(error)) throw error
    const code = error.code === 'port-in-use' ? 'environment' : 'unreadable'
    throw new RunproofError(code, lines(error.message))
  })
}

type Printer = (value: object, text: string) => void

function createPrinter(output: Output, json: boolean): Printer {
  return (value, text) => {
    output.line(json ? visibleJson(value) : text)
    // Line by line: whoever starts an emulator waits for its address.
    void output.flush()
  }
}

function requestText({ method, path, outcome, file, exchange }: EmulatedRequest): string {
  const source = exchange === undefined ? '' : ` ${exchange} of ${visible(file ?? '')}`
  return `${visible(method)} ${visible(path)} => ${outcome}${source}`
}

/** Safe to print, with the lines it has. */
function lines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** A line of a number lets so many events out, any other line one. */
function releaseByLine(stdin: Readable, emulator: Emulator): { close(): void } {
  const reader = createInterface({ input: stdin })
  reader.on('line', (line) => emulator.release(/^\d{1,9}$/.test(line.trim()) ? Number(line) : 1))
  return reader
}
