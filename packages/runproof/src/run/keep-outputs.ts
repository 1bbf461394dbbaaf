/**
 * What `--out` keeps of a run, for people who want to look at all of it: the
 * contract's `*.actual.*`, the transcript of both directions and stderr.
 */
import { constants } from 'node:fs'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isCode, reasonOf, RunproofError } from '../error.ts'
import { serializeTranscriptLine } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import type { Execution } from './execute.ts'
import { serializeLines } from './golden-file.ts'
import type { Output } from './goldens.ts'

/**
 * A folder of `--out`, made now.
 * @param base what a relative path begins at.
 * @throws RunproofError `usage` when nothing can be written there.
 */
export async function makeOutFolder(out: string, base: string): Promise<string> {
  const path = resolve(base, out)
  try {
    await mkdir(path, { recursive: true })
    await access(path, constants.W_OK)
  } catch (error) {
    throw explainOut(path, error)
  }
  return path
}

function explainOut(path: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const isNoFolder = isCode(error, 'EEXIST') || isCode(error, 'ENOTDIR')
  const reason = isNoFolder ? 'it is no folder' : reasonOf(error)
  return new RunproofError('usage', `--out ${visible(path)} cannot be used: ${reason}`)
}

type KeepOptions = {
  /** Takes secrets out of the lines of a file; default: a replay has none. */
  redact?: (lines: readonly string[]) => readonly string[]
  /** Of the files; default 0666 without the umask. */
  mode?: number
}

/** @throws RunproofError `usage` when a file cannot be written. */
export async function keepOutputs(
  folder: string,
  { transcript, stderr }: Pick<Execution, 'transcript' | 'stderr'>,
  outputs: readonly Output[],
  { redact = (lines) => lines, mode = 0o666 }: KeepOptions = {},
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
  await makeOutFolder(folder, '')
  const write = async (path: string, text: string): Promise<void> => {
    try {
      // A mode counts for new files only.
      await rm(path, { force: true })
      await writeFile(path, text, { mode, flag: 'wx' })
    } catch (error) {
      throw explainOut(path, error)
    }
  }
  await Promise.all(
    all.map(([name, lines]) => write(join(folder, name), serializeLines(redact(lines)))),
  )
}

/** `stdout.golden.jsonl` → `stdout.actual.jsonl`, `session.1.jsonl` → `session.1.actual.jsonl`. */
function keptName(file: string): string | null {
  const golden = /^([\w-]+)\.golden\.(\w+)$/.exec(file)
  if (golden !== null) return `${golden[1]}.actual.${golden[2]}`
  const log = /^(session(?:\.\d+)?)\.jsonl$/.exec(file)
  return log === null ? null : `${log[1]}.actual.jsonl`
}
