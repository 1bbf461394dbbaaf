/**
 * Who writes which file, and which ones this project may write: those below its folder that nobody has
 * write-protected. Scenarios from elsewhere can be tested, but what they expect
 * is not this project's to change.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, sep } from 'node:path'
import { visible } from '../visible.ts'

/**
 * Who writes a file that is compared: accepting a difference writes goldens
 * (`stdout.golden.jsonl` and their like), `runproof record` what a replay reads,
 * and a person what the workspace must look like.
 */
export function writerOf(path: string): 'review' | 'record' | 'person' {
  if (/(?:^|[\\/])workspace\.expected[\\/]/.test(path)) return 'person'
  return /\.golden\.\w+$/.test(path) ? 'review' : 'record'
}

/** @returns why the file may not be written and what to do, in one sentence, or null. */
export async function refuseToWrite(path: string, root: string): Promise<string | null> {
  const shown = visible(path)
  const folder = await realpath(dirname(path)).catch(() => null)
  if (folder === null) {
    return `the folder of ${shown} is not there any more, so it is not written; run the scenario again, or reject the change`
  }
  if (isOutside(await realpath(root), folder)) {
    return `${shown} lies outside of this project, so it is not written; copy the scenario into the project, or review it in its own`
  }
  return (await isProtected(path))
    ? `${shown} is write-protected; if the change is meant, make it writable first`
    : null
}

/** Of real paths: what counts is where the file really is. */
function isOutside(root: string, folder: string): boolean {
  const way = relative(root, folder)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

/** By its mode: a privileged user may write anything, and should not here. */
async function isProtected(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && (found.mode & 0o222) === 0
}
