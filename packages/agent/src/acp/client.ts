/** The editor at the other end of a connection. */
import {
  methods,
  type AgentConnection,
  type RequestPermissionOutcome,
} from '@agentclientprotocol/sdk'
import type { ApprovalOutcome } from '../loop/parts.ts'
import type { Client } from './desk.ts'

const allow = 'allow-once'
const reject = 'reject-once'

/** @param getConnection null until the connection stands, when nothing is sent yet */
export function createClient(getConnection: () => AgentConnection | null): Client {
  return {
    update(sessionId, update) {
      // A client that went away misses updates; the log has them.
      getConnection()
        ?.client.notify(methods.client.session.update, { sessionId, update })
        .catch(() => undefined)
    },
    async requestPermission(sessionId, callId) {
      const connection = getConnection()
      if (connection === null) return 'unavailable'
      const { outcome } = await connection.client.request(
        methods.client.session.requestPermission,
        {
          sessionId,
          // The card is on the screen already, with everything there is to say.
          toolCall: { toolCallId: callId },
          options: [
            { optionId: allow, name: 'Allow once', kind: 'allow_once' },
            { optionId: reject, name: 'Reject', kind: 'reject_once' },
          ],
        },
      )
      return readOutcome(outcome)
    },
  }
}

/** What is not clearly an allowance is none. */
function readOutcome(outcome: RequestPermissionOutcome): ApprovalOutcome {
  if (outcome.outcome === 'cancelled') return 'cancelled'
  return outcome.optionId === allow ? 'allowed-once' : 'rejected'
}
