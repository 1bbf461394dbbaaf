/**
 * Comparing two folders by their files: the world a run left against the one
 * it must leave. Contents count, times and modes do not; an empty folder is
 * nothing (a repository could not hold it), a symbolic link is its target.
 */
import { isUtf8 } from 'node:buffer'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** One file that is not as expected. Paths use slashes. Text is null for what is not UTF-8. */
export type FileChange = {
  path: string
  kind: 'missing' | 'extra' | 'changed'
  /** One line. */
  summary: string
  expected: string | null
  actual: string | null
}

/** @returns every difference, by path. */
export async function compareWorkspace(expected: string, actual: string): Promise<FileChange[]> {
  const [wanted, found] = await Promise.all([readTree(expected), readTree(actual)])
  const paths = [...new Set([...wanted.keys(), ...found.keys()])].toSorted()
  return paths.flatMap((path) => {
    const change = compareFile(path, wanted.get(path), found.get(path))
    return change === null ? [] : [change]
  })
}

function compareFile(
  path: string,
  expected: Buffer | undefined,
  actual: Buffer | undefined,
): FileChange | null {
  if (expected !== undefined && actual !== undefined && expected.equals(actual)) return null
  const texts = { expected: textOf(expected), actual: textOf(actual) }
  if (expected === undefined) {
    return { path, kind: 'extra', summary: `${path} is there and should not be`, ...texts }
  }
  if (actual === undefined) {
    return { path, kind: 'missing', summary: `${path} is missing`, ...texts }
  }
  const sizes = `${actual.byteLength} bytes, expected ${expected.byteLength}`
  return { path, kind: 'changed', summary: `${path} has other contents (${sizes})`, ...texts }
}

function textOf(bytes: Buffer | undefined): string | null {
  return bytes === undefined || !isUtf8(bytes) ? null : bytes.toString('utf8')
}

async function readTree(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())
  const read = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const content = entry.isSymbolicLink()
        ? Buffer.from(`symbolic link to ${await readlink(path)}`)
        : await readFile(path)
      return [relative(folder, path).split(sep).join('/'), content] as const
    }),
  )
  return new Map(read)
}
