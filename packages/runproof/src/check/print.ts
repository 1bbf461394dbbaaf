/**
 * How a check is shown: text for people, JSON lines for programs, both fixed by
 * docs/formats/check.md. What comes from the file is made visible first.
 */
import pc from 'picocolors'
import { visible, visibleJson } from '../visible.ts'
import type { RuleReport, Violation } from './audit.ts'

type FileEnd = {
  from: string
  lines: number
  errors: number
  warnings: number
  rules: readonly RuleReport[]
}

export type Totals = { files: number; errors: number; warnings: number }

/** Lines of one file are printed in order: head, violations as they come, end. */
export type CheckPrinter = {
  head(file: string, from: string): string[]
  violation(file: string, violation: Violation): string[]
  end(file: string, end: FileEnd): string[]
  summary(totals: Totals): string[]
}

/** Violations of one rule and file that text shows; the rest is counted. */
const shownMax = 20

export function createCheckPrinter(options: { json: boolean; colours: boolean }): CheckPrinter {
  return options.json ? jsonPrinter : createTextPrinter(options.colours)
}

const jsonPrinter: CheckPrinter = {
  head: () => [],
  violation: (file, { rule, severity, line, event, message }) => [
    visibleJson({ rule, severity, file, line, event, message }),
  ],
  end: (file, { rules, ...facts }) => [
    visibleJson({
      end: true,
      file,
      ...facts,
      rules: Object.fromEntries(rules.map(({ rule, verdict }) => [rule, verdict])),
      reasons: Object.fromEntries(
        rules.flatMap(({ rule, reason }) => (reason === undefined ? [] : [[rule, reason]])),
      ),
    }),
  ],
  summary: () => [],
}

function createTextPrinter(isColoured: boolean): CheckPrinter {
  const colours = pc.createColors(isColoured)
  let shown = new Map<string, number>()
  return {
    head(file, from) {
      shown = new Map()
      return [`${colours.bold(visible(file))} (${from})`]
    },
    violation(_file, { rule, severity, line, event, message }) {
      const count = (shown.get(rule) ?? 0) + 1
      shown.set(rule, count)
      if (count > shownMax) return []
      const paint = severity === 'error' ? colours.red : colours.yellow
      return [`  line ${line}  ${paint(`${rule} ${severity}`)}  ${visible(`${event}: ${message}`)}`]
    },
    end(_file, { rules }) {
      const more = [...shown].filter(([, count]) => count > shownMax)
      return [
        ...more.map(([rule, count]) => `  and ${count - shownMax} more of ${rule}`),
        ...listOf('held', heldRules(rules)),
        ...listOf('not evaluated', byReason(rules)),
      ]
    },
    summary({ files, errors, warnings }) {
      const paint = errors > 0 ? colours.red : colours.green
      const counts = `${number(errors, 'error')}, ${number(warnings, 'warning')}`
      return [`${number(files, 'file')} checked: ${paint(counts)}`]
    },
  }
}

const listOf = (title: string, text: string): string[] =>
  text === '' ? [] : [`  ${title}: ${text}`]

const heldRules = (rules: readonly RuleReport[]): string =>
  rules.flatMap(({ rule, verdict }) => (verdict === 'held' ? [rule] : [])).join(' ')

/** Rules without evidence, those with the same reason together. */
function byReason(rules: readonly RuleReport[]): string {
  const groups = new Map<string, string[]>()
  for (const { rule, reason } of rules) {
    if (reason !== undefined) groups.set(reason, [...(groups.get(reason) ?? []), rule])
  }
  return [...groups].map(([reason, names]) => `${names.join(' ')} (${reason})`).join('; ')
}

const number = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
