/** A change in one line, for summaries and lists. Not yet safe for a terminal: see `visible`. */
import type { EventChange, FieldChange } from './difference.ts'
import { textLabel } from './event.ts'

/** Longer values are cut in one-line texts. */
const briefUnitsMax = 60

/** A change in one line: `line 34 tool_call_update: params.update.status "completed" → "failed"`. */
export function describeChange(change: EventChange): string {
  switch (change.kind) {
    case 'missing':
      return `${placeOf(change)} is missing`
    case 'extra':
      return `extra ${change.event} at line ${change.actualLine} of the output`
    case 'moved':
      return `${placeOf(change)} moved to line ${change.actualLine} of the output`
    case 'renumbered':
      return `${placeOf(change)} is numbered differently: ${describeField(change.fields[0])}`
    default:
      return `${placeOf(change)}: ${describeField(change.fields[0], change)}`
  }
}

/** `line 34 tool_call_update`; a line of text is just `line 34`. */
export const placeOf = ({ line, event }: { line: number; event: string }): string =>
  event === textLabel ? `line ${line}` : `line ${line} ${event}`

function describeField(
  field: FieldChange | undefined,
  line: { expected: string; actual: string } = { expected: '', actual: '' },
): string {
  const { path, expected, actual } = field ?? { path: '', ...line }
  return `${path === '' ? '' : `${path} `}${brief(expected)} → ${brief(actual)}`
}

function brief(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length <= briefUnitsMax ? text : `${text.slice(0, briefUnitsMax - 1)}…`
}
