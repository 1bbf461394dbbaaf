/**
 * A fact: one event of the run reduced to what its identity and its effect
 * need, cut loose from the caller's object.
 *
 * Invariant: two envelopes of a run with the same id carry the same content
 * exactly when their facts have equal seq, code and piece. Kinds whose payload
 * is one string (nearly all events of a run) keep that string as it is, so
 * that a text delta costs nothing beyond its text; every other event, and
 * every malformed payload, keeps the canonical JSON of `[kind, data]`.
 */
import type { Kind, Shape } from './envelope.ts'
import { canonicalJson } from './json.ts'

/** How `piece` is to be read. Numbers, because the ledger stores one byte an event. */
export const codes = {
  json: 0,
  textDelta: 1,
  modelCompleted: 2,
  toolRequested: 3,
  toolStarted: 4,
  toolFinished: 5,
  toolFailed: 6,
} as const

export type Code = (typeof codes)[keyof typeof codes]

/** `kind` is what the rules go by; `code` and `piece` already hold it for identity. */
export type Fact = { id: string; seq: number; kind: string; code: Code; piece: string }

/** A kind whose payload is one string, and the name of that string. */
type StringKind = { kind: Kind; code: Code; field: string }

const stringKinds: readonly StringKind[] = [
  { kind: 'text.delta', code: codes.textDelta, field: 'text' },
  { kind: 'model.completed', code: codes.modelCompleted, field: 'response_id' },
  { kind: 'tool.requested', code: codes.toolRequested, field: 'call_id' },
  { kind: 'tool.started', code: codes.toolStarted, field: 'call_id' },
  { kind: 'tool.finished', code: codes.toolFinished, field: 'call_id' },
  { kind: 'tool.failed', code: codes.toolFailed, field: 'call_id' },
]

const byKind: ReadonlyMap<string, StringKind> = new Map(
  stringKinds.map((form) => [form.kind, form]),
)

/** The kind that `code` stands for, or null for `codes.json`. */
export function kindOf(code: number): Kind | null {
  return stringKinds.find((form) => form.code === code)?.kind ?? null
}

/** The code of a kind whose payload is one string, or `codes.json`. */
export function codeOf(kind: string): Code {
  return byKind.get(kind)?.code ?? codes.json
}

/** Whether two facts with the same id are the same event. */
export function isSameFact(
  a: { readonly seq: number; readonly code: number; readonly piece: string },
  b: { readonly seq: number; readonly code: number; readonly piece: string },
): boolean {
  return a.seq === b.seq && a.code === b.code && a.piece === b.piece
}

/** The fact of an envelope, or null when its payload is not JSON. Never throws. */
export function readFact({ id, seq, kind, data }: Shape): Fact | null {
  try {
    const form = byKind.get(kind)
    if (form !== undefined) {
      const keys = Object.keys(data)
      if (keys.length === 1 && keys[0] === form.field) {
        const piece = data[form.field]
        if (typeof piece === 'string') return { id, seq, kind, code: form.code, piece }
      }
    }
    const piece = canonicalJson([kind, data])
    return piece === null ? null : { id, seq, kind, code: codes.json, piece }
  } catch {
    // A getter or a proxy trap of a hostile program threw: no JSON value does.
    return null
  }
}
