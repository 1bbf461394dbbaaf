/**
 * The process around an agent: the real host, the signals, the exit code.
 *
 * Exit codes: 0 after the protocol's other end went away or a signal asked to
 * stop; 1 when something unforeseen failed; 2 for a bad command line or a
 * composition that does not start. Stdout carries protocol and nothing else:
 * whatever prints through `console` goes to stderr.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { config } from 'zod'
import { createSecrets, readFolderEnvironment } from './environment.ts'
import { AgentError, messageOf } from './error.ts'
import type { Clock, Host, Mode } from './host.ts'
import { help, readOptions, type Options } from './options.ts'
import { startAgent } from './start.ts'

/** After the end of stdin or a signal, a plugin that does not let go is left behind. */
const stopMsMax = 3000

// Every schema sees a handful of values: compiling checkers for them costs more than it saves.
config({ jitless: true })

const secrets = createSecrets()

/** Runs the bin to its end and exits the process. */
export async function main(argv: string[]): Promise<void> {
  globalThis.console = new console.Console(process.stderr, process.stderr)
  try {
    const options = readOptions(argv, process.env)
    if (options.command === 'help') await show(help)
    else if (options.command === 'version') await show(`${readVersion()}\n`)
    else await run(options)
    process.exitCode = 0
  } catch (error) {
    const known = error instanceof AgentError
    const stack = error instanceof Error ? error.stack : undefined
    print(secrets.redact(known ? error.message : (stack ?? messageOf(error))))
    process.exitCode = known ? 2 : 1
  }
  // An unforeseen handle, such as a plugin's timer, must not hold the process.
  process.exit()
}

async function run(options: Extract<Options, { command: 'start' }>): Promise<void> {
  const stop = new AbortController()
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
  const host = createHost(options.mode, stop.signal, (failure) =>
    failure === undefined ? resolve() : reject(failure),
  )
  const { file, patches, logLevel } = options
  const agent = await startAgent({ host, file, patches, logLevel, log: print })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop.abort()
      leaveAtLast()
    })
  }
  process.stdin.once('end', leaveAtLast)
  try {
    await finished
  } finally {
    await agent.close()
  }
}

function leaveAtLast(): void {
  setTimeout(() => {
    print(`not done ${stopMsMax} ms after the end, leaving`)
    process.exit(1)
  }, stopMsMax)
}

function createHost(
  mode: Mode,
  stop: AbortSignal,
  finished: Host['finished'],
): Omit<Host, 'started'> {
  return {
    mode,
    version: readVersion(),
    env: process.env,
    // A key that lies about in a folder must not reach a replay.
    folderEnv: mode === 'replay' ? {} : readFolderEnvironment(process.cwd()),
    secrets,
    clock: realClock,
    // The global one: `node:crypto` as a module costs milliseconds at the start.
    createId: () => crypto.randomUUID(),
    random: Math.random,
    input: process.stdin,
    output: process.stdout,
    stop,
    finished,
  }
}

const realClock: Clock = {
  now: Date.now,
  async sleep(delayMs, signal) {
    try {
      await delay(delayMs, undefined, { signal })
    } catch {
      // Aborted: waking early is the promise.
      return
    }
  },
  timers: { set: setTimeout, clear: clearTimeout },
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const manifest: unknown = JSON.parse(text)
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}

/** Resolves when the text is out: an exit does not wait for a pipe. */
function show(text: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(text, () => resolve()))
}

/** Control characters of a provider's or a model's text would drive the terminal. */
const controls = /(?![\n\t])\p{Cc}/gu

function print(line: string): void {
  process.stderr.write(`runproof-agent: ${line.replaceAll(controls, '')}\n`)
}
