/**
 * GitHub Actions' workflow commands: an error a failure, at the file and line
 * it is about, and the same text for people in the log.
 */
import { relative, sep } from 'node:path'
import type { Failure } from '../run/failure.ts'
import type { ScenarioResult } from '../run/scenario.ts'
import { scenarioFiles } from '../scenario/scenario.ts'
import { visible } from '../visible.ts'
import type { Reporter } from './reporter.ts'

export function createGithubReporter(
  write: (line: string) => void,
  from: string,
  inner: Reporter,
): Reporter {
  return {
    begin: (scenarios) => inner.begin?.(scenarios),
    result: (result) => inner.result?.(result),
    async finish(summary) {
      await inner.finish(summary)
      for (const result of summary.results) {
        for (const failure of result.failures) write(errorCommand(result, failure, from))
      }
    },
  }
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
