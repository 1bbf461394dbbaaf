/** Waiting for a file of the workspace: the file system tells, nobody polls. */
import { existsSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { Channel, Wait } from './channel.ts'
import type { Waited } from './problem.ts'

/**
 * Resolves when `file` (relative to `cwd`) exists, also when it did before, and
 * all that the agent had said by then is in the channel.
 */
export async function waitForFile(
  file: string,
  cwd: string,
  channel: Channel,
  limits: Pick<Wait<true>, 'limitMs' | 'giveUp'>,
): Promise<Waited<true>> {
  const path = join(cwd, file)
  const watcher = watchFolder(cwd, () => channel.wake())
  const check = (): true | undefined => (existsSync(path) ? true : undefined)
  try {
    const waited = await channel.until({ what: `the file ${file}`, check, ...limits })
    // What was said before it stands in the pipe: a whole round of the event loop reads it.
    await nextRound()
    await nextRound()
    return waited
  } finally {
    watcher?.close()
  }
}

/** Null for a folder that cannot be watched; the wait ends by a message, by its limit or with the process. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | null {
  try {
    return watch(folder, { recursive: true }, onChange).on('error', () => {
      // The workspace is gone, which is the same.
    })
  } catch {
    return null
  }
}
