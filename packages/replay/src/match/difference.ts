/**
 * Where two JSON values differ, field by field, and how to show it.
 */
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../object.ts'

/** One field. A side that has no such field is absent. */
export type FieldDifference = {
  /** Like `body.messages[2].content`. */
  path: string
  recorded?: unknown
  sent?: unknown
}

/**
 * The differences in the order of the fields. Members that an array has more
 * at one place than the other are additions there, not a change of all behind.
 */
export function diffFields(recorded: unknown, sent: unknown, path = ''): FieldDifference[] {
  if (Array.isArray(recorded) && Array.isArray(sent)) return diffArrays(recorded, sent, path)
  if (isObject(recorded) && isObject(sent)) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(sent)])
    return [...names].toSorted().flatMap((name) => {
      const at = path === '' ? name : `${path}.${name}`
      if (!Object.hasOwn(recorded, name)) return [{ path: at, sent: sent[name] }]
      if (!Object.hasOwn(sent, name)) return [{ path: at, recorded: recorded[name] }]
      return diffFields(recorded[name], sent[name], at)
    })
  }
  return isDeepStrictEqual(recorded, sent) ? [] : [{ path, recorded, sent }]
}

function diffArrays(
  recorded: readonly unknown[],
  sent: readonly unknown[],
  path: string,
): FieldDifference[] {
  const shorter = Math.min(recorded.length, sent.length)
  let head = 0
  while (head < shorter && isDeepStrictEqual(recorded[head], sent[head])) head++
  let tail = 0
  while (tail < shorter - head && isDeepStrictEqual(recorded.at(-1 - tail), sent.at(-1 - tail))) {
    tail++
  }
  const differences: FieldDifference[] = []
  const end = Math.max(recorded.length, sent.length) - tail
  for (let index = head; index < end; index++) {
    const at = `${path}[${index}]`
    if (index >= recorded.length - tail) differences.push({ path: at, sent: sent[index] })
    else if (index >= sent.length - tail) differences.push({ path: at, recorded: recorded[index] })
    else differences.push(...diffFields(recorded[index], sent[index], at))
  }
  return differences
}

/** Fields shown; more are counted. */
const shownMax = 12
/** Of a text: characters before and behind the first difference. */
const unitsBefore = 40
const unitsBehind = 80

/** The differences as lines for people: each path, then what was recorded and what was sent. */
export function renderDifferences(differences: readonly FieldDifference[]): string {
  const shown = differences.slice(0, shownMax).map(({ path, recorded, sent }) => {
    const at = firstDifference(textOf(recorded), textOf(sent))
    return [
      `  ${path}`,
      `    recorded: ${recorded === undefined ? '(nothing)' : excerpt(textOf(recorded), at)}`,
      `    sent:     ${sent === undefined ? '(nothing)' : excerpt(textOf(sent), at)}`,
    ].join('\n')
  })
  const rest = differences.length - shownMax
  return [...shown, ...(rest > 0 ? [`  … ${rest} more fields`] : [])].join('\n')
}

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}

function firstDifference(left: string, right: string): number {
  // Of a text that stands alone the beginning is shown.
  if (left === '' || right === '') return 0
  let at = 0
  while (at < left.length && left[at] === right[at]) at++
  return at
}

function excerpt(text: string, at: number): string {
  const start = at <= unitsBefore ? 0 : at - unitsBefore
  const end = at + unitsBehind
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
