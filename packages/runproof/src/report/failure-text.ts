/**
 * A failed scenario in words: which, at which step, what was expected, what is
 * nearest, what the agent said on stderr, and how to run just this again.
 * Everything that comes from an agent loses its control characters.
 */
import { relative } from 'node:path'
import picocolors from 'picocolors'
import type { Difference } from '../compare/difference.ts'
import { renderDifference } from '../compare/render.ts'
import type { Failure } from '../run/failure.ts'
import type { ScenarioResult } from '../run/scenario.ts'
import { visible } from '../visible.ts'

export type FailureTextOptions = {
  colours: boolean
  /** Folder that paths are shown relative to. */
  from: string
  /** What runs it again; default `test`. */
  again?: 'test' | 'record'
  /** Changes shown of one difference; the rest is counted. */
  changesShown?: number
}

const changesShownDefault = 5

/** Lines of several, without a final end. */
export function renderFailures(result: ScenarioResult, options: FailureTextOptions): string {
  const paint = picocolors.createColors(options.colours)
  const { scenario, agent, description, failures, stderrTail, folder } = result
  const title = agent === null ? scenario : `${scenario} (${agent})`
  const showsStderr = failures.some((failure) => failure.showsStderr === true)
  const path = relative(options.from, folder) || '.'
  const { again = 'test' } = options
  return [
    paint.bold(paint.red(`✗ ${visible(title)}`)),
    ...(description === null ? [] : [paint.dim(`  ${visible(description)}`)]),
    ...failures.flatMap((failure) => indent(failureLines(failure, options))),
    ...(showsStderr ? indent(stderrLines(stderrTail)) : []),
    paint.dim(
      `  again, with everything kept: runproof ${again} ${shellWord(path)} --out .runproof/out`,
    ),
  ].join('\n')
}

function failureLines(failure: Failure, options: FailureTextOptions): string[] {
  const { step, message, details, difference } = failure
  const where = step === null ? '' : `step ${step.number} (${step.op}): `
  const rendered = difference === undefined ? [] : differenceLines(difference, options)
  return [visible(`${where}${message}`), ...rendered, ...indent(details.map(visible))]
}

/** Without the lines that the failure has said already: scenario, file, and the summary of a whole file. */
function differenceLines(difference: Difference, options: FailureTextOptions): string[] {
  const { colours, changesShown = changesShownDefault } = options
  const [, ...lines] = renderDifference(difference, { colours, changesShown }).split('\n')
  return lines.filter((line) => line.trim() !== difference.summary)
}

function stderrLines(tail: readonly string[]): string[] {
  if (tail.length === 0) return ['stderr: (nothing)']
  return ['stderr, its last lines:', ...indent(tail.map(visible))]
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

/** A path as one word of a shell; one that is not safe to print, in the spelling of bash and zsh. */
function shellWord(path: string): string {
  if (/^[\w./@:+-]+$/.test(path)) return path
  if (visible(path) === path) return `'${path.replaceAll("'", String.raw`'\''`)}'`
  return `$'${visible(path.replaceAll(/[\\']/g, String.raw`\$&`))}'`
}
