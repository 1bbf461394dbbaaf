/**
 * The Agent Client Protocol, version 1, on the host's input and output
 * (`@agentclientprotocol/sdk` 2.x, https://agentclientprotocol.com).
 *
 * Offers initialize, session/new, load, list, prompt, cancel,
 * set_config_option and close. When the input ends, running turns may finish
 * for a moment, then they are ended; everything is answered and on the disk
 * before the host hears that it is finished.
 */
import { ndJsonStream, type AgentConnection } from '@agentclientprotocol/sdk'
import { number, strictObject, type ZodType } from 'zod'
import { createApp } from '../acp/app.ts'
import { createClient } from '../acp/client.ts'
import { createDesk } from '../acp/desk.ts'
import { createTransport } from '../acp/transport.ts'
import type { Context } from '../services.ts'

export const name = 'acp'
export const inject: string[] = ['host', 'loop', 'sessions', 'tools']

export type AcpConfig = {
  /** How long requests may still run after the input ended. */
  graceMs: number
  /** Sessions in one answer to session/list. */
  pageSize: number
}

export const Config: ZodType<AcpConfig> = strictObject({
  graceMs: number().int().min(0).default(400),
  pageSize: number().int().positive().default(50),
}).prefault({})

export function apply(ctx: Context, { graceMs, pageSize }: AcpConfig): void {
  const { host, loop, sessions, tools } = ctx
  const log = ctx.logger(name)
  const transport = createTransport(host.input, host.output)
  // The client is reached through the connection, which needs the handlers first.
  let connection: AgentConnection | null = null
  const desk = createDesk({
    loop,
    findTool: (toolName) => tools.get(toolName),
    client: createClient(() => connection),
  })
  const { app, settled } = createApp({
    host,
    desk,
    sessions,
    pageSize,
    warn: (message) => log.warn('%s', message),
  })
  const shutDown = async (patienceMs: number): Promise<void> => {
    desk.dismissClient()
    const enough = new AbortController()
    await Promise.race([settled(), host.clock.sleep(patienceMs, enough.signal)])
    enough.abort()
    await desk.closeAll()
    await settled()
    // A session that a late request has opened.
    await desk.closeAll()
    await transport.flushed()
    transport.close()
  }
  let closing: Promise<void> | undefined
  const close = (patienceMs: number): Promise<void> =>
    (closing ??= shutDown(patienceMs).then(
      () => host.finished(),
      (error: unknown) => host.finished(error),
    ))
  const serve = async (): Promise<void> => {
    await host.started
    connection = app.connect(ndJsonStream(transport.writable, transport.readable))
    void transport.ended.then(() => close(graceMs))
    await connection.closed
    await close(0)
  }
  host.stop.addEventListener('abort', () => void close(0), { once: true })
  ctx.effect(() => () => close(0))
  void serve()
}
