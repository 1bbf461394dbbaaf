/** What a transcript has said of a session and its turns. */
import type { Call } from './call.ts'

/** A line of the transcript: its number, what it is called, and its time. */
export type Place = { line: number; event: string; timeMs: number | null }

/** A prompt whose turn is open. `id` is null when the turn is inferred. */
export type Prompt = Place & {
  id: string | null
  cancelLine: number | null
  calls: Set<Call>
  updates: number
  lastUpdate: { line: number; event: string } | null
}

/** What is known of a session when a moment is told. */
export type Session = {
  /** Whether the client can know its id. */
  isKnown: boolean
  /** Oldest first. */
  open: Prompt[]
  /** The last prompt that was answered, and where. */
  last: { id: string | null; line: number; timeMs: number | null } | null
  calls: Map<string, Call>
  /** The load or resume in flight, whose updates are history. */
  replay: { id: string; method: string } | null
  mayReplay: boolean
}

export function createSession(): Session {
  return {
    isKnown: false,
    open: [],
    last: null,
    calls: new Map(),
    replay: null,
    mayReplay: false,
  }
}

export function openPrompt(session: Session, id: string | null, place: Place): Prompt {
  const prompt: Prompt = {
    ...place,
    id,
    cancelLine: null,
    calls: new Set(),
    updates: 0,
    lastUpdate: null,
  }
  // Turns inferred before the client was seen tell nothing any more.
  session.open = [...session.open.filter((other) => other.id !== null), prompt]
  return prompt
}

export function closePrompt(session: Session, prompt: Prompt, { line, timeMs }: Place): void {
  session.open = session.open.filter((other) => other !== prompt)
  session.last = { id: prompt.id, line, timeMs }
}
