/** A scenario folder in memory, as the guards see it: every file's text, whatever it says. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { AgentConfig } from '../config/config.ts'
import type { NormaliseRule } from '../normalise/context.ts'
import type { ScenarioInput } from '../scenario/input.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** Larger files are looked at by name only. */
const fileBytesMax = 16 * 1024 * 1024

/** Files read below one folder. */
const filesMax = 2000

/** What the agent's configuration says about its folders; without one, a seam is seen from the files. */
export type GuardAgent = Pick<AgentConfig, 'protocol' | 'seam'> & {
  normalise: readonly NormaliseRule[]
}

export type Snapshot = {
  name: string
  folder: string
  isForeign: boolean
  input: ScenarioInput
  agent: GuardAgent
  /** Names in the folder itself, sorted. */
  entries: readonly string[]
  /** Text by path within the folder, with slashes; files that are not UTF-8 text are left out. */
  texts: ReadonlyMap<string, string>
}

/** Reads a whole scenario folder. Throws only what the file system throws. */
export async function readSnapshot(
  scenario: Omit<Scenario, 'agent'>,
  agent: GuardAgent | null,
): Promise<Snapshot> {
  const { name, folder, isForeign, input } = scenario
  const entries = (await readdir(folder)).toSorted()
  const texts = await readTexts(folder)
  const seam = texts.has('recording.jsonl') ? 'provider' : 'session'
  return {
    name,
    folder,
    isForeign,
    input,
    agent: agent ?? { protocol: 'acp', seam, normalise: [] },
    entries,
    texts,
  }
}

async function readTexts(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .slice(0, filesMax)
  const texts = new Map<string, string>()
  for (const file of files) {
    if ((await stat(file)).size > fileBytesMax) continue
    const bytes = await readFile(file)
    if (bytes.includes(0)) continue
    texts.set(relative(folder, file).split(sep).join('/'), bytes.toString('utf8'))
  }
  return texts
}

/** The lines of a text, without the end of the last one. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Names of the session logs that are there, the first session's first. */
export function logNames({ entries }: Snapshot): string[] {
  const children = entries
    .flatMap((name) => {
      const number = /^session\.(\d+)\.jsonl$/.exec(name)?.[1]
      return number === undefined ? [] : [{ name, number: Number(number) }]
    })
    .toSorted((a, b) => a.number - b.number)
  const primary = entries.includes('session.jsonl') ? ['session.jsonl'] : []
  return [...primary, ...children.map(({ name }) => name)]
}
