/**
 * `runproof check`: audits transcripts, session logs and recordings against the
 * rules that need no more than their file. Files are read once, line by line.
 *
 * Exit codes: 0 no error · 1 an error in some file · 2 some file could not be
 * checked at all; the others still are.
 */
import { RunproofError } from '../error.ts'
import { openInput } from '../input.ts'
import { readLines, type Line } from '../lines.ts'
import { recogniseFormat } from '../status/formats.ts'
import { createOutput, isColoured, type Output, type Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import type { Audit, Violation } from './audit.ts'
import { createCheckPrinter, type CheckPrinter, type Totals } from './print.ts'

export type CheckOptions = { from?: string; json?: boolean }

/** Lines looked at before a guess of the format is given up. */
const guessLinesMax = 20

const audits: Record<string, () => Promise<Audit>> = {
  acp: async () => (await import('./acp/audit.ts')).createAcpAudit(),
  session: async () => (await import('./session/audit.ts')).createSessionAudit(),
  recording: async () => (await import('./recording/audit.ts')).createRecordingAudit(),
}

/** @returns the exit code. @throws RunproofError for an option it does not know. */
export async function runCheck(
  paths: readonly string[],
  options: CheckOptions,
  terminal: Terminal,
): Promise<0 | 1 | 2> {
  const { from } = options
  if (from !== undefined && !Object.hasOwn(audits, from)) {
    throw new RunproofError(
      'usage',
      `--from ${visible(from)} has no rules; choose one of: ${Object.keys(audits).join(', ')}`,
    )
  }
  const output = createOutput(terminal.stdout)
  const printer = createCheckPrinter({
    json: options.json === true,
    colours: isColoured(terminal.stdout, terminal.env),
  })
  const totals: Totals = { files: 0, errors: 0, warnings: 0 }
  let isUnreadable = false
  for (const path of paths) {
    try {
      await checkFile(path, from, { terminal, output, printer, totals })
    } catch (error) {
      if (!(error instanceof RunproofError)) throw error
      isUnreadable = true
      terminal.stderr.write(`runproof: ${error.message}\n`)
    }
    if (output.gone) break
  }
  if (totals.files > 0) for (const line of printer.summary(totals)) output.line(line)
  await output.flush()
  if (isUnreadable) return 2
  return totals.errors > 0 ? 1 : 0
}

type Shared = { terminal: Terminal; output: Output; printer: CheckPrinter; totals: Totals }

/** @throws RunproofError `unreadable` for a file that is not there or of no known format. */
async function checkFile(
  path: string,
  chosen: string | undefined,
  { terminal, output, printer, totals }: Shared,
): Promise<void> {
  const input = await openInput(path, terminal)
  const name = path === '-' ? 'stdin' : path
  let from = chosen
  let audit: Audit | null = null
  let held: Line[] = []
  let lines = 0
  const counts = { errors: 0, warnings: 0 }

  const show = (violations: readonly Violation[]): void => {
    for (const violation of violations) {
      counts[violation.severity === 'error' ? 'errors' : 'warnings']++
      for (const line of printer.violation(name, violation)) output.line(line)
    }
  }
  const begin = async (format: string): Promise<Audit> => {
    const create = audits[format]
    if (create === undefined) throw withoutRules(input.name, format)
    for (const line of printer.head(name, format)) output.line(line)
    const begun = await create()
    for (const line of held) show(begun.push(line))
    held = []
    return begun
  }

  for await (const batch of readLines(input.chunks)) {
    for (const line of batch) {
      lines = line.number
      if (audit !== null) show(audit.push(line))
      else {
        held.push(line)
        from ??= recogniseLine(line)
        if (from !== undefined) audit = await begin(from)
        else if (held.length >= guessLinesMax) throw unknownFormat(input.name)
      }
      await output.settle()
    }
    if (output.gone) break
  }
  if (lines === 0) {
    throw new RunproofError('unreadable', `${input.name} is empty: there is nothing to check`)
  }
  if (audit === null || from === undefined) throw unknownFormat(input.name)
  const { violations, rules } = audit.end()
  show(violations)
  for (const line of printer.end(name, { from, lines, ...counts, rules })) output.line(line)
  totals.files++
  totals.errors += counts.errors
  totals.warnings += counts.warnings
}

function recogniseLine({ text, problem }: Line): string | undefined {
  if (problem !== undefined) return undefined
  try {
    return recogniseFormat(JSON.parse(text)) ?? undefined
  } catch {
    return undefined
  }
}

function unknownFormat(name: string): RunproofError {
  return new RunproofError(
    'unreadable',
    `cannot tell which protocol ${name} speaks; say it with --from (one of: ${Object.keys(audits).join(', ')})`,
  )
}

function withoutRules(name: string, format: string): RunproofError {
  return new RunproofError(
    'unreadable',
    `${name} is read as ${format}, for which there are no rules; runproof status judges it`,
  )
}
