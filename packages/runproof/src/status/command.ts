/**
 * `runproof status`: after each event, what a screen may claim; then the claim
 * at the end of the input. The claim itself never changes the exit code.
 */
import { statuses, type Lang } from '@runproof/progress'
import { RunproofError } from '../error.ts'
import { openInput } from '../input.ts'
import { createOutput, isColoured, type Output, type Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import { judgeCase, parseCases, selectCases } from './cases.ts'
import { createTranslate, formatNames, recogniseFormat } from './formats.ts'
import { claimsOfTasks, judgeLog } from './log.ts'
import { createPrinter, type Printer } from './print.ts'
import { readContent, resume, type LogRecord } from './records.ts'

export type StatusOptions = {
  from?: string
  run?: string
  lang: string
  window?: string
  expect?: string
  json?: boolean
}

/** Records looked at before a guess of the format is given up. */
const guessRecordsMax = 20

/** Problems of single lines that are told one by one; the rest is counted. */
const problemsShownMax = 20

/** @returns the exit code. @throws RunproofError for what cannot be judged at all. */
export async function runStatus(
  path: string,
  wanted: string | undefined,
  options: StatusOptions,
  terminal: Terminal,
): Promise<0 | 1> {
  const lang = oneOf<Lang>(['en', 'zh'], options.lang, '--lang')
  if (options.expect !== undefined) oneOf(statuses, options.expect, '--expect')
  const window = options.window === undefined ? null : parseWindow(options.window)
  const input = await openInput(path, terminal)
  const content = await readContent(input)
  const output = createOutput(terminal.stdout)
  const printer = createPrinter({
    json: options.json === true,
    lang,
    colours: isColoured(terminal.stdout, terminal.env),
  })
  const tell = (text: string): void => void terminal.stderr.write(`${text}\n`)
  const shared = { input: input.name, options, window, printer, output, tell }

  const failures =
    content.kind === 'cases'
      ? await judgeCases(content.cases, wanted, shared)
      : await judgeRecords(content.records, content.notes, wanted, shared)
  await output.flush()
  for (const failure of failures) tell(failure)
  return failures.length === 0 ? 0 : 1
}

type Shared = {
  input: string
  options: StatusOptions
  window: number | null
  printer: Printer
  output: Output
  tell: (text: string) => void
}

async function judgeCases(
  values: readonly unknown[],
  wanted: string | undefined,
  { input, options, window, printer, output }: Shared,
): Promise<string[]> {
  const failures: string[] = []
  for (const one of selectCases(input, parseCases(input, values), wanted)) {
    const chosen = options.run === undefined ? one : { ...one, run: options.run }
    const { status, mismatches } = judgeCase(chosen, { window, printer, output })
    for (const { text } of mismatches) failures.push(`${input} [${visible(one.name)}] ${text}`)
    failures.push(...unmet(options.expect, status, `${input} [${visible(one.name)}]`))
    await output.settle()
  }
  return failures
}

async function judgeRecords(
  records: AsyncIterable<LogRecord[]>,
  notes: () => string[],
  wanted: string | undefined,
  { input, options, window, printer, output, tell }: Shared,
): Promise<string[]> {
  if (wanted !== undefined) {
    throw new RunproofError(
      'usage',
      `${input} is a log, not a cases file, so it has no case "${visible(wanted)}"; choose a run with --run ID`,
    )
  }
  const guessed = await guess(records, options.from)
  if (guessed.from === null) {
    throw new RunproofError(
      'unreadable',
      `cannot tell which protocol ${input} speaks; say it with --from (one of: ${formatNames.join(', ')})`,
    )
  }
  if (options.from === undefined) tell(`${input}: read as ${guessed.from} (choose with --from)`)
  let problems = 0
  const translate = await createTranslate(guessed.from, options.run ?? 'run')
  const claims = await judgeLog(guessed.records, {
    run: options.run,
    window,
    translate,
    printer,
    output,
    onProblem: ({ where, problem }) => {
      problems++
      if (problems <= problemsShownMax) {
        tell(`${input}: ${where}: ${problem ?? ''}; judged as a bad envelope`)
      }
    },
  })
  if (problems > problemsShownMax) {
    tell(`${input}: ${problems - problemsShownMax} more such lines`)
  }
  for (const note of notes()) tell(`${input}: ${note}`)
  const final = translate.hasTasks && options.run === undefined ? claimsOfTasks(claims) : claims
  return final.flatMap(({ run, status }) =>
    unmet(options.expect, status, `${input}${run === null ? '' : ` run ${visible(run)}`}`),
  )
}

/** Finds the format in the first records and gives all of them back. */
async function guess(
  records: AsyncIterable<LogRecord[]>,
  from: string | undefined,
): Promise<{ from: string | null; records: AsyncIterable<LogRecord[]> }> {
  if (from !== undefined) return { from, records }
  const iterator = records[Symbol.asyncIterator]()
  const seen: LogRecord[][] = []
  let found: string | null = null
  for (let count = 0; found === null && count < guessRecordsMax;) {
    const next = await iterator.next()
    if (next.done === true) break
    seen.push(next.value)
    for (const record of next.value) found ??= recogniseFormat(record.value)
    count += next.value.length
  }
  return { from: found, records: resume(seen, iterator) }
}

function unmet(expected: string | undefined, status: string, subject: string): string[] {
  if (expected === undefined || expected === status) return []
  return [`${subject}: expected the claim "${expected}" at the end, it is "${status}"`]
}

function oneOf<T extends string>(choices: readonly T[], value: string, option: string): T {
  const chosen = choices.find((choice) => choice === value)
  if (chosen !== undefined) return chosen
  throw new RunproofError(
    'usage',
    `${option} ${visible(value)} is not known; choose one of: ${choices.join(', ')}`,
  )
}

function parseWindow(text: string): number {
  const window = Number(text)
  if (Number.isSafeInteger(window) && window >= 1) return window
  throw new RunproofError(
    'usage',
    `--window takes a whole number of events from 1, not ${visible(text)}`,
  )
}
