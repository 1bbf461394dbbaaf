/** One key for the differences that one change of an agent brought about in many scenarios. */
import { createHash } from 'node:crypto'
import type { Difference, EventChange, FieldChange } from './difference.ts'
import { gistOf } from './event.ts'
import { fieldsMax, unitsMax } from './field.ts'

/**
 * What the changes have in common across scenarios: kinds, events, field paths
 * without indexes, and the edit without what stays the same around it. Whoever
 * accepts one accepts all of its cause, so nothing that an event says is left out
 * but its numbering.
 */
export function causeOf(
  file: string,
  kind: Difference['kind'],
  changes: readonly EventChange[] = [],
): string {
  const told = changes.flatMap(marksOf)
  // Numbers follow from another change; without one they are the change.
  const marks = told.length > 0 ? told : changes.flatMap(numberMarksOf)
  const name = file.replace(/\.\d+\./, '.')
  const parts = [kind, name, ...new Set(marks.toSorted())]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}

function marksOf(change: EventChange): string[] {
  const { kind, event } = change
  switch (kind) {
    case 'renumbered':
      return []
    case 'extra':
      return [`extra ${event} ${gistOf(change.actual)}`]
    case 'missing':
    case 'moved':
      return [`${kind} ${event} ${gistOf(change.expected)}`]
    default: {
      const { fields, expected, actual } = change
      // What does not tell all fields whole is told by its lines.
      const isTold = Math.max(expected.length, actual.length) <= unitsMax
      if (fields.length === 0 || fields.length >= fieldsMax || !isTold) {
        return [`changed ${event} ${editOf(gistOf(expected), gistOf(actual))}`]
      }
      return fields.map((field) => `changed ${event} ${markOf(field)}`)
    }
  }
}

const numberMarksOf = (change: EventChange): string[] =>
  change.kind === 'renumbered'
    ? change.fields.map((field) => `renumbered ${change.event} ${markOf(field)}`)
    : []

const markOf = ({ path, expected, actual }: FieldChange): string =>
  `${path.replaceAll(/\[\d+\]/g, '[]')} ${editOf(expected, actual)}`

function editOf(before: unknown, after: unknown): string {
  if (typeof before !== 'string' || typeof after !== 'string') {
    return `${JSON.stringify(before)}→${JSON.stringify(after)}`
  }
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return `${before.slice(start, before.length - end)}→${after.slice(start, after.length - end)}`
}
