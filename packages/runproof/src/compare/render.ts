/**
 * A difference for people: its events first, then the same as text. Everything
 * that comes from an agent loses its control characters.
 */
import { diffLines, diffWordsWithSpace, type Change } from 'diff'
import picocolors from 'picocolors'
import { visible } from '../visible.ts'
import { bodyOf } from './event.ts'
import { describeChange, placeOf } from './describe.ts'
import type { Difference, EventChange, FieldChange } from './difference.ts'

export type RenderOptions = {
  colours: boolean
  /** Also the lines themselves, around what differs. Default false. */
  text?: boolean
  /** Changes shown before the rest is only counted. Default 20. */
  changesShown?: number
}

type Paint = ReturnType<typeof picocolors.createColors>

/** Text kept around a difference inside a long line, in UTF-16 units. */
const aroundUnits = 60

/** An event that is there on one side only is cut to this. */
const excerptUnits = 180

/** Both values are shown side by side up to this length. */
const inlineUnitsMax = 60

/** Lines of several, without a final end; indented below a head line. */
export function renderDifference(difference: Difference, options: RenderOptions): string {
  const paint = picocolors.createColors(options.colours)
  const { scenario, file, kind, changes, changeCount, summary } = difference
  const shown = changes.slice(0, options.changesShown ?? 20)
  const lines = [`${paint.bold(visible(scenario))} ${visible(file)}`]
  if (kind !== 'changed' || changes.length === 0) lines.push(`  ${summary}`)
  for (const change of shown) {
    lines.push(...(kind === 'changed' ? changeLines(change, paint) : wholeLine(change, paint)))
  }
  if (changeCount > shown.length) {
    lines.push(paint.dim(`  … and ${changeCount - shown.length} more`))
  }
  if (options.text === true && kind === 'changed') {
    lines.push('', paint.dim('  as text'), ...shown.flatMap((change) => textLines(change, paint)))
  }
  return lines.join('\n')
}

/** A line of a file that one side has not. */
function wholeLine(change: EventChange, paint: Paint): string[] {
  if (change.kind === 'extra') return [`  ${paint.green(`+ ${excerpt(change.actual)}`)}`]
  return change.kind === 'missing' ? [`  ${paint.red(`- ${excerpt(change.expected)}`)}`] : []
}

const marks = {
  changed: { mark: '~', colour: 'yellow' },
  missing: { mark: '-', colour: 'red' },
  extra: { mark: '+', colour: 'green' },
  moved: { mark: '>', colour: 'cyan' },
  renumbered: { mark: '#', colour: 'cyan' },
} as const

function changeLines(change: EventChange, paint: Paint): string[] {
  const { mark, colour } = marks[change.kind]
  const head = (text: string): string => `  ${paint[colour](mark)} ${text}`
  switch (change.kind) {
    case 'missing':
      return [head(describe(change)), `      ${paint.red(excerpt(change.expected))}`]
    case 'extra':
      return [head(describe(change)), `      ${paint.green(excerpt(change.actual))}`]
    case 'changed': {
      const { fields, expected, actual } = change
      const whole = fields.length === 0 ? [{ path: '', expected, actual }] : fields
      return [head(visible(placeOf(change))), ...whole.flatMap((field) => fieldLines(field, paint))]
    }
    default:
      return [head(describe(change))]
  }
}

function describe(change: EventChange): string {
  const count =
    change.kind === 'renumbered' && change.count > 1 ? ` (${change.count} in a row)` : ''
  return visible(describeChange(change)) + count
}

function fieldLines({ path, expected, actual }: FieldChange, paint: Paint): string[] {
  const name = path === '' ? '' : `${visible(path)}: `
  const before = show(expected)
  const after = show(actual)
  if (isText(expected) && isText(actual) && /\n/.test(expected + actual)) {
    return [`      ${name}`, ...multiline(expected, actual, paint).map((line) => `        ${line}`)]
  }
  if (before.length <= inlineUnitsMax && after.length <= inlineUnitsMax) {
    return [`      ${name}${paint.red(before)} → ${paint.green(after)}`]
  }
  if (isText(expected) && isText(actual)) {
    const parts = diffWordsWithSpace(expected, actual)
    if (isMostlyKept(parts)) return [`      ${name}${words(parts, paint)}`]
  }
  const below = name === '' ? [] : [`      ${name}`]
  const margin = name === '' ? '      ' : '        '
  return [...below, `${margin}${paint.red(`- ${before}`)}`, `${margin}${paint.green(`+ ${after}`)}`]
}

/** Two texts with less than half in common are read one below the other, not word by word. */
function isMostlyKept(parts: readonly Change[]): boolean {
  let kept = 0
  let replaced = 0
  for (const { value, added, removed } of parts) {
    if (added || removed) replaced += value.length
    else kept += value.length
  }
  return 2 * kept >= replaced
}

const isText = (value: unknown): value is string => typeof value === 'string'

const show = (value: unknown): string =>
  value === undefined ? '(absent)' : visible(JSON.stringify(value))

/** Changed lines of a text of several, with one line around. */
function multiline(before: string, after: string, paint: Paint): string[] {
  return diffLines(before, after).flatMap(({ value, added, removed }) => {
    const lines = value.replace(/\n$/, '').split('\n').map(visible)
    if (added) return lines.map((line) => paint.green(`+ ${line}`))
    if (removed) return lines.map((line) => paint.red(`- ${line}`))
    return lines.length <= 2
      ? lines.map((line) => `  ${line}`)
      : [`  ${lines[0]}`, paint.dim(`  … ${lines.length - 2} equal lines`), `  ${lines.at(-1)}`]
  })
}

/** One line with `[-old-]{+new+}`; what stays the same is cut to what is near. */
function words(parts: readonly Change[], paint: Paint): string {
  return parts
    .map(({ value, added, removed }, index) => {
      if (added) return paint.green(`{+${visible(value)}+}`)
      if (removed) return paint.red(`[-${visible(value)}-]`)
      if (value.length <= 2 * aroundUnits) return visible(value)
      const head = index === 0 ? '' : visible(value.slice(0, aroundUnits))
      const tail = index === parts.length - 1 ? '' : visible(value.slice(-aroundUnits))
      return `${head}…${tail}`
    })
    .join('')
}

/** What an event that is there on one side only says, without its envelope. */
function excerpt(text: string): string {
  const body = bodyOf(text)
  return visible(body.length <= excerptUnits ? body : `${body.slice(0, excerptUnits)}…`)
}

function textLines(change: EventChange, paint: Paint): string[] {
  switch (change.kind) {
    case 'changed': {
      const start = firstDifference(change.expected, change.actual)
      return [
        `  ${paint.red(`-${around(change.expected, start)}`)}`,
        `  ${paint.green(`+${around(change.actual, start)}`)}`,
      ]
    }
    case 'missing':
      return [`  ${paint.red(`-${around(change.expected, 0)}`)}`]
    case 'extra':
      return [`  ${paint.green(`+${around(change.actual, 0)}`)}`]
    default:
      return []
  }
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function around(text: string, at: number): string {
  const from = at <= aroundUnits ? 0 : at - aroundUnits
  const to = at + 2 * aroundUnits
  return `${from > 0 ? '…' : ''}${visible(text.slice(from, to))}${to < text.length ? '…' : ''}`
}
