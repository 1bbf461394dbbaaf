/**
 * One agent from a composition file: builds the root context, provides the
 * host, gives the log its way out, starts the entries, and takes it all down.
 */
import { Context, Logger, type Message } from '@deepseek-ai/cordis'
import { mountComposition, readComposition, type PatchOptions } from './compose.ts'
import type { Host } from './host.ts'
import type { Context as AgentContext } from './services.ts'

export const logLevels = ['error', 'info', 'warn', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** A plugin that has not started after this time is taken for hung. */
const startMsMax = 10_000

export type AgentOptions = {
  host: Omit<Host, 'started'>
  /** Path of the composition file. */
  file: string
  /** Patches on top of the file; one that matches nothing stops the start. */
  patches?: readonly PatchOptions[]
  logLevel: LogLevel
  /** Takes one line of log without its line feed; secrets are redacted already. */
  log(line: string): void
}

export type Agent = {
  /** Stops every plugin in reverse order of dependence; idempotent. */
  close(): Promise<void>
}

/**
 * Starts the agent; it answers on the host's `input` and `output` once every
 * entry runs.
 * @throws AgentError `bad-composition` or `entry-failed`; nothing keeps running then.
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { host } = options
  const entries = await readComposition(options.file, options.patches)
  const ctx: AgentContext = new Context()
  ctx.logger.exporter({
    colors: false,
    levels: { default: logLevels.indexOf(options.logLevel) },
    export(message: Message) {
      const text = Logger.format(this, message)
      options.log(host.secrets.redact(`${message.type} ${message.name}: ${text}`))
    },
  })
  const { promise: started, resolve: serve } = Promise.withResolvers<void>()
  ctx.provide('host', { ...host, started })

  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= ctx.fiber.dispose())
  try {
    await mountComposition(ctx, entries, startMsMax, host.clock.timers)
  } catch (error) {
    await close()
    throw error
  }
  serve()
  return { close }
}
