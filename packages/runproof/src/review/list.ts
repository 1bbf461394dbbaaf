/** `runproof review --list`: what is pending, one line each, gathered by cause. */
import picocolors from 'picocolors'
import type { Accepted, Pending } from '../pending/store.ts'
import { writerOf } from '../pending/writable.ts'
import { visible, visibleJson } from '../visible.ts'
import { groupByCause } from './group.ts'

/** Why a difference cannot be accepted. */
const notes = {
  review: '',
  record: ' (not acceptable: replay source)',
  person: ' (not acceptable: written by hand)',
} as const

/** Lines for people. */
export function listLines(pending: readonly Pending[], colours: boolean): string[] {
  const paint = picocolors.createColors(colours)
  return groupByCause(pending).flatMap(({ cause, members }) => {
    const head =
      members.length === 1 ? [] : [paint.bold(`${members.length} with one cause (${cause})`)]
    const indent = members.length === 1 ? '' : '  '
    return [
      ...head,
      ...members.flatMap(({ key, goldenPath, difference }) => [
        `${indent}${visible(key)}${paint.dim(notes[writerOf(goldenPath)])}`,
        `${indent}  ${paint.dim(visible(difference.summary))}`,
      ]),
    ]
  })
}

/** One JSON line a difference: `{key, scenario, file, kind, summary, cause, changeCount, acceptable}`. */
export function listJson({ key, goldenPath, difference }: Pending): string {
  const { changes: _changes, ...rest } = difference
  return visibleJson({ key, ...rest, acceptable: writerOf(goldenPath) === 'review' })
}

/** What became of one difference, in one line. */
export function outcomeText({ key }: Pending, outcome: Accepted | 'rejected'): string {
  if (outcome === 'rejected') return `rejected ${visible(key)}`
  return outcome.accepted ? `accepted ${visible(key)}` : `not accepted: ${outcome.reason}`
}
