/** Service `loop`: runs the turns of sessions (`../loop/turn.ts`). */
import type { TurnEndReason } from '@runproof/session-log'
import { number, strictObject, string, type ZodType } from 'zod'
import type { Ask, LoopParts } from '../loop/parts.ts'
import type { RetryPolicy } from '../loop/retry.ts'
import { defaultSystem } from '../loop/system.ts'
import { runTurn } from '../loop/turn.ts'
import type { Context } from '../services.ts'
import type { Session } from '../session.ts'

export const name = 'loop'
export const inject: string[] = ['host', 'backend', 'llm', 'permissions', 'tools']

export type LoopConfig = {
  /** The system prompt; the workspace folder is added to it. Default `../loop/system.ts`. */
  system: string
  /** Model requests in one turn; at the limit the turn ends `max_turn_requests`. */
  stepsMax: number
  retry: RetryPolicy
}

export const Config: ZodType<LoopConfig> = strictObject({
  system: string().min(1).default(defaultSystem),
  stepsMax: number().int().positive().default(100),
  retry: strictObject({
    retriesMax: number().int().min(0).default(5),
    delayMs: number().min(0).default(500),
    delayMsMax: number().min(0).default(10_000),
    jitter: number().min(0).max(1).default(0.1),
  }).prefault({}),
}).prefault({})

export type Loop = {
  /**
   * Runs one turn and returns why it ended; `ask` gets approvals, `signal`
   * cancels (`reason` `'disposed'` says that the process ends). One turn a
   * session at a time, which the caller sees to.
   */
  run(
    session: Session,
    prompt: { type: 'text'; text: string }[],
    control: { ask: Ask; signal: AbortSignal },
  ): Promise<TurnEndReason>
}

export function apply(ctx: Context, { system, stepsMax, retry }: LoopConfig): void {
  const { host, backend, llm, permissions, tools } = ctx
  const log = ctx.logger(name)
  const parts: LoopParts = {
    backend,
    clock: host.clock,
    llm,
    permissions,
    tools,
    createId: () => host.createId(),
    random: () => host.random(),
    warn: (message) => log.warn('%s', message),
    redact: (text) => host.secrets.redact(text),
    system,
    stepsMax,
    retry,
  }
  const loop: Loop = {
    run: (session, prompt, { ask, signal }) => runTurn(parts, { session, ask, signal }, prompt),
  }
  ctx.provide('loop', loop)
}
