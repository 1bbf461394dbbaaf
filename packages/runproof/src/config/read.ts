/**
 * Finding and reading `runproof.yml`. Every problem names the file, the line
 * and the key, and says what is expected there.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { z } from 'zod'
import { reasonOf, RunproofError } from '../error.ts'
import { applyPreset, listPresets, readPreset } from '../presets/preset.ts'
import { isRecord } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import { configSchema, type Config } from './config.ts'
import { howToSetUp } from './example.ts'
import { parseYaml } from './yaml.ts'

export const configName = 'runproof.yml'

/** Folders looked through upwards; a deeper nesting is a circle. */
const foldersMax = 64

/** The nearest `runproof.yml` from `folder` upwards, or null. */
export function findConfig(folder: string): string | null {
  let current = resolve(folder)
  for (let count = 0; count < foldersMax; count++) {
    const file = join(current, configName)
    if (existsSync(file)) return file
    const parent = dirname(current)
    if (parent === current) return null
    current = parent
  }
  return null
}

/** @throws RunproofError `unreadable` when there is none, or it is not as the format says. */
export async function readConfig(folder: string): Promise<Config> {
  const file = findConfig(folder)
  if (file === null) {
    throw new RunproofError(
      'unreadable',
      `no ${configName} in ${visible(resolve(folder))} or above it; runproof init writes one for an agent that it knows; ${howToSetUp}`,
    )
  }
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RunproofError('unreadable', `cannot read ${visible(file)}: ${reasonOf(error)}`)
  })
  return parseConfig(text, file)
}

/** @throws RunproofError `unreadable`, a line for each problem. */
export function parseConfig(text: string, file: string): Config {
  const way = relative(process.cwd(), file)
  const shown = visible(way.startsWith('..') ? file : way)
  const yaml = parseYaml(text)
  if ('problem' in yaml) {
    throw new RunproofError('unreadable', `${shown}:${yaml.line}: ${visible(yaml.problem)}`)
  }

  const report = (issues: readonly Issue[]): RunproofError => {
    const problems = issues.map((issue) => {
      const { path, keys: [unknown] = [] } = issue
      // An unknown key has a line of its own.
      const line = yaml.lineOf(unknown === undefined ? path : [...path, unknown])
      const key = path.map(String).join('.')
      // What is wrong with a key of a record stands within.
      const message = issue.issues?.[0]?.message ?? issue.message
      return `${shown}:${line}: ${visible(key === '' ? message : `${key}: ${message}`)}`
    })
    return new RunproofError('unreadable', problems.join('\n'))
  }
  const { value, issues } = applyPresets(yaml.value)
  if (issues.length > 0) throw report(issues)
  const parsed = configSchema.safeParse(value)
  if (!parsed.success) throw report(parsed.error.issues)
  const root = dirname(file)
  const { scenarios, agents } = parsed.data
  return { root, scenarios: scenarios.map((folder) => resolve(root, folder)), agents }
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'> & {
  keys?: readonly string[]
  issues?: readonly { message: string }[]
}

/** The file's agents laid over their presets, where they name one. */
function applyPresets(value: unknown): { value: unknown; issues: Issue[] } {
  if (!isRecord(value) || !isRecord(value['agents'])) return { value, issues: [] }
  const issues: Issue[] = []
  const agents = Object.entries(value['agents']).map(([name, agent]): [string, unknown] => {
    if (!isRecord(agent) || typeof agent['preset'] !== 'string') return [name, agent]
    const preset = readPreset(agent['preset'])
    if (preset !== null) return [name, applyPreset(preset, agent)]
    const message = `there is no preset ${agent['preset']}; there are: ${listPresets().join(', ')}`
    issues.push({ path: ['agents', name, 'preset'], message })
    return [name, agent]
  })
  return { value: { ...value, agents: Object.fromEntries(agents) }, issues }
}
