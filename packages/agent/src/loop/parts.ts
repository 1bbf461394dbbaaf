/** What the loop works with: the services and settings one turn needs. */
import type { Backend } from '../backend.ts'
import type { Clock } from '../host.ts'
import type { LlmRuntime } from '../plugins/llm.ts'
import type { Permissions } from '../plugins/permissions.ts'
import type { ToolRegistry } from '../plugins/tools.ts'
import type { Session } from '../session.ts'
import type { RetryPolicy } from './retry.ts'

export type LoopParts = {
  backend: Backend
  clock: Clock
  llm: LlmRuntime
  permissions: Permissions
  tools: ToolRegistry
  createId: () => string
  random: () => number
  warn: (message: string) => void
  /** The text without the keys this process has used. */
  redact: (text: string) => string
  system: string
  /** Model requests in one turn. */
  stepsMax: number
  retry: RetryPolicy
}

/** How a permission request ended, in the words of the log. */
export type ApprovalOutcome = 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable'

/** Asks the person at the other end; settles also when the turn is aborted; never rejects. */
export type Ask = (callId: string) => Promise<ApprovalOutcome>

/** One turn on its way. */
export type Turn = {
  session: Session
  turn: number
  ask: Ask
  /** Ends the turn; its reason is the `TurnEndReason` to log. */
  signal: AbortSignal
}
