/** One key for the differences that one change of an agent brought about in many scenarios. */
import { createHash } from 'node:crypto'
import type { Difference, EventChange } from './difference.ts'

/**
 * What the changes have in common across scenarios: kinds, events, field paths
 * without indexes, and the edit without what stays the same around it.
 */
export function causeOf(
  file: string,
  kind: Difference['kind'],
  changes: readonly EventChange[] = [],
): string {
  const marks = changes.flatMap((change) => {
    if (change.kind === 'renumbered') return []
    if (change.kind !== 'changed') return [`${change.kind} ${change.event}`]
    const { event, fields, expected, actual } = change
    if (fields.length === 0) return [`changed ${event} ${editOf(expected, actual)}`]
    return fields.map(
      (field) =>
        `changed ${event} ${field.path.replaceAll(/\[\d+\]/g, '[]')} ${editOf(field.expected, field.actual)}`,
    )
  })
  const name = file.replace(/\.\d+\./, '.')
  const parts = [kind, name, ...new Set(marks.toSorted())]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}

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
