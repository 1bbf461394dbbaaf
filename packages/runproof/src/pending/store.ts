/**
 * Differences that nobody has accepted yet: `.runproof/pending/` at the project's
 * root, one file each, named by its key (`<scenario>/<file>`). The folder ignores
 * itself in git. Files come and go as a whole.
 *
 * Accepting writes goldens of this project and nothing else: files named `*.golden.*`
 * below its root that are not write-protected. A session log or a recording is
 * replay source; only `runproof record` writes it. Folders from elsewhere can be
 * tested, but what they expect is not this project's to change.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join, posix, relative, resolve, sep } from 'node:path'
import type { z } from 'zod'
import type { Difference } from '../compare/difference.ts'
import { isCode } from '../error.ts'
import { visible } from '../visible.ts'
import { writeAtomically } from './atomic.ts'
import { digest, findChangedInput, type Inputs } from './inputs.ts'
import { pendingSchema } from './schema.ts'
import { refuseToWrite, writerOf } from './writable.ts'

export type Pending = {
  /** `<scenario>/<file>`, the name for `--show`, `--accept` and `--reject`. */
  key: string
  difference: Difference
  /** Absolute path of the file that is compared. */
  goldenPath: string
  /** What the run produced, as the file would hold it; null when it produced nothing. */
  actualText: string | null
}

type PendingList = {
  /** By key. */
  pending: Pending[]
  /** Files of the store that cannot be read, a sentence each. */
  problems: string[]
}

/** Whether a golden was written; if not, why, and what to do. */
export type Accepted = { accepted: true; path: string } | { accepted: false; reason: string }

export type PendingStore = {
  /**
   * @param goldenPath the file that is compared, absolute or relative to the root.
   * @param inputs what the run was made with, as it was before the run.
   */
  write(
    difference: Difference,
    actualText: string | null,
    goldenPath: string,
    inputs: Inputs,
  ): Promise<void>
  list(): Promise<PendingList>
  accept(key: string): Promise<Accepted>
  /** Forgets a difference; the golden stays. @returns whether there was one. */
  reject(key: string): Promise<boolean>
  /** Forgets every difference of a scenario; call it before the scenario runs. */
  clear(scenario: string): Promise<void>
}

const version = 1
const fileSuffix = '.json'

/** File names stay below what every file system takes. */
const nameUnitsMax = 200

export const pendingKey = ({ scenario, file }: { scenario: string; file: string }): string =>
  `${scenario}/${file}`

/** @param root the project's root; nothing is touched before the first write. */
export function createPendingStore(root: string): PendingStore {
  const folder = join(root, '.runproof', 'pending')
  const pathOf = (key: string): string => join(folder, fileName(key))

  const list = async (): Promise<PendingList> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) =>
      name.endsWith(fileSuffix),
    )
    const result: PendingList = { pending: [], problems: [] }
    for (const name of names.toSorted()) {
      const stored = await readStored(join(folder, name))
      if (stored !== null && isOfKey(stored, name)) result.pending.push(toPending(stored, root))
      else {
        const shown = visible(relative(root, join(folder, name)))
        result.problems.push(
          `${shown} is no pending difference; delete it and run runproof test again`,
        )
      }
    }
    result.pending.sort((a, b) => (a.key < b.key ? -1 : 1))
    return result
  }

  return {
    async write(difference, actualText, goldenPath, inputs) {
      const path = resolve(root, goldenPath)
      const golden = await readText(path)
      const stored: Stored = {
        version,
        path: relative(root, path).split(sep).join('/'),
        expectedDigest: golden === null ? null : digest(golden),
        inputs,
        difference,
        actualText,
      }
      await writeAtomically(join(root, '.runproof', '.gitignore'), '*\n')
      await writeAtomically(pathOf(pendingKey(difference)), `${JSON.stringify(stored)}\n`)
    },
    list,
    async accept(key) {
      const stored = await readStored(pathOf(key))
      if (stored === null || !isOfKey(stored, fileName(key)))
        return refuse(
          `there is no pending difference ${visible(key)}; runproof review --list shows them`,
        )
      const { goldenPath, actualText } = toPending(stored, root)
      const reason = await reasonAgainst(stored, goldenPath, root)
      if (reason !== null) return refuse(reason)
      await writeAtomically(goldenPath, actualText ?? '')
      await rm(pathOf(key), { force: true })
      return { accepted: true, path: goldenPath }
    },
    async reject(key) {
      const isThere = (await readText(pathOf(key))) !== null
      await rm(pathOf(key), { force: true })
      return isThere
    },
    async clear(scenario) {
      const { pending } = await list()
      const own = pending.filter(({ difference }) => difference.scenario === scenario)
      await Promise.all(own.map(({ key }) => rm(pathOf(key), { force: true })))
    },
  }
}

type Stored = z.output<typeof pendingSchema>

const refuse = (reason: string): Accepted => ({ accepted: false, reason })

async function reasonAgainst(
  stored: Stored,
  goldenPath: string,
  root: string,
): Promise<string | null> {
  const { scenario, file } = stored.difference
  const name = visible(file)
  const writer = writerOf(goldenPath)
  if (writer === 'person') {
    return `${name} says what the run must leave, so nothing but a person writes it; if the change is meant, edit it`
  }
  if (writer === 'record') {
    return `${name} is what the replay reads, so it is never accepted from a replay; if the change is meant, run: runproof record ${visible(scenario)}`
  }
  const refusal = await refuseToWrite(goldenPath, root)
  if (refusal !== null) return refusal
  if (stored.actualText === null) {
    return `the run produced no ${name}; if that is meant, delete the file`
  }
  const changed = await findChangedInput(root, stored.inputs)
  if (changed !== null) {
    return `${visible(changed)} has changed since the run, so its ${name} may be of something else; run: runproof test ${visible(scenario)}`
  }
  const golden = await readText(goldenPath)
  const current = golden === null ? null : digest(golden)
  return current === stored.expectedDigest || golden === stored.actualText
    ? null
    : `${name} has changed since the run; run: runproof test ${visible(scenario)}`
}

function toPending(stored: Stored, root: string): Pending {
  const { difference, actualText, path } = stored
  return { key: pendingKey(difference), difference, goldenPath: resolve(root, path), actualText }
}

/** Whether a stored difference is what its name says, and about the file that it names. */
function isOfKey({ difference, path }: Stored, name: string): boolean {
  const { file } = difference
  // A pin of a header class is compared by other scenarios, too: `<file> of <scenario>`.
  const isNamed = `/${path}`.endsWith(`/${file}`) || file.startsWith(`${posix.basename(path)} of `)
  return isNamed && fileName(pendingKey(difference)) === name
}

async function readStored(path: string): Promise<Stored | null> {
  const text = await readText(path)
  return text === null ? null : parseStored(text)
}

function parseStored(text: string): Stored | null {
  try {
    const parsed = pendingSchema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Any key as one file name, different for different keys. */
function fileName(key: string): string {
  const name = encodeURIComponent(key.toWellFormed()).replaceAll('*', '%2A')
  if (name.length <= nameUnitsMax) return name + fileSuffix
  return `${name.slice(0, nameUnitsMax - 64)}${digest(key)}${fileSuffix}`
}
