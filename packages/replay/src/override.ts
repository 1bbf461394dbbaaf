/**
 * The override document of a scenario, `replay.override.json`: what the model
 * does where the log cannot tell.
 *
 * Follows the DeepSeek Harness: an array of entries takes the place of the
 * whole derived script; `{"patches": [{"at", "entry"}]}` replaces single calls
 * (`at` counts from 0; the number of calls itself appends one). It belongs to
 * the primary session only.
 */
import { isEntry, keyDefects } from './entry.ts'
import type { EntryIssue, ReplayEntry } from './entry.ts'
import { ReplayError } from './error.ts'
import { isObject } from './object.ts'

export type Patch = { at: number; entry: ReplayEntry }

export type Override =
  | { kind: 'replace'; entries: ReplayEntry[] }
  | { kind: 'patch'; patches: Patch[] }

const documentFields = { patches: { optional: false } }
const patchFields = { at: { optional: false }, entry: { optional: false } }

/** Reads the document. Throws `bad-override` with all defects, each with its path. */
export function parseOverride(text: string, file: string): Override {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (reason) {
    const detail = reason instanceof Error ? reason.message : String(reason)
    throw new ReplayError('bad-override', `${file}: not JSON: ${detail}`, { file, cause: reason })
  }
  const issues: EntryIssue[] = []
  const override = readOverride(value, (issue) => issues.push(issue))
  if (override === undefined || issues.length > 0) {
    const list = issues.map(({ path, message }) => `${path || 'the document'} ${message}`)
    const form = 'it is a list of entries, or {"patches":[{"at","entry"}]}'
    throw new ReplayError('bad-override', `${file}: ${list.join('; ')}; ${form}`, { file })
  }
  return override
}

function readOverride(value: unknown, report: (issue: EntryIssue) => void): Override | undefined {
  if (Array.isArray(value)) {
    const entries = value.filter((entry, i) => isEntry(entry, `[${i}]`, report))
    return { kind: 'replace', entries }
  }
  if (!isObject(value)) {
    report({ path: '', message: 'is neither a list nor an object' })
    return undefined
  }
  for (const message of keyDefects(value, documentFields)) report({ path: '', message })
  if (!Array.isArray(value.patches)) {
    report({ path: 'patches', message: 'is not a list' })
    return undefined
  }
  const patches = value.patches.flatMap((patch, i) => readPatch(patch, `patches[${i}]`, report))
  return { kind: 'patch', patches }
}

function readPatch(value: unknown, path: string, report: (issue: EntryIssue) => void): Patch[] {
  if (!isObject(value)) {
    report({ path, message: 'is not an object' })
    return []
  }
  for (const message of keyDefects(value, patchFields)) report({ path, message })
  const { at, entry } = value
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) {
    report({ path: `${path}.at`, message: 'is not the number of a call' })
    return []
  }
  return isEntry(entry, `${path}.entry`, report) ? [{ at, entry }] : []
}
