/**
 * How an output differs from its golden: which event of which kind changed, is
 * missing, came extra or moved, and in which fields. Plain data, made for JSON.
 */

/** One field of a changed event; an absent side means the field is not there. Long values are cut. */
export type FieldChange = { path: string; expected?: unknown; actual?: unknown }

/**
 * One event that is not as expected. `line` counts the golden's lines, `actualLine`
 * the output's, from 1. `renumbered`: events alike but for their numbering, which
 * follows from another change as a rule; `fields` are those of the first of `count`.
 */
export type EventChange = { event: string } & (
  | {
      kind: 'changed'
      line: number
      actualLine: number
      expected: string
      actual: string
      fields: FieldChange[]
    }
  | { kind: 'missing'; line: number; expected: string }
  | { kind: 'extra'; actualLine: number; actual: string }
  | { kind: 'moved'; line: number; actualLine: number; expected: string }
  | { kind: 'renumbered'; line: number; actualLine: number; count: number; fields: FieldChange[] }
)

/**
 * `kind` is about the file: `changed`; `missing` expected and not produced; `extra`
 * produced and not expected (no golden yet).
 */
export type Difference = {
  scenario: string
  file: string
  kind: 'changed' | 'missing' | 'extra'
  /** One line for people. */
  summary: string
  /** Equal for differences that one change brought about, whatever the scenario. */
  cause: string
  /** In order, at most `changesMax` of them. */
  changes: EventChange[]
  /** How many there are. */
  changeCount: number
}
