/**
 * New logs in the clothes of those they replace, so that a re-record shows only
 * what changed: lines that normalise equal stay as they are, byte for byte, and
 * new lines name the old sessions and the old folder.
 */
import { diffArrays } from 'diff'
import { escapeExpression } from '../normalise/folder.ts'
import { normaliseSessionLogs } from '../normalise/session-log.ts'
import { isNamedInText } from '../normalise/text.ts'
import { goldenMode } from '../normalise/transcript.ts'
import { parseLog, type SessionLog } from '../run/harvest.ts'

/**
 * @param old the logs of before, in the order of the new ones; null where there was none.
 * @returns the lines to write, a list for each new log.
 */
export function keepEqualLines(
  old: readonly (SessionLog | null)[],
  fresh: readonly SessionLog[],
): string[][] {
  const renamed = renameRun(old, fresh)
  const { tokens } = goldenMode(old.flatMap((log) => log?.lines ?? []))
  // Together: who is whose child is said by ids of several logs.
  const [before, after] = [old, renamed].map((logs) =>
    normaliseSessionLogs(
      logs.map((log) => log?.lines ?? []),
      { tokens },
    ),
  )
  return renamed.map(({ lines }, index) =>
    keepLines(
      { lines: old[index]?.lines ?? [], stable: before?.[index] ?? [] },
      { lines, stable: after?.[index] ?? [] },
    ),
  )
}

/** Lines as written, and in their stable form. */
type Side = { lines: readonly string[]; stable: string[] }

function keepLines(before: Side, after: Side): string[] {
  let oldAt = 0
  let newAt = 0
  return diffArrays(before.stable, after.stable).flatMap(({ value, added, removed }) => {
    if (removed) {
      oldAt += value.length
      return []
    }
    const kept = added
      ? after.lines.slice(newAt, newAt + value.length)
      : before.lines.slice(oldAt, oldAt + value.length)
    newAt += value.length
    if (!added) oldAt += value.length
    return kept
  })
}

/** The new logs with the sessions and the folder of the old ones. */
function renameRun(
  old: readonly (SessionLog | null)[],
  fresh: readonly SessionLog[],
): SessionLog[] {
  const named = fresh.map(({ header }, index) => ({ header, before: old[index]?.header ?? null }))
  const pairs = (key: string): [string, string][] =>
    named.flatMap(({ header, before }): [string, string][] => {
      const [from, to] = [header?.[key], before?.[key]]
      return typeof from === 'string' && typeof to === 'string' && from !== '' ? [[from, to]] : []
    })
  const ids = new Map(pairs('id'))
  const names = new Map([...pairs('cwd'), ...[...ids].filter(([id]) => isNamedInText(id))])
  const rename = createRenamer(names)
  return fresh.map(({ lines }) =>
    parseLog(lines.map((line, at) => rename(at === 0 ? renameHeader(line, ids) : line)).join('\n')),
  )
}

/** Ids that are too short to be looked for in a text are still what the header says. */
function renameHeader(line: string, ids: ReadonlyMap<string, string>): string {
  const { header } = parseLog(line)
  if (header === null) return line
  const renamed = Object.entries(header).map(([key, value]) => {
    const isId = (key === 'id' || key === 'parentSession') && typeof value === 'string'
    return [key, isId ? (ids.get(value) ?? value) : value]
  })
  return JSON.stringify(Object.fromEntries(renamed))
}

const inJson = (name: string): string => JSON.stringify(name).slice(1, -1)

/** Replaces whole names, each by its own, in JSON text. */
function createRenamer(names: ReadonlyMap<string, string>): (text: string) => string {
  const spelled = new Map([...names].map(([from, to]) => [inJson(from), inJson(to)]))
  if (spelled.size === 0) return (text) => text
  const longestFirst = [...spelled.keys()].toSorted((a, b) => b.length - a.length)
  const expression = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${longestFirst.map(escapeExpression).join('|')})(?![\\p{L}\\p{N}_-])`,
    'gu',
  )
  return (text) => text.replace(expression, (name) => spelled.get(name) ?? name)
}
