/** A temporary folder that goes when the test is over. */
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export async function createFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'runproof-test-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
