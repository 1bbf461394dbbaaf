/** A folder for one test, gone after it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A concurrent test passes its own `onTestFinished`. */
export function makeFolder(whenDone: (clean: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'runproof-log-'))
  whenDone(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A clock that ticks one millisecond a look. */
export function createClock(): { now(): number } {
  let time = 1000
  return { now: () => time++ }
}
