/**
 * A new log in the clothes of the one it replaces, so that a re-record shows
 * only what changed: lines that normalise equal stay as they are, byte for
 * byte, and new lines name the old session and the old folder.
 */
import { diffArrays } from 'diff'
import { normaliseSessionLog } from '../normalise/session-log.ts'
import { goldenMode } from '../normalise/transcript.ts'
import { parseLog, type SessionLog } from '../run/harvest.ts'

/** @returns the lines to write. Without an old log, the new lines. */
export function keepEqualLines(old: SessionLog | null, fresh: SessionLog): string[] {
  if (old === null) return fresh.lines
  const renamed = parseLog(rename(fresh.lines.join('\n'), namesOf(fresh), namesOf(old)))
  const { tokens } = goldenMode(old.lines)
  const [before, after] = [old.lines, renamed.lines].map((lines) =>
    normaliseSessionLog(lines, { tokens }),
  )
  let oldAt = 0
  let newAt = 0
  return diffArrays(before ?? [], after ?? []).flatMap(({ value, added, removed }) => {
    if (removed) {
      oldAt += value.length
      return []
    }
    const kept = added
      ? renamed.lines.slice(newAt, newAt + value.length)
      : old.lines.slice(oldAt, oldAt + value.length)
    newAt += value.length
    if (!added) oldAt += value.length
    return kept
  })
}

/** What names a run and nothing else: its session and its folder. */
function namesOf({ header }: SessionLog): string[] {
  return ['cwd', 'id', 'parentSession'].map((key) => {
    const value = header?.[key]
    return typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : ''
  })
}

function rename(text: string, from: readonly string[], to: readonly string[]): string {
  return from.reduce((result, name, index) => {
    const other = to[index] ?? ''
    return name === '' || other === '' ? result : result.replaceAll(name, other)
  }, text)
}
