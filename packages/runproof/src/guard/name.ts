/** Names of scenario folders: none twice, also where the file system knows no case; no folder without its input. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { qualifiedName, scenarioFiles } from '../scenario/scenario.ts'
import { reportFor, type Finding } from './finding.ts'

/** Folders below a scenarios folder that are looked into. */
const depthMax = 4

export function guardNames(folders: readonly string[]): Finding[] {
  const groups = Map.groupBy(folders, (folder) =>
    qualifiedName(folder).normalize('NFC').toLowerCase(),
  )
  return [...groups.values()].flatMap(([first, ...others]) =>
    others.map((folder) =>
      reportFor({ name: qualifiedName(folder), folder })(
        'duplicate-name',
        '',
        null,
        `has the name of ${first ?? ''} (case aside), so reports and goldens would be mixed up; rename one`,
      ),
    ),
  )
}

/** Folders that hold files of a scenario and no `input.json`. */
export async function findOrphans(root: string, depth: number = depthMax): Promise<Finding[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  const names = new Set(entries.map(({ name }) => name))
  if (names.has(scenarioFiles.input)) return []
  const traces = Object.values(scenarioFiles).filter((name) => names.has(name))
  if (traces.length > 0) {
    const report = reportFor({ name: basename(root), folder: root })
    return [
      report(
        'orphan-folder',
        '',
        null,
        `has ${traces.join(', ')} and no input.json, so no test reads it; write the script, or remove the folder`,
      ),
    ]
  }
  if (depth === 0) return []
  const inner = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
  const found = await Promise.all(inner.map(({ name }) => findOrphans(join(root, name), depth - 1)))
  return found.flat()
}
