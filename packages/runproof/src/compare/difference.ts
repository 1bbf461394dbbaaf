/**
 * How an output differs from its golden: which event of which kind changed, is
 * missing or came extra, and in which fields.
 */

/** One field of a changed event; an absent side means the field is not there. */
export type FieldChange = { path: string; expected?: unknown; actual?: unknown }

/** One event of the aligned sequences. Line numbers are 1-based, of the golden and of the actual output. */
export type EventChange =
  | {
      kind: 'changed'
      event: string
      line: number
      actualLine: number
      expected: string
      actual: string
      fields: FieldChange[]
    }
  | { kind: 'missing'; event: string; line: number; expected: string }
  | { kind: 'extra'; event: string; actualLine: number; actual: string }

/**
 * `kind` of the file: `changed`; `missing` expected and not produced; `extra`
 * produced and not expected (no golden yet). Plain data, made for JSON.
 */
export type Difference = {
  scenario: string
  file: string
  kind: 'changed' | 'missing' | 'extra'
  /** One line for people. */
  summary: string
  /** Equal for differences that one change brought about, whatever the scenario. */
  cause: string
  /** In order. At most `changesMax`; `changeCount` is the true number. */
  changes: EventChange[]
  changeCount: number
}
