/**
 * What an audit is: lines in, violations out, and at the end one verdict a rule.
 * Normative: docs/formats/check.md.
 *
 * A violation is told whenever it is seen; `held` needs evidence that the file
 * itself holds, and a rule without it is `not-evaluated`, neither pass nor fail.
 */
import type { Line } from '../lines.ts'

/** `warning`: worth a look, does not fail a check. */
type Severity = 'error' | 'warning'

/** What is wrong, before it has a place. */
export type Fault = { severity: Severity; message: string }

/** Names the line (from 1) and what stands on it: update kind, method, `response 2`, event type. */
export type Violation = { rule: string; line: number; event: string } & Fault

type Verdict = 'held' | 'violated' | 'not-evaluated'

/** `reason` says which evidence is missing; only for `not-evaluated`. */
export type RuleReport = { rule: string; verdict: Verdict; reason?: string }

export type Audit = {
  /** Takes the next line that is not blank. Never throws on input. */
  push(line: Line): Violation[]
  /** Call it once, after the last line. */
  end(): { violations: Violation[]; rules: RuleReport[] }
}

/** A report a rule: violated if an error was told, held if nothing says otherwise. */
export function reportRules(
  rules: readonly string[],
  violated: ReadonlySet<string>,
  missing: (rule: string) => string | null,
): RuleReport[] {
  return rules.map((rule) => {
    if (violated.has(rule)) return { rule, verdict: 'violated' }
    const reason = missing(rule)
    return reason === null ? { rule, verdict: 'held' } : { rule, verdict: 'not-evaluated', reason }
  })
}
