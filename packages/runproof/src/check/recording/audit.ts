/**
 * The audit of one recording of a provider, by the rules P1–P5. Normative text:
 * docs/formats/check.md. P1–P3 are judged by the reader of `@runproof/replay`,
 * which refuses for a replay what is an error here; P4 and P5 look at the
 * exchanges that it finds sound.
 */
import { wires } from '@runproof/llm'
import { contextOf, createKeyer, createRecordingReader } from '@runproof/replay'
import type { Exchange, Recording, RecordingIssue, RecordingIssueCode } from '@runproof/replay'
import type { Line } from '../../lines.ts'
import { reportRules, type Audit, type Fault, type Violation } from '../audit.ts'

const rules = ['P1', 'P2', 'P3', 'P4', 'P5'] as const
type Rule = (typeof rules)[number]

const ruleOf: Readonly<Record<RecordingIssueCode, Rule>> = {
  'bad-line': 'P1',
  'bad-header': 'P1',
  'unknown-version': 'P1',
  'unknown-type': 'P1',
  'bad-member': 'P1',
  'bad-order': 'P2',
  unfinished: 'P2',
  'bad-blob': 'P3',
}

export function createRecordingAudit(): Audit {
  const reader = createRecordingReader()
  const violated = new Set<string>()
  /** Where each exchange began. */
  const lineOf = new Map<number, number>()
  /** Issues that were told at their lines. */
  let issueCount = 0
  let blobCount = 0
  let streamCount = 0

  const tell = (rule: Rule, place: { line: number; event: string }, fault: Fault): Violation => {
    if (fault.severity === 'error') violated.add(rule)
    return { rule, ...place, ...fault }
  }
  const tellIssue = ({ line, code, message }: RecordingIssue, event: string): Violation =>
    tell(ruleOf[code], { line, event }, { severity: 'error', message })

  const judge = ({ wire, provenance, exchanges }: Recording): Violation[] => {
    const keyOf = createKeyer(contextOf(provenance))
    return exchanges.flatMap((exchange) => {
      const { n, request, response, events, end } = exchange
      const place = { line: lineOf.get(n) ?? 1, event: `exchange ${n}` }
      const violations: Violation[] = []
      if (request.key !== keyOf(wire, request).key) {
        violations.push(tell('P4', place, warning('the key is not the one of this request')))
      }
      if (end.kind === 'eof' && response?.status === 200 && events.length > 0) {
        streamCount++
        const defect = streamDefect(wire, exchange)
        if (defect !== null) violations.push(tell('P5', place, warning(defect)))
      }
      return violations
    })
  }

  const missing = (rule: string): string | null => {
    if (reader.wire === null) return 'line 1 is no header of a recording'
    if (rule === 'P3') return blobCount === 0 ? 'no blob is in it' : null
    if (rule === 'P5') return streamCount === 0 ? 'no stream of the model ended by itself' : null
    return rule === 'P1' || lineOf.size > 0 ? null : 'no exchange is in it'
  }

  return {
    push(line) {
      const value = valueOf(line)
      const { issue, exchange } = reader.push(line.number, value)
      const type = typeOf(value)
      if (issue !== null) {
        issueCount++
        const problem = line.text.startsWith('\uFEFF') ? 'behind a byte order mark' : line.problem
        const message = problem === undefined ? issue.message : `is ${problem}`
        return [tellIssue({ ...issue, message }, type ?? 'line')]
      }
      if (type === 'blob') blobCount++
      if (exchange !== null && type === 'exchange/request') lineOf.set(exchange.n, line.number)
      return []
    },
    end() {
      const { recording, issues } = reader.end()
      const late = issues.slice(issueCount)
      const violations = [
        ...late.map((issue) =>
          tellIssue(issue, issue.code === 'unfinished' ? 'exchange/request' : 'line'),
        ),
        ...(recording === null ? [] : judge(recording)),
      ]
      return { violations, rules: reportRules(rules, violated, missing) }
    },
  }
}

const warning = (message: string): Fault => ({ severity: 'warning', message })

/** What keeps a stream that ended by itself from being a whole response of its wire. */
function streamDefect(wire: Recording['wire'], { events }: Exchange): string | null {
  const decoder = wires[wire].createDecoder()
  const chunks = events.flatMap(({ event = 'message', data, id = '' }) =>
    decoder.push({ event, data, id }),
  )
  const last = [...chunks, ...decoder.end()].at(-1)
  if (last?.type !== 'finish' || last.reason.kind !== 'error') return null
  const { code, message } = last.reason
  return code === 'STREAM_CLOSED' || code === 'MALFORMED_RESPONSE' ? message : null
}

function valueOf({ text, problem }: Line): unknown {
  if (problem !== undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function typeOf(value: unknown): string | null {
  const type: unknown = Reflect.get(Object(value), 'type')
  return typeof type === 'string' ? type : null
}
