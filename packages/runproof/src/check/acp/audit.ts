/** The audit of one transcript: moments through the table of rules. */
import type { Line } from '../../lines.ts'
import { reportRules, type Audit, type Violation } from '../audit.ts'
import type { Moment } from './moment.ts'
import { MomentReader } from './reader.ts'
import { acpRules } from './rules.ts'

export function createAcpAudit(): Audit {
  let violations: Violation[] = []
  const violated = new Set<string>()
  const reader = new MomentReader((moment: Moment) => {
    for (const { id, judge } of acpRules) {
      const fault = judge?.(moment, reader.evidence) ?? null
      if (fault === null) continue
      const { line, event } = moment
      violations.push({ rule: id, severity: fault.severity, line, event, message: fault.message })
      if (fault.severity === 'error') violated.add(id)
    }
  })
  const take = (): Violation[] => {
    const taken = violations
    violations = []
    return taken
  }
  return {
    push(line: Line) {
      reader.read(line)
      return take()
    },
    end() {
      reader.end()
      const rules = reportRules(
        acpRules.map(({ id }) => id),
        violated,
        (rule) => acpRules.find(({ id }) => id === rule)?.missing(reader.evidence) ?? null,
      )
      return { violations: take(), rules }
    },
  }
}
