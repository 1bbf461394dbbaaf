/**
 * Which scenarios a command is about: what the arguments name, or all that the
 * configuration knows, narrowed by agent, filter and shard. The order is that
 * of the names, whatever the file system says, so that every run is alike.
 */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import { findOrphans } from '../guard/name.ts'
import { visible } from '../visible.ts'
import {
  qualifiedName,
  readScenarioFolder,
  scenarioFiles,
  type BrokenScenario,
  type Scenario,
} from './scenario.ts'

export type Selection = {
  /** Folders or names; none: every scenario of the configuration. */
  scenarios?: readonly string[]
  /** Only this agent's; a folder that names no agent of the configuration gets this one. */
  agent?: string
  /** Part of the name, or of `<agent>/<name>` as the folders have it. */
  filter?: string
  /** The I-th of N parts, from 1. */
  shard?: { index: number; count: number }
  /**
   * Without `scenarios`, `agent` and `filter`: also folders that hold files of a scenario and no
   * `input.json`, as broken ones. What lost its script must not drop out in silence.
   */
  orphans?: boolean
}

/** Folders below a scenarios folder that may hold a scenario; deeper ones are not looked at. */
const depthMax = 4
const suggestionsMax = 5

/**
 * @throws RunproofError `usage` for a scenario or an agent that is not there, or when nothing is left;
 * `unreadable` when all are wanted and a folder of the configuration is not there.
 */
export async function selectScenarios(
  config: Config,
  selection: Selection,
): Promise<(Scenario | BrokenScenario)[]> {
  requireAgent(config, selection.agent)
  const wanted = selection.scenarios ?? []
  if (wanted.length === 0) await requireFolders(config)
  const known = await listScenarioFolders(config)
  const chosen =
    wanted.length === 0
      ? known
      : (await Promise.all(wanted.map((one) => resolveWanted(one, known)))).flat()
  const folders = [...new Set(chosen)]
  // Named among all that the configuration knows: a filter never renames a scenario.
  const names = new Map([...nameFolders(folders), ...nameFolders(known)])
  const named = folders
    .map((folder) => ({ folder, name: names.get(folder) ?? basename(folder) }))
    .filter(({ folder }) => qualifiedName(folder).includes(selection.filter ?? ''))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const read = await Promise.all(named.map((one) => readOne(one, config, selection.agent)))
  const orphans = isUnlimited(selection) ? await readOrphans(config) : []
  const ours = [...read.filter((one) => one !== null), ...orphans]
  if (ours.length === 0) throw nothingLeft(config, selection)
  const { shard } = selection
  if (shard === undefined) return ours
  const part = ours.filter((_, index) => index % shard.count === shard.index - 1)
  if (part.length > 0) return part
  throw new RunproofError(
    'usage',
    `part ${shard.index} of ${shard.count} is empty: there are ${ours.length} scenarios; take fewer parts`,
  )
}

const isUnlimited = ({ scenarios = [], agent, filter, orphans }: Selection): boolean =>
  orphans === true && scenarios.length === 0 && agent === undefined && filter === undefined

async function readOrphans({ scenarios }: Config): Promise<BrokenScenario[]> {
  const findings = await Promise.all(scenarios.map((root) => findOrphans(root)))
  return findings.flat().map(({ path, message }) => ({
    name: basename(path),
    folder: path,
    problems: [message],
  }))
}

async function requireFolders({ scenarios }: Config): Promise<void> {
  for (const folder of scenarios) {
    if (await isFolder(folder)) continue
    throw new RunproofError(
      'unreadable',
      `there is no folder ${visible(folder)}, which runproof.yml names for its scenarios; make it, or correct "scenarios"`,
    )
  }
}

function requireAgent({ agents }: Config, agent: string | undefined): void {
  if (agent === undefined || Object.hasOwn(agents, agent)) return
  const known = Object.keys(agents).map(visible).join(', ')
  throw new RunproofError(
    'usage',
    `runproof.yml has no agent ${visible(agent)}; it has: ${known || 'none'}`,
  )
}

function nothingLeft(config: Config, { agent, filter }: Selection): RunproofError {
  const limits = [
    ...(agent === undefined ? [] : [`of agent ${visible(agent)}`]),
    ...(filter === undefined ? [] : [`whose name has "${visible(filter)}"`]),
  ]
  return new RunproofError(
    'usage',
    `no scenario ${[...limits, `in ${config.scenarios.map(visible).join(', ')}`].join(' ')}`,
  )
}

async function readOne(
  { name, folder }: { name: string; folder: string },
  { agents }: Config,
  wantedAgent: string | undefined,
): Promise<Scenario | BrokenScenario | null> {
  const content = await readScenarioFolder(folder)
  if ('problems' in content) return { name, folder, problems: content.problems }
  const stated = content.input.agent ?? basename(dirname(folder))
  const only = Object.keys(agents).length === 1 ? Object.keys(agents)[0] : undefined
  const agent = Object.hasOwn(agents, stated) ? stated : (wantedAgent ?? only)
  if (content.input.agent !== null && agent !== content.input.agent) {
    const problem = `agent: runproof.yml has no agent ${visible(content.input.agent)}`
    return { name, folder, problems: [problem] }
  }
  if (agent === undefined) {
    const problem = 'no agent: put the folder into one named like the agent, or say --agent'
    return { name, folder, problems: [problem] }
  }
  return wantedAgent === undefined || agent === wantedAgent ? { name, agent, ...content } : null
}

/** The folder's own name where only one has it, else `<parent>/<name>`. */
function nameFolders(folders: readonly string[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const folder of folders) count.set(basename(folder), (count.get(basename(folder)) ?? 0) + 1)
  return new Map(
    folders.map((folder) => {
      const name = basename(folder)
      return [folder, count.get(name) === 1 ? name : qualifiedName(folder)]
    }),
  )
}

async function resolveWanted(wanted: string, known: readonly string[]): Promise<string[]> {
  const byName = known.filter((folder) =>
    [basename(folder), qualifiedName(folder)].includes(wanted),
  )
  if (byName.length > 0) return byName
  const folder = resolve(wanted)
  const found = (await isFolder(folder)) ? await findFolders(folder, 0) : []
  if (found.length > 0) return found
  const near = known
    .map((one) => basename(one))
    .filter((name) => name.includes(wanted) || wanted.includes(name))
    .slice(0, suggestionsMax)
  throw new RunproofError(
    'usage',
    `no scenario ${visible(wanted)}: neither a name nor a folder with an ${scenarioFiles.input}` +
      (near.length === 0 ? '' : `; did you mean ${near.map(visible).join(', ')}?`),
  )
}

/** Every scenario folder that the configuration knows. */
export async function listScenarioFolders({ scenarios }: Config): Promise<string[]> {
  return (await Promise.all(scenarios.map((folder) => findFolders(folder, 0)))).flat()
}

/** Folders with an `input.json`, in the order of their paths; none lies within another. */
async function findFolders(folder: string, depth: number): Promise<string[]> {
  const entries = await readEntries(folder)
  if (entries.some((entry) => entry.name === scenarioFiles.input && entry.isFile())) return [folder]
  if (depth === depthMax) return []
  const inner = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => join(folder, entry.name))
    .toSorted()
  return (await Promise.all(inner.map((one) => findFolders(one, depth + 1)))).flat()
}

/** Nothing for what is no folder; what may not be read is no reason to leave it out. */
async function readEntries(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
