/** The file of a transcript: for its owner alone, never through a link that was there before. */
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { extname } from 'node:path'
import { isCode } from '../error.ts'

/** Numbers that are tried for a name that is taken. */
const namesMax = 10_000

export type OwnFile = {
  /** Of the file that is written. */
  readonly path: string
  /** The descriptor to write to. */
  readonly descriptor: number
  /** Whether it can be read back and replaced: a device cannot. */
  readonly isRegular: boolean
}

/** Opens a new file in place of what has this name; a device or a pipe is written to as it is. */
export function replaceFile(path: string): OwnFile {
  const found = statSync(path, { throwIfNoEntry: false })
  const isRegular = found === undefined || found.isFile()
  if (!isRegular) return { path, descriptor: openSync(path, 'a'), isRegular }
  rmSync(path, { force: true })
  return { path, descriptor: openSync(path, 'wx', 0o600), isRegular }
}

/** Opens a new file of this name, or with a number in it when that is taken: `a.jsonl`, `a.2.jsonl`. */
export function createFile(path: string): OwnFile {
  const suffix = extname(path)
  const stem = path.slice(0, path.length - suffix.length)
  for (let number = 1; ; number++) {
    const name = number === 1 ? path : `${stem}.${number}${suffix}`
    try {
      return { path: name, descriptor: openSync(name, 'wx', 0o600), isRegular: true }
    } catch (error) {
      if (!isCode(error, 'EEXIST') || number === namesMax) throw error
    }
  }
}

/**
 * Closes the file; its text becomes what `map` makes of it, all at once.
 * @returns false for one that is too large to be read back.
 */
export function closeFile(
  { path, descriptor, isRegular }: OwnFile,
  bytesMax: number,
  map: (text: string) => string,
): boolean {
  closeSync(descriptor)
  if (!isRegular) return true
  if (statSync(path).size > bytesMax) return false
  const text = readFileSync(path, 'utf8')
  const mapped = map(text)
  if (mapped === text) return true
  const draft = `${path}.tmp`
  rmSync(draft, { force: true })
  writeFileSync(draft, mapped, { mode: 0o600, flag: 'wx' })
  renameSync(draft, path)
  return true
}
