/**
 * The audit of one session log. Follows the reader's law: a defect in a complete
 * line is corruption, the log is refused from there and judged up to there; an
 * unfinished last line is what a crash leaves and only worth a warning.
 */
import { createSessionReader, type SessionEvent } from '@runproof/session-log'
import type { Line } from '../../lines.ts'
import { reportRules, type Audit, type Violation } from '../audit.ts'
import { createLogState, judgeEvent, sessionRules, type SessionRule } from './rules.ts'

export function createSessionAudit(): Audit {
  const reader = createSessionReader()
  const state = createLogState()
  const violated = new Set<string>()
  let violations: Violation[] = []
  let lastLine = 1
  let lastType = 'session'
  let unreadable: Line | null = null
  let refusedAt: number | null = null

  const take = (): Violation[] => {
    const taken = violations
    violations = []
    return taken
  }
  const tell = (rule: SessionRule, violation: Omit<Violation, 'rule'>): void => {
    violations.push({ rule, ...violation })
    if (violation.severity === 'error') violated.add(rule)
  }
  const judge = (events: readonly SessionEvent[]): void => {
    for (const event of events) {
      lastType = event.type
      judgeEvent(state, event, (rule, fault) =>
        tell(rule, { line: lastLine, event: event.type, ...fault }),
      )
    }
  }
  const refuse = (rule: SessionRule, line: number, why: string): void => {
    refusedAt = line
    const message = `${why}; the log is judged up to here`
    tell(rule, { line, event: 'line', severity: 'error', message })
  }
  const tellEnd = (): void => {
    const { issue, torn, events } = reader.end()
    judge(events)
    if (unreadable !== null) {
      refuse('S1', unreadable.number, `the line is ${unreadable.problem}`)
    } else if (issue !== null) {
      const why = issue.message.replace(/^line \d+: /, '')
      refuse(issue.code === 'bad-seq' ? 'S2' : 'S1', issue.line, why)
    } else {
      if (torn !== null) {
        const message = 'the last line is unfinished: its writer crashed, and readers drop it'
        tell('S1', { line: lastLine, event: 'line', severity: 'warning', message })
      }
      if (state.turn !== null) {
        const message = `turn ${state.turn} has no turn/end: its writer crashed or is still at work`
        tell('S3', { line: lastLine, event: lastType, severity: 'error', message })
      }
    }
  }

  const missing = (rule: string): string | null => {
    if (refusedAt !== null) return `the log is refused from line ${refusedAt} on`
    return rule === 'S5' && state.comparedMessages === 0 ? 'no message cites its chunks' : null
  }

  return {
    push(line) {
      if (unreadable !== null) return []
      // The end of a line is fed with the next one, so that a torn tail stays one.
      judge(reader.push('\n'.repeat(line.number - lastLine)))
      lastLine = line.number
      if (line.problem === undefined) judge(reader.push(line.text))
      else unreadable = line
      return take()
    },
    end() {
      tellEnd()
      return { violations: take(), rules: reportRules(sessionRules, violated, missing) }
    },
  }
}
