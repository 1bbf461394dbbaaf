/**
 * What every adapter from a foreign protocol is: it turns foreign events into
 * envelopes of one run, and says nothing it has no evidence for.
 *
 * Rules that hold for each of them: the end of a smaller scope never ends the
 * run; an event that is not on the adapter's list becomes
 * `adapter.unsupported_event`, which the reducer does not know and therefore
 * never passes over; only the owner's observation, or the protocol's own end of
 * a run, signs `run.ended`.
 */
import type { Envelope, Outcome } from './envelope.ts'
import type { Producer } from './producer.ts'

/** `O` is what the owner of the stream can tell about its end. */
export type Adapter<O = Observation> = {
  /** The envelopes of one foreign event, in order; none for a known copy. Never throws on JSON. */
  push(event: unknown): Envelope[]
  /** Called once the stream is over: `run.ended`, or nothing when the evidence is too weak. */
  finish(observation: O): Envelope[]
}

/**
 * What the owner of a run knows when its stream is over, from the lifecycle and
 * never from the model's text. What is not known proves nothing: no end is
 * signed on it.
 */
export type Observation = {
  /** The event iterator came to its own end: no break, no unsubscribe, no broken connection. */
  readonly exhausted: boolean
  /** The SDK calls the run complete. */
  readonly isComplete: boolean
  /** What waits for an approval; an empty array is none. */
  readonly interruptions: boolean | readonly unknown[]
  /** Somebody asked to cancel this run; then it is never a success. */
  readonly cancelRequested: boolean
  /** An execution failure is confirmed. A lost connection is `exhausted: false` instead. */
  readonly runtimeFailed: boolean
  /** The candidate; anything but text is none. */
  readonly finalText: string | null | undefined
}

/** The end that an observation proves, as at most one envelope. */
export function signEnd(producer: Producer, observation: Observation): Envelope[] {
  const outcome = outcomeOf(observation)
  if (outcome === null) return []
  const { finalText } = observation
  const candidate = outcome !== 'failed' && typeof finalText === 'string' ? finalText : null
  return [producer.emit('run.ended', { outcome, final_text: candidate })]
}

function outcomeOf(observation: Observation): Outcome | null {
  const { exhausted, isComplete, interruptions, cancelRequested, runtimeFailed } = observation
  if (runtimeFailed) return 'failed'
  if (!exhausted || !isComplete) return null
  if (cancelRequested) return 'cancelled'
  if (Array.isArray(interruptions) ? interruptions.length > 0 : interruptions) return 'paused'
  return typeof observation.finalText === 'string' ? 'succeeded' : null
}

/** The value at a path of keys, or undefined where the path leaves the data. Never throws. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

/** The non-empty text at a path of keys, or null. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = valueAt(value, ...path)
  return typeof found === 'string' && found !== '' ? found : null
}
