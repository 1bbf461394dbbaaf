/** How the answer to a prompt ends its run (contracts, "From ACP to runs"). */
import { valueAt } from '../adapter.ts'
import type { Outcome } from '../envelope.ts'
import type { AcpAnswer } from './line.ts'

/** JSON-RPC's code of a request that was cancelled by `$/cancel_request`. */
export const requestCancelled = -32800

const outcomes: ReadonlyMap<unknown, Outcome> = new Map([
  ['end_turn', 'succeeded'],
  ['max_tokens', 'incomplete'],
  ['max_turn_requests', 'incomplete'],
  ['refusal', 'failed'],
  ['cancelled', 'cancelled'],
] as const)

/** The outcome, or null for a response that names no stop reason of the protocol. */
export function outcomeOf(answer: AcpAnswer): Outcome | null {
  if (answer.kind === 'error') return answer.code === requestCancelled ? 'cancelled' : 'failed'
  return outcomes.get(valueAt(answer.result, 'stopReason')) ?? null
}
