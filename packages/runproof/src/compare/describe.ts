/** A change in one line, for summaries and lists. Not yet safe for a terminal: see `visible`. */
import type { EventChange, FieldChange } from './difference.ts'

/** Longer values are cut in one-line texts. */
const briefUnitsMax = 60

/** A change in one line: `line 34 tool_call_update: params.update.status "completed" → "failed"`. */
export function describeChange(change: EventChange): string {
  const { event } = change
  switch (change.kind) {
    case 'missing':
      return `line ${change.line} ${event} is missing`
    case 'extra':
      return `extra ${event} at line ${change.actualLine} of the output`
    case 'moved':
      return `line ${change.line} ${event} moved to line ${change.actualLine} of the output`
    case 'renumbered':
      return `line ${change.line} ${event} is numbered differently: ${describeField(change.fields[0])}`
    default:
      return `line ${change.line} ${event}: ${describeField(change.fields[0], change)}`
  }
}

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
