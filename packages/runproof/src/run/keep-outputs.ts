/**
 * What `--out` keeps of a run, for people who want to look at all of it: the
 * contract's `*.actual.*`, the transcript of both directions and stderr.
 */
import { constants } from 'node:fs'
import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isCode, reasonOf, RunproofError } from '../error.ts'
import { serializeTranscriptLine } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import type { Seen } from './execute.ts'
import { serializeLines } from './golden-file.ts'
import type { Output } from './goldens.ts'

/**
 * The folder of `--out` and in it one a scenario, without what an earlier run has
 * left there: before anything is started, so that nothing is run in vain.
 * @param base what a relative path begins at.
 * @throws RunproofError `usage` when nothing can be written there.
 */
export async function makeOutFolders(
  out: string,
  base: string,
  scenarios: readonly { name: string }[],
): Promise<string> {
  const path = resolve(base, out)
  await makeFolder(path)
  for (const { name } of scenarios) {
    const folder = join(path, name)
    await makeFolder(folder)
    const stale = (await readdir(folder)).filter((file) => keptNames.test(file))
    for (const file of stale) await remove(join(folder, file))
  }
  return path
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
    await access(path, constants.W_OK)
  } catch (error) {
    throw explainOut(path, error)
  }
}

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw explainOut(path, error)
  }
}

function explainOut(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const isNoFolder = isCode(error, 'EEXIST') || isCode(error, 'ENOTDIR')
  const reason = isNoFolder ? 'it is no folder' : reasonOf(error)
  return new RunproofError('usage', `--out ${visible(path)} cannot be used: ${reason}`)
}

type KeepOptions = {
  /** Takes secrets out of the lines of a file. */
  redact: (lines: readonly string[]) => readonly string[]
  /** Of the files; default 0666 without the umask. */
  mode?: number
}

/** @throws RunproofError `usage` when a file cannot be written. */
export async function keepOutputs(
  folder: string,
  { transcript, stderr }: Seen,
  outputs: readonly Output[],
  { redact, mode = 0o666 }: KeepOptions,
): Promise<void> {
  const files = outputs.flatMap(({ file, actual }): [string, readonly string[]][] => {
    const name = keptName(file)
    return name === null || actual === null ? [] : [[name, actual]]
  })
  const all = [
    ...files,
    ['transcript.jsonl', transcript.map(serializeTranscriptLine)] as const,
    ['stderr.txt', stderr === '' ? [] : stderr.replace(/\n$/, '').split('\n')] as const,
  ]
  await makeFolder(folder)
  const write = async (path: string, text: string): Promise<void> => {
    // A mode counts for new files only.
    await remove(path)
    try {
      await writeFile(path, text, { mode, flag: 'wx' })
    } catch (error) {
      throw explainOut(path, error)
    }
  }
  await Promise.all(
    all.map(([name, lines]) => write(join(folder, name), serializeLines(redact(lines)))),
  )
}

/** All that is kept, whatever the scenario. */
const keptNames = /^(?:[\w-]+(?:\.\d+)?\.actual\.\w+|transcript\.jsonl|stderr\.txt)$/

/** `stdout.golden.jsonl` → `stdout.actual.jsonl`, `session.1.jsonl` → `session.1.actual.jsonl`. */
function keptName(file: string): string | null {
  const golden = /^([\w-]+)\.golden\.(\w+)$/.exec(file)
  if (golden !== null) return `${golden[1]}.actual.${golden[2]}`
  const log = /^(session(?:\.\d+)?)\.jsonl$/.exec(file)
  return log === null ? null : `${log[1]}.actual.jsonl`
}
