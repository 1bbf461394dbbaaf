/**
 * Recording → text of version 1 (docs/formats/recording.md).
 *
 * The text depends on the value alone: lines in the order of the exchanges,
 * members in a fixed order, a blob before the first request that refers to it.
 */
import { digestOf, extractBlobs } from './blob.ts'
import type { Exchange, Recording } from './recording.ts'

/** The text, which ends with a line feed. `parseRecording` gives the recording back. */
export function serializeRecording(recording: Recording): string {
  const { version, wire, source, provenance, exchanges } = recording
  const lines: unknown[] = [{ type: 'recording', version, wire, source, ...provenance }]
  const stored = new Set<string>()
  const store = (value: unknown): string => {
    const digest = digestOf(value)
    if (!stored.has(digest)) lines.push({ type: 'blob', digest, value })
    stored.add(digest)
    return digest
  }
  for (const exchange of exchanges) {
    // One by one: as arguments of one call, those of a long stream overflow the stack.
    for (const line of exchangeLines(exchange, store)) lines.push(line)
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function exchangeLines(exchange: Exchange, store: (value: unknown) => string): unknown[] {
  const { n, request, response, events, body, end } = exchange
  const { method, path, headers, key } = request
  const type = 'exchange/request'
  return [
    { type, n, method, path, headers, key, body: extractBlobs(request.body, store) },
    ...(response === null ? [] : [responseLine(n, response)]),
    ...events.map((event) => eventLine(n, event)),
    ...(body === null ? [] : [{ type: 'exchange/body', n, body }]),
    { type: 'exchange/end', n, kind: end.kind, tail: end.tail, optional: end.optional },
  ]
}

// A member without a value is left out of the JSON text.

function responseLine(n: number, response: NonNullable<Exchange['response']>): unknown {
  const { status, headers, dtMs, lineEnd } = response
  return { type: 'exchange/response', n, status, headers, dtMs, lineEnd }
}

function eventLine(
  n: number,
  { dtMs, event, id, data, cuts }: Exchange['events'][number],
): unknown {
  return { type: 'exchange/event', n, dtMs, event, id, data, cuts }
}
