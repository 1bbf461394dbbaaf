/**
 * What a transcript says at one moment, and what is known of its sessions by
 * then: all that a rule asks (rules.ts). The reader tells it (reader.ts).
 */
import type { AcpAnswer, Peer } from '@runproof/progress/acp'

export type CallStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

export type Call = {
  id: string
  status: CallStatus
  /** False while only a permission request has named the call. */
  isAnnounced: boolean
  /** False while nothing but questions has named it that wait, or were answered no. */
  hasComeToBe: boolean
  isBackground: boolean
  /** Lines of the permission requests that wait for their answers. */
  questionLines: Set<number>
  /** Where a question was answered no. */
  refusedLine: number | null
  /** Whether any question was answered otherwise. */
  isAllowed: boolean
}

/** A prompt whose turn is open. `id` is null when the turn is inferred. */
export type Prompt = {
  id: string | null
  line: number
  event: string
  timeMs: number | null
  cancelLine: number | null
  calls: Set<Call>
  updates: number
  lastUpdate: { line: number; event: string } | null
}

/** What is known of a session when a moment is told. */
export type Session = {
  /** Whether the client can know its id. */
  isKnown: boolean
  open: Prompt[]
  /** The last prompt that was answered, and where. */
  last: { id: string | null; line: number; timeMs: number | null } | null
  calls: Map<string, Call>
  /** The load or resume in flight, whose updates are history. */
  replay: { id: string; method: string } | null
  mayReplay: boolean
}

/** Where the client ended the connection while the agent still ran, and when. */
export type Left = { line: number; timeMs: number | null }

export type Moment = { line: number; event: string; timeMs: number | null } & (
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
