/**
 * Header and events → lines, the inverse of `reader.ts`.
 *
 * Invariant: the text depends on the values only, not on the order in which
 * an object was built: known fields come in the order of the format, other
 * fields after them as they stand. A log read and written again is the same
 * bytes when its writer followed that order and wrote JSON as
 * `JSON.stringify` does.
 */
import { fieldsOf } from './event.ts'
import type { SessionEvent, SessionHeader } from './event.ts'

const headerKeys = [
  'type',
  'version',
  'id',
  'createdAt',
  'cwd',
  'parentSession',
  'seedLength',
  'origin',
  'delegationDepth',
  'agentPreset',
]

const eventKeys = ['type', 'seq', 'time', 'data', 'ignorable', 'sourceEventSeqs', 'surfaceOp']

/** One line, without its newline. */
export function serializeHeader(header: SessionHeader): string {
  return JSON.stringify(ordered(header, headerKeys))
}

/** One line, without its newline. */
export function serializeEvent(event: SessionEvent): string {
  const data = ordered(event.data, Object.keys(fieldsOf(event.type)))
  return JSON.stringify(ordered({ ...event, data }, eventKeys))
}

/** The whole text, each line ended by a newline. */
export function serializeSessionLog(log: {
  header: SessionHeader
  events: Iterable<SessionEvent>
}): string {
  const lines = [serializeHeader(log.header)]
  for (const event of log.events) lines.push(serializeEvent(event))
  return `${lines.join('\n')}\n`
}

/** `fromEntries` and not assignment: a key `__proto__` must stay a key. */
function ordered(value: object, keys: readonly string[]): Record<string, unknown> {
  const rank = (key: string): number => (keys.includes(key) ? keys.indexOf(key) : keys.length)
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => rank(a) - rank(b)))
}
