/**
 * One scenario folder in memory: its input and which of the known files it has.
 * Reading never judges what a file says (the guards and the run do) but for
 * `input.json`, without which there is no scenario.
 */
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseInput, type ScenarioInput } from './input.ts'

/** Names of the files of a scenario folder (contract). */
export const scenarioFiles = {
  input: 'input.json',
  session: 'session.jsonl',
  recording: 'recording.jsonl',
  stdout: 'stdout.golden.jsonl',
  progress: 'progress.golden.txt',
  override: 'replay.override.json',
  systemPrompt: 'system-prompt.golden.md',
  toolSchemas: 'tool-schemas.golden.json',
  workspace: 'workspace',
  workspaceExpected: 'workspace.expected',
} as const

type ScenarioFile = keyof typeof scenarioFiles

export type Scenario = {
  /** Unique among the scenarios it was read with: the folder's name, or `<agent>/<name>`. */
  name: string
  /** Absolute. */
  folder: string
  /** Name of the agent in `runproof.yml`. */
  agent: string
  /** A folder without `version`, of the DeepSeek Harness for example. */
  isForeign: boolean
  input: ScenarioInput
  /** Which of `scenarioFiles` are there, by absolute path. */
  files: Partial<Record<ScenarioFile, string>>
  /** Logs of child sessions, `session.1.jsonl` first. */
  childLogs: string[]
}

/** A folder that has an `input.json` which says nothing usable. */
export type BrokenScenario = { name: string; folder: string; problems: string[] }

type FolderContent = Omit<Scenario, 'name' | 'agent'>

/** Reads one folder. Throws only what the file system throws. */
export async function readScenarioFolder(
  folder: string,
): Promise<FolderContent | { problems: string[] }> {
  const parsed = parseInput(await readFile(join(folder, scenarioFiles.input), 'utf8'))
  if ('problems' in parsed) return parsed
  const entries = await readdir(folder, { withFileTypes: true })
  const problems = entries.flatMap(wrongKind)
  if (problems.length > 0) return { problems }
  const present = new Set(entries.map(({ name }) => name))
  const files = Object.fromEntries(
    Object.entries(scenarioFiles)
      .filter(([, name]) => present.has(name))
      .map(([file, name]) => [file, join(folder, name)]),
  )
  return { folder, files, childLogs: listChildLogs(folder, present), ...parsed }
}

const folderNames: ReadonlySet<string> = new Set([
  scenarioFiles.workspace,
  scenarioFiles.workspaceExpected,
])
const fileNames: ReadonlySet<string> = new Set(
  Object.values(scenarioFiles).filter((name) => !folderNames.has(name)),
)

/** A folder where a file must be, or the other way round; a link may lead to either. */
function wrongKind(entry: Dirent): string[] {
  const { name } = entry
  if (folderNames.has(name) && entry.isFile()) return [`${name} is a file and must be a folder`]
  return fileNames.has(name) && entry.isDirectory()
    ? [`${name} is a folder and must be a file`]
    : []
}

/** `session.N.jsonl` by their numbers; a gap ends nothing, the guards report it. */
function listChildLogs(folder: string, present: ReadonlySet<string>): string[] {
  return [...present]
    .flatMap((name) => {
      const number = /^session\.(\d+)\.jsonl$/.exec(name)?.[1]
      return number === undefined ? [] : [{ name, number: Number(number) }]
    })
    .toSorted((one, other) => one.number - other.number)
    .map(({ name }) => join(folder, name))
}

/** `<parent>/<name>` of a folder: its agent and its own name. */
export function qualifiedName(folder: string): string {
  return `${basename(join(folder, '..'))}/${basename(folder)}`
}
