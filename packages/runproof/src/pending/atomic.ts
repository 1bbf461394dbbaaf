/** Files that are there as a whole or not at all. */
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'

/** Writes beside the target, then renames; a reader sees the old text or the new one. Makes the folder. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const draft = join(folder, `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    const file = await open(draft, 'wx')
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
