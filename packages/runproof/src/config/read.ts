/**
 * Finding and reading `runproof.yml`. Every problem names the file, the line
 * and the key, and says what is expected there.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isNode, LineCounter, parseDocument, type Document } from 'yaml'
import type { z } from 'zod'
import { RunproofError } from '../error.ts'
import { visible } from '../visible.ts'
import { configSchema, type Config } from './config.ts'

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
      `no ${configName} in ${visible(resolve(folder))} or above it; write one with the agent's command (docs/formats/runproof-yml.md shows how)`,
    )
  }
  return parseConfig(await readFile(file, 'utf8'), file)
}

/** @throws RunproofError `unreadable`, a line for each problem. */
export function parseConfig(text: string, file: string): Config {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const way = relative(process.cwd(), file)
  const shown = visible(way.startsWith('..') ? file : way)
  const broken = document.errors.map(({ pos, message }) => {
    const [summary = ''] = message.split('\n')
    return `${shown}:${lines.linePos(pos[0]).line}: ${visible(summary)}`
  })
  if (broken.length > 0) throw new RunproofError('unreadable', broken.join('\n'))

  const parsed = configSchema.safeParse(document.toJS())
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const line = lineOf(document, lines, issue)
      const key = issue.path.map(String).join('.')
      return `${shown}:${line}: ${visible(key === '' ? issue.message : `${key}: ${issue.message}`)}`
    })
    throw new RunproofError('unreadable', problems.join('\n'))
  }
  const root = dirname(file)
  const { scenarios, agents } = parsed.data
  return { root, scenarios: scenarios.map((folder) => resolve(root, folder)), agents }
}

/** The line of the value a problem is about, or of the nearest value around it. */
function lineOf(document: Document, lines: LineCounter, issue: z.core.$ZodIssue): number {
  const keys =
    issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  for (let length = keys.length; length >= 0; length--) {
    const node = document.getIn(keys.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
