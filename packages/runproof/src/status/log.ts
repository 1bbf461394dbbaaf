/**
 * Judges a log that may hold several runs: each run has its own reducer and its
 * own block of output. The first run is printed as it comes; the blocks of
 * further runs are held and follow it in the order in which they first appear.
 *
 * A malformed record belongs to no run, so every run is judged with it.
 */
import { createProgress, isEnvelope, type Progress, type Status } from '@runproof/progress'
import { RunproofError } from '../error.ts'
import type { Output } from '../terminal.ts'
import { visible } from '../visible.ts'
import type { Translate } from './formats.ts'
import type { EventLabel, Printer } from './print.ts'
import type { LogRecord } from './records.ts'

/** Output of further runs held in memory, in UTF-16 units. */
const heldUnitsMax = 64 * 1024 * 1024

/** The claim of one run at the end of the input. */
export type Claim = { run: string | null; status: Status }

export type LogOptions = {
  /** Judge this run only; events of others count as foreign. */
  run: string | undefined
  window: number | null
  translate: Translate
  printer: Printer
  output: Output
  /** Told of every record that has no usable value. */
  onProblem: (record: LogRecord) => void
}

type Block = { run: string | null; progress: Progress; own: number; held: string[] | null }

const notAnEnvelope = 'not an envelope {run, id, seq, kind, data}'

const malformed: EventLabel = { id: null, kind: null, seq: null }

/** Prints every block and returns the claims, first run first. */
export async function judgeLog(
  records: AsyncIterable<LogRecord[]>,
  options: LogOptions,
): Promise<Claim[]> {
  const { printer, output, translate } = options
  const create = (run: string): Progress =>
    createProgress({ run, ...(options.window === null ? {} : { window: options.window }) })
  // Until a well-formed envelope names the run, the first block is nobody's.
  let first: Block = {
    run: options.run ?? null,
    progress: create(options.run ?? '-'),
    own: 0,
    held: null,
  }
  const blocks = new Map<string, Block>()
  if (options.run !== undefined) blocks.set(options.run, first)
  let wellFormed = 0
  let sawMalformed = false
  let heldUnits = 0

  const show = (block: Block, label: EventLabel): void => {
    const text = printer.event(label, block.progress)
    if (block.held === null) output.line(text)
    else {
      block.held.push(text)
      heldUnits += text.length
      if (heldUnits > heldUnitsMax) throw tooMuchHeld([...blocks.keys()])
    }
  }
  const blockOf = (run: string): Block => {
    const known = blocks.get(run)
    if (known !== undefined) return known
    if (options.run !== undefined) return first
    const block: Block = { run, progress: create(run), own: 0, held: blocks.size === 0 ? null : [] }
    if (sawMalformed) block.progress.feed(undefined)
    if (blocks.size === 0) first = block
    blocks.set(run, block)
    return block
  }
  const judge = (event: unknown, record?: LogRecord): void => {
    if (isEnvelope(event)) {
      const block = blockOf(event.run)
      wellFormed++
      block.own += event.run === block.run ? 1 : 0
      block.progress.feed(event)
      show(block, event)
    } else {
      if (record !== undefined) options.onProblem({ problem: notAnEnvelope, ...record })
      sawMalformed = true
      for (const block of blocks.size === 0 ? [first] : blocks.values()) {
        block.progress.feed(event)
        show(block, malformed)
      }
    }
  }

  for await (const batch of records) {
    for (const record of batch) {
      const events = record.problem ?? translate.push(record.value)
      if (typeof events === 'string') judge(undefined, { ...record, problem: events })
      else for (const event of events) judge(event, record)
    }
    await output.settle()
    if (output.gone) break
  }
  for (const event of translate.finish()) judge(event)
  const claims: Claim[] = []
  for (const block of blocks.size === 0 ? [first] : blocks.values()) {
    block.progress.end()
    if (block.held !== null) {
      for (const line of [...printer.head(block.run ?? '-'), ...block.held]) output.line(line)
    }
    const facts = { run: block.run, foreign: wellFormed - block.own }
    for (const line of printer.end(block.progress, facts)) output.line(line)
    await output.settle()
    claims.push({ run: block.run, status: block.progress.status })
  }
  return claims
}

/**
 * The claim of each task whose runs are `<task>/1`, `<task>/2` …: its last run's,
 * or `unknown` when an earlier run is not one that waited for an approval.
 */
export function claimsOfTasks(claims: readonly Claim[]): Claim[] {
  const tasks = new Map<string | null, Claim>()
  for (const { run, status } of claims) {
    const task = run?.slice(0, run.lastIndexOf('/')) ?? null
    const before = tasks.get(task)?.status ?? 'waiting'
    tasks.set(task, { run: task, status: before === 'waiting' ? status : 'unknown' })
  }
  return [...tasks.values()]
}

function tooMuchHeld(runs: readonly string[]): RunproofError {
  const names = runs.slice(0, 5).map(visible).join(', ')
  return new RunproofError(
    'unreadable',
    `the log holds several runs (${names}${runs.length > 5 ? ', …' : ''}) and is too long to print one after the other; choose one with --run ID`,
  )
}
