/**
 * What agents look for from their working folder up to the root, and put into
 * their prompts: a request may differ by it from one machine to another.
 */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const names = ['.git', '.env', 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md']

/** Paths of it at and above the folder that runs have theirs in, the nearest first. */
export function findAbove(folder: string = tmpdir()): string[] {
  const here = names.map((name) => join(folder, name)).filter((path) => existsSync(path))
  const parent = dirname(folder)
  return parent === folder ? here : [...here, ...findAbove(parent)]
}

/** One sentence, or null where nothing is in the way. */
export function describeAbove(paths: readonly string[]): string | null {
  if (paths.length === 0) return null
  return `agents look for files above their working folder, and there is ${paths.join(', ')}; set TMPDIR to a folder without`
}
