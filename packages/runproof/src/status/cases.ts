/**
 * A cases file: a JSON array of `{name, note, run, events, expected_steps,
 * expected_final, assertions}`. Each case is replayed from nothing and compared
 * with what it expects; `expected_*` and `assertions` are optional.
 */
import { createProgress, isEnvelope, type Progress, type Status } from '@runproof/progress'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { RunproofError } from '../error.ts'
import type { Output } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'
import type { EventLabel, Printer } from './print.ts'

/** One case as its file spells it. */
export type Case = {
  name: string
  note: string
  run: string
  events: unknown[]
  expected_steps?: string[] | undefined
  expected_final?: string | undefined
  assertions: Record<string, unknown>
}

const caseSchema: z.ZodType<Case> = z.object({
  name: z.string(),
  note: z.string().default(''),
  run: z.string().min(1),
  events: z.array(z.unknown()),
  expected_steps: z.array(z.string()).optional(),
  expected_final: z.string().optional(),
  assertions: z.record(z.string(), z.unknown()).default({}),
})

/** One way in which a case is not what it expects; `text` is safe to print. */
export type Mismatch = { case: string; text: string }

/** @throws RunproofError `unreadable` naming the case and field that is not as it should be. */
export function parseCases(name: string, values: readonly unknown[]): Case[] {
  const parsed = z.array(caseSchema).min(1).safeParse(values)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const [index, ...path] = issue?.path ?? []
  const where = typeof index === 'number' ? `case ${index + 1}, ${path.join('.')}` : 'the array'
  throw new RunproofError(
    'unreadable',
    `${name} is not a cases file: ${visible(where)}: ${visible(issue?.message ?? '')}`,
  )
}

/** CASE as typed: a name, `all`, or nothing (`normal` if the file has it, else the first). */
export function selectCases(
  name: string,
  cases: readonly Case[],
  wanted: string | undefined,
): Case[] {
  if (wanted === 'all') return [...cases]
  if (wanted === undefined) {
    return cases.filter((one, index) => one.name === 'normal' || index === 0).slice(-1)
  }
  const selected = cases.filter((one) => one.name === wanted)
  if (selected.length > 0) return selected
  const names = cases.map((one) => visible(one.name)).join(', ')
  throw new RunproofError(
    'usage',
    `${name} has no case "${visible(wanted)}"; it has: ${names} (or: all)`,
  )
}

/** Prints one case and returns its final claim and where it differs from what it expects. */
export function judgeCase(
  one: Case,
  options: { window: number | null; printer: Printer; output: Output },
): { status: Status; mismatches: Mismatch[] } {
  const { printer, output, window } = options
  const progress = createProgress({ run: one.run, ...(window === null ? {} : { window }) })
  const steps: Status[] = []
  for (const line of printer.head(one.name, one.note)) output.line(line)
  for (const event of one.events) {
    progress.feed(event)
    steps.push(progress.status)
    output.line(printer.event(labelOf(event), progress))
  }
  progress.end()
  const facts = { case: one.name, run: one.run, foreign: progress.foreign }
  for (const line of printer.end(progress, facts)) output.line(line)
  return { status: progress.status, mismatches: compare(one, steps, progress) }
}

/** A case's author wrote its events by hand, so a malformed one still shows the id it has. */
function labelOf(event: unknown): EventLabel {
  if (isEnvelope(event)) return event
  const fields: { id?: unknown; kind?: unknown } =
    typeof event === 'object' && event !== null ? event : {}
  return {
    id: typeof fields.id === 'string' ? fields.id : null,
    kind: typeof fields.kind === 'string' ? fields.kind : null,
    seq: null,
  }
}

function compare(one: Case, steps: readonly Status[], progress: Progress): Mismatch[] {
  const mismatches: Mismatch[] = []
  const differ = (what: string, wanted: unknown, actual: unknown): void => {
    const text = `${what}: expected ${visibleJson(wanted)}, judged ${visibleJson(actual)}`
    mismatches.push({ case: one.name, text })
  }
  const { expected_steps: expected } = one
  if (expected !== undefined) {
    if (expected.length !== steps.length) {
      differ('number of steps', expected.length, steps.length)
    }
    for (const [index, step] of steps.entries()) {
      if (index < expected.length && expected[index] !== step) {
        differ(`after event ${index + 1}`, expected[index], step)
      }
    }
  }
  if (one.expected_final !== undefined && one.expected_final !== progress.status) {
    differ('at the end', one.expected_final, progress.status)
  }
  for (const [key, wanted] of Object.entries(one.assertions)) {
    const actual = assertable(progress, key)
    if (!isDeepStrictEqual(wanted, actual)) differ(`"${visible(key)}"`, wanted, actual ?? null)
  }
  return mismatches
}

/** The facts a case may assert, by the names that cases files use. */
function assertable(progress: Progress, key: string): unknown {
  switch (key) {
    case 'text':
      return progress.text
    case 'tools':
      return { ...progress.tools }
    case 'issues':
      return [...progress.issues]
    case 'duplicates':
      return progress.duplicates
    case 'foreign':
      return progress.foreign
    case 'terminal':
      return progress.terminal
    case 'verdict':
      return progress.verdict
    case 'final_text':
      return progress.finalText
    default:
      return undefined
  }
}
