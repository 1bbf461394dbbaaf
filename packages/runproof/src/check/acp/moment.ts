/**
 * What a transcript says at one moment: with what is known of its sessions
 * (session.ts) and calls (call.ts) by then, all that a rule asks (rules.ts). The
 * reader tells it (reader.ts).
 */
import type { AcpAnswer, Peer } from '@runproof/progress/acp'
import type { Call, CallStatus } from './call.ts'
import type { Place, Prompt, Session } from './session.ts'

/** Where the client ended the connection while the agent still ran, and when. */
export type Left = { line: number; timeMs: number | null }

export type Moment = Place &
  (
    | { kind: 'unreadable'; why: string }
    | { kind: 'method'; from: Peer; method: string }
    | {
        kind: 'update'
        session: Session
        sessionId: string | null
        isOfTurn: boolean
        prompt: Prompt | null
        call: {
          id: string
          before: Call | null
          status: CallStatus | null
          announces: boolean
        } | null
      }
    | { kind: 'permission'; callId: string | null; call: Call | null; isOutside: boolean }
    | { kind: 'answered'; prompt: Prompt; answer: AcpAnswer }
    | { kind: 'second-answer'; firstLine: number | null }
    | { kind: 'unanswered'; from: Peer; method: string; prompt: Prompt | null; left: Left | null }
    | { kind: 'unclosed'; prompt: Prompt; afterLine: number | null }
    | { kind: 'egress'; place: string; isAllowed: boolean }
  )

/** What a transcript holds, for rules to say whether they can judge. */
export type Evidence = {
  client: boolean
  agent: boolean
  ends: number
  newSessions: number
  /** Whose requests had no answer when the client left. */
  abandoned: Set<Peer>
}
