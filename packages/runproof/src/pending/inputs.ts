/**
 * What decides the result of a scenario, as digests: an output belongs to the
 * script, the model's part and the workspace that it was made with, and is not to
 * be accepted for others. Goldens are not among them; they have digests of their own.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { configName } from '../config/read.ts'
import { scenarioFiles } from '../scenario/scenario.ts'

export type Inputs = {
  /** The scenario's folder, relative to the project's root, with slashes. */
  folder: string
  /** SHA-256 by path within the folder, with slashes; `runproof.yml` is the project's. */
  digests: Record<string, string>
}

const { input, override, recording, workspace, workspaceExpected } = scenarioFiles
const decisive: ReadonlySet<string> = new Set([
  input,
  override,
  recording,
  workspace,
  workspaceExpected,
])

/** Of the files as they are now. What is not there, or cannot be read, has no digest. */
export async function digestInputs(root: string, scenarioFolder: string): Promise<Inputs> {
  const folder = resolve(root, scenarioFolder)
  const digests: Record<string, string> = {}
  const add = async (name: string, path: string): Promise<void> => {
    const bytes = await readFile(path).catch(() => null)
    if (bytes !== null) digests[name] = digest(bytes)
  }
  await add(configName, join(root, configName))
  for (const name of await readdir(folder).catch(() => [])) {
    if (!isDecisive(name)) continue
    await add(name, join(folder, name))
    for (const path of await listBelow(join(folder, name))) {
      await add(slashed(relative(folder, path)), path)
    }
  }
  return { folder: slashed(relative(root, folder)), digests }
}

/** The first file that is not as it was, or was not there, or is not any more; null when all are. */
export async function findChangedInput(root: string, before: Inputs): Promise<string | null> {
  const { digests } = await digestInputs(root, before.folder)
  const names = new Set([...Object.keys(before.digests), ...Object.keys(digests)])
  const isChanged = (name: string): boolean => before.digests[name] !== digests[name]
  return [...names].toSorted().find(isChanged) ?? null
}

export const digest = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const isDecisive = (name: string): boolean =>
  decisive.has(name) || /^session(?:\.\d+)?\.jsonl$/.test(name)

/** Everything in a folder that is no folder; nothing for a file. */
async function listBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
}

const slashed = (path: string): string => path.split(sep).join('/')
