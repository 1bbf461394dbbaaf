/**
 * What a recording is: the exchanges of one agent run with its provider, as
 * values. Their text form is `parse.ts` and `serialize.ts`; the normative page
 * is docs/formats/recording.md.
 *
 * Invariants: `n` is unique and ascending; an exchange has events or a body,
 * never both; headers have lower-case names; nothing here is secret, which is
 * the recorder's duty before a recording is written.
 */
import type { WireName } from '@runproof/llm'

export type Recording = {
  version: 1
  wire: WireName
  /** Where the answers come from: a provider, an emulator, or somebody who wrote them. */
  source: RecordingSource
  /**
   * How it came about, for people and for `contextOf`: `cwd`, `home` and `temp`
   * are folders of the recorded run, where its texts still hold them. Any other
   * name may be used but `type`, `version`, `wire` and `source`.
   */
  provenance: Record<string, unknown>
  exchanges: Exchange[]
}

export const recordingSources = ['live', 'emulated', 'authored'] as const
export type RecordingSource = (typeof recordingSources)[number]

/** One request and what came back. */
export type Exchange = {
  /** Number in its recording, from 1. */
  n: number
  request: RecordedRequest
  /** null: the connection ended before the head of a response. */
  response: RecordedResponse | null
  /** Server-sent events in order; empty when the answer was none or something else. */
  events: RecordedEvent[]
  /** The body of an answer that was no event stream; null when there was none. */
  body: string | null
  end: ExchangeEnd
}

export type RecordedRequest = {
  method: string
  /** As sent, with the query. */
  path: string
  headers: Record<string, string>
  /** Of `requestKey`: for readers and tools. A matcher computes it again from the body. */
  key: string
  /** The JSON value; a body that was no JSON as text; null when there was none. */
  body: unknown
}

export type RecordedResponse = {
  status: number
  headers: Record<string, string>
  /** From the end of the request to the head of the response, in milliseconds; absent counts as 0. */
  dtMs?: number
  /** How the lines of its events end; absent: LF. */
  lineEnd?: 'crlf'
}

export type RecordedEvent = {
  /** Since the event before, in milliseconds; of the first one, since the head of the response. */
  dtMs: number
  data: string
  /** Absent: the frame names no event, which a decoder reads as `message`. */
  event?: string
  /** The id its frame sets; absent when its frame has no `id` line. */
  id?: string
  /**
   * Where chunks ended inside the frame (`encodeFrame`): ascending byte offsets
   * from 1 to its length. Absent: one chunk ended with the frame, and nowhere
   * else. Empty: the chunk goes on into the next frame.
   */
  cuts?: number[]
}

export const endKinds = ['eof', 'reset', 'aborted', 'timeout'] as const

export type ExchangeEnd = {
  /**
   * `eof`: the response was complete. `reset`: the connection broke off.
   * `aborted`: the agent went away. `timeout`: the provider fell silent, and
   * the recorder broke the connection off.
   */
  kind: (typeof endKinds)[number]
  /** What came after the last whole event of a stream that broke off inside a frame. */
  tail?: string
  /** A replay may leave this exchange unused: auxiliary calls whose coming depends on time. */
  optional?: boolean
}
