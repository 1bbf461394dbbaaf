/** Finding the file of a program as the system would, before it is started. */
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import process from 'node:process'

type Variables = Readonly<Record<string, string | undefined>>

/** @param root where a relative path starts. @returns its path as it was found, or null. */
export async function findCommand(
  program: string,
  root: string,
  env: Variables,
): Promise<string | null> {
  if (program === '') return null
  const suffixes =
    process.platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : ['']
  const folders = (env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
  const candidates = isAbsolute(program)
    ? [program]
    : /[\\/]/.test(program)
      ? [resolve(root, program)]
      : folders.map((folder) => join(folder, program))
  for (const candidate of candidates.flatMap((path) => suffixes.map((suffix) => path + suffix))) {
    if (await isThere(candidate, constants.X_OK)) return candidate
  }
  return null
}

/** Whether there is something that allows `mode` (`node:fs` constants). */
export async function isThere(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
