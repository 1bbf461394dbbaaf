/**
 * Compares an output with its golden, line by line, as events. Both sides are
 * normalised already; key order inside a JSON object means nothing.
 */
import { visible } from '../visible.ts'
import { alignEvents, type Pair } from './align.ts'
import { causeOf } from './cause.ts'
import { describeChange } from './describe.ts'
import type { Difference, EventChange } from './difference.ts'
import { readEvents } from './event.ts'
import { fieldChanges } from './field.ts'

/** Further changes are counted, not listed. */
export const changesMax = 200

/** Longer lines are cut in what a difference shows. */
const lineUnitsMax = 4000

export type Comparison = {
  scenario: string
  /** The file's name within its scenario, as people know it. */
  file: string
  /** Lines without their ends; null when there is no golden. */
  expected: readonly string[] | null
  /** Null when the run did not produce the output at all. */
  actual: readonly string[] | null
}

/** @returns null when nothing differs. */
export function compareLines({ scenario, file, expected, actual }: Comparison): Difference | null {
  if (expected === null || actual === null) {
    return expected === actual ? null : wholeFile(scenario, file, expected, actual)
  }
  if (expected.length === actual.length && expected.every((line, at) => line === actual[at])) {
    return null
  }
  const changes = changesOf(alignEvents(readEvents(expected), readEvents(actual)))
  const [first] = changes.filter(({ kind }) => kind !== 'renumbered').concat(changes)
  if (first === undefined) return null
  const kind = 'changed'
  const more = changes.length - 1
  return {
    scenario,
    file,
    kind,
    summary: visible(describeChange(first)) + (more === 0 ? '' : ` (+${more} more)`),
    cause: causeOf(file, kind, changes),
    changes: changes.slice(0, changesMax).map(cut),
    changeCount: changes.length,
  }
}

/** A file that one side has not: every line is a change. */
function wholeFile(
  scenario: string,
  file: string,
  expected: readonly string[] | null,
  actual: readonly string[] | null,
): Difference {
  const kind = expected === null ? 'extra' : 'missing'
  const changes = changesOf(alignEvents(readEvents(expected ?? []), readEvents(actual ?? [])))
  const lines = changes.length === 1 ? '1 line' : `${changes.length} lines`
  const summary =
    kind === 'extra'
      ? `there is no ${file} yet: the run produced ${lines}`
      : `${file} is expected (${lines}) and was not produced`
  // A file that is new is nobody's change: each is looked at on its own.
  const cause = causeOf(kind === 'extra' ? `${scenario}/${file}` : file, kind)
  return {
    scenario,
    file,
    kind,
    summary: visible(summary),
    cause,
    changes: changes.slice(0, changesMax).map(cut),
    changeCount: changes.length,
  }
}

function changesOf(pairs: readonly Pair[]): EventChange[] {
  const changes: EventChange[] = []
  for (const { expected, actual } of pairs) {
    if (expected === null) {
      const { label: event, line: actualLine, text } = actual
      changes.push({ kind: 'extra', event, actualLine, actual: text })
      continue
    }
    const { label: event, line, text } = expected
    if (actual === null) {
      changes.push({ kind: 'missing', event, line, expected: text })
      continue
    }
    if (expected.content === actual.content) continue
    const isJson = expected.value !== null && actual.value !== null
    const fields = isJson ? fieldChanges(expected.value, actual.value) : []
    const actualLine = actual.line
    const previous = changes.at(-1)
    if (expected.shape !== actual.shape) {
      const sides = { expected: text, actual: actual.text }
      changes.push({ kind: 'changed', event, line, actualLine, ...sides, fields })
    } else if (previous?.kind === 'renumbered') previous.count++
    else changes.push({ kind: 'renumbered', event, line, actualLine, count: 1, fields })
  }
  return withMoves(changes)
}

/** One event missing here and extra there, word for word, has moved. */
function withMoves(changes: readonly EventChange[]): EventChange[] {
  const extras = changes.filter((change) => change.kind === 'extra')
  const taken = new Set<EventChange>()
  const moved = changes.map((change): EventChange => {
    if (change.kind !== 'missing') return change
    const { event, line, expected } = change
    const extra = extras.find((other) => !taken.has(other) && other.actual === expected)
    if (extra === undefined) return change
    taken.add(extra)
    return { kind: 'moved', event, line, actualLine: extra.actualLine, expected }
  })
  return moved.filter((change) => !taken.has(change))
}

/** The change with its lines as long as they are shown. */
function cut(change: EventChange): EventChange {
  return {
    ...change,
    ...('expected' in change && { expected: excerpt(change.expected) }),
    ...('actual' in change && { actual: excerpt(change.actual) }),
  }
}

const excerpt = (text: string): string =>
  text.length <= lineUnitsMax ? text : `${text.slice(0, lineUnitsMax)}…`
