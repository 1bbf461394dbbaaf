/**
 * The producer: the one place that gives display events their identity.
 *
 * Follows seed `000_…`, adapter: `id` is `<run>:<seq>`, `seq` counts from 1.
 * A retransmission sends the same envelope again, it never calls `emit` twice.
 */
import type { Envelope, Kind, Payloads } from './envelope.ts'
import { isJsonObject } from './json.ts'
import type { JsonObject } from './json.ts'

export type Producer = {
  readonly run: string
  /** The number of the last envelope; 0 before the first. */
  readonly seq: number
  /**
   * The next envelope of the run. `data` is carried as it is, not copied.
   * @throws TypeError when `kind` is empty or `data` is no plain object.
   */
  readonly emit: <K extends string>(
    kind: K,
    data: K extends Kind ? Payloads[K] : JsonObject,
  ) => Envelope
}

/** @throws TypeError when `run` is not a non-empty string. */
export function createProducer(run: string): Producer {
  if (typeof run !== 'string' || run === '') {
    throw new TypeError('createProducer: run must be a non-empty string')
  }
  let seq = 0
  return {
    run,
    get seq() {
      return seq
    },
    emit(kind, data) {
      if (typeof kind !== 'string' || kind === '') {
        throw new TypeError('emit: kind must be a non-empty string')
      }
      if (!isJsonObject(data)) throw new TypeError(`emit: data of ${kind} must be a plain object`)
      seq += 1
      return { run, id: `${run}:${seq}`, seq, kind, data }
    },
  }
}
