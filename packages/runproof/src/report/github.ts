/**
 * GitHub Actions: a workflow command a failure, at the file and line it is
 * about; the same text for people in the log; and a Markdown page of the run
 * for its summary, where there is one.
 */
import { relative, sep } from 'node:path'
import { fence, html } from '../markdown.ts'
import type { Failure } from '../run/failure.ts'
import type { ScenarioResult } from '../run/scenario.ts'
import { scenarioFiles } from '../scenario/scenario.ts'
import { visible } from '../visible.ts'
import { renderFailures } from './failure-text.ts'
import type { Reporter, SuiteSummary } from './reporter.ts'

export type GithubOptions = {
  /** Takes one line without its end. */
  write: (line: string) => void
  /** Folder that paths are shown relative to. */
  from: string
  /** What people read in the log. It quotes agents, whose lines must command nothing. */
  inner: Reporter
  /** Ends the part of the log without commands: nobody can guess it. */
  token: string
  /** Takes the page of the run; null: there is none. */
  writePage: ((markdown: string) => Promise<void>) | null
}

/** Failed scenarios shown on the page; the rest is counted. A page may have 1 MiB. */
const failedShown = 50

/** UTF-16 units shown of one of them. */
const textUnitsMax = 8000

export function createGithubReporter(options: GithubOptions): Reporter {
  const { write, from, inner, token, writePage } = options
  return {
    begin(scenarios) {
      write(`::stop-commands::${token}`)
      inner.begin?.(scenarios)
    },
    result: (result) => inner.result?.(result),
    async finish(summary) {
      await inner.finish(summary)
      write(`::${token}::`)
      for (const result of summary.results) {
        for (const failure of result.failures) write(errorCommand(result, failure, from))
      }
      await writePage?.(pageOf(summary, from))
    },
  }
}

function pageOf({ results, leftOut }: SuiteSummary, from: string): string {
  const failed = results.filter(({ passed }) => !passed)
  const count = `${results.length} ${results.length === 1 ? 'scenario' : 'scenarios'}`
  const verdict = failed.length === 0 ? 'all passed' : `${failed.length} failed`
  const others = leftOut === 0 ? '' : `, ${leftOut} left out`
  return [
    `### Runproof: ${count}, ${verdict}${others}`,
    ...failed.slice(0, failedShown).map((result) => failedMarkdown(result, from)),
    ...(failed.length > failedShown ? [`… and ${failed.length - failedShown} more.`] : []),
    '',
  ].join('\n\n')
}

function failedMarkdown(result: ScenarioResult, from: string): string {
  const text = renderFailures(result, { colours: false, from })
  const shown = text.length > textUnitsMax ? `${text.slice(0, textUnitsMax)}\n…` : text
  const title = `${result.scenario}: ${result.failures.map(({ code }) => code).join(', ')}`
  return `<details><summary>${html(title)}</summary>\n\n${fence(shown)}\n\n</details>`
}

function errorCommand(result: ScenarioResult, failure: Failure, from: string): string {
  const { difference, message, details, step } = failure
  const file = difference?.file.split(' ')[0] ?? scenarioFiles.input
  const path = relative(from, result.folder).split(sep).join('/')
  const [change] = difference?.changes ?? []
  const properties = {
    file: `${path}/${file}`,
    ...(change !== undefined && 'line' in change && { line: String(change.line) }),
    title: `${result.scenario}: ${failure.code}`,
  }
  const where = step === null ? '' : `step ${step.number} (${step.op}): `
  const shown = Object.entries(properties)
    .map(([name, value]) => `${name}=${escapeProperty(value)}`)
    .join(',')
  return `::error ${shown}::${escapeData([`${where}${message}`, ...details].join('\n'))}`
}

/** Line ends are escaped as the command needs it, other control characters are shown. */
const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').split('\n').map(visible).join('%0A')

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
