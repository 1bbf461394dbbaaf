/**
 * The envelope of one display event, and the payload of each kind.
 *
 * Follows seed `000_…` ("Progress envelope" of the contracts): exactly the
 * keys run, id, seq, kind, data; `seq` counts from 1 within the run without
 * gaps; `id` stays the same when an event is sent again. The run is bound by
 * the trusted program that makes the consumer, never read from model text.
 */
import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'

/** How a run can end. `paused` is an end: what follows an approval is a new run. */
export type Outcome = 'succeeded' | 'paused' | 'cancelled' | 'failed' | 'incomplete'

/** The payload of every kind the reducer knows. */
export type Payloads = {
  'text.delta': { text: string }
  'model.completed': { response_id: string }
  'tool.requested': { call_id: string }
  'tool.started': { call_id: string }
  'tool.finished': { call_id: string }
  'tool.failed': { call_id: string }
  'approval.wait': Record<string, never>
  'cancel.requested': Record<string, never>
  'run.ended': { outcome: Outcome; final_text: string | null }
  'app.checked': { digest: string; ok: boolean }
}

export type Kind = keyof Payloads

const kinds: ReadonlySet<string> = new Set<Kind>([
  'text.delta',
  'model.completed',
  'tool.requested',
  'tool.started',
  'tool.finished',
  'tool.failed',
  'approval.wait',
  'cancel.requested',
  'run.ended',
  'app.checked',
])

/** Whether the kind belongs to the protocol. */
export function isKind(kind: string): kind is Kind {
  return kinds.has(kind)
}

/** `kind` is any text: a kind outside `Payloads` is carried, and judged `unknown_event`. */
export type Envelope = { run: string; id: string; seq: number; kind: string; data: JsonObject }

/** The largest integer both seeds' languages read alike. */
const seqMax = 2 ** 53

/** An envelope whose shape is right; its payload has not been looked at. */
export type Shape = {
  run: string
  id: string
  seq: number
  kind: string
  data: Record<string, unknown>
}

/**
 * Reads the five fields, each once, or returns null: not a plain object, a
 * missing or extra key, an empty or non-string run, id or kind, a `seq` that is
 * no integer from 1 to 2^53, `data` that is no plain object. Never throws.
 * A `seq` of `1.0` cannot be told from `1` here and is taken.
 */
export function readShape(event: unknown): Shape | null {
  try {
    if (!isJsonObject(event)) return null
    const keys = Object.keys(event)
    if (keys.length !== 5) return null
    for (const key of keys) {
      if (key !== 'run' && key !== 'id' && key !== 'seq' && key !== 'kind' && key !== 'data') {
        return null
      }
    }
    const { run, id, seq, kind, data } = event
    if (typeof run !== 'string' || typeof id !== 'string' || typeof kind !== 'string') return null
    if (run === '' || id === '' || kind === '') return null
    if (typeof seq !== 'number' || !Number.isInteger(seq) || seq < 1 || seq > seqMax) return null
    return isJsonObject(data) ? { run, id, seq, kind, data } : null
  } catch {
    // A getter or a proxy trap of a hostile program threw: no JSON value does.
    return null
  }
}

/**
 * True for what the reducer would not call `bad_envelope`. Looks at the shape
 * only, so for a value that did not come from JSON text `data` may still hold
 * what JSON cannot carry.
 */
export function isEnvelope(value: unknown): value is Envelope {
  return readShape(value) !== null
}
