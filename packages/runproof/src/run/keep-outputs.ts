/**
 * What `--out` keeps of a run, for people who want to look at all of it: the
 * contract's `*.actual.*`, the transcript of both directions and stderr.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { reasonOf, RunproofError } from '../error.ts'
import { serializeTranscriptLine } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import type { Execution } from './execute.ts'
import { serializeLines } from './golden-file.ts'
import type { Output } from './goldens.ts'

/**
 * The folder of `--out`, made now; null without the option.
 * @param base what a relative path begins at
 */
export async function makeOutFolder(out: string | undefined, base: string): Promise<string | null> {
  if (out === undefined) return null
  const path = resolve(base, out)
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const reason =
      error.code === 'EEXIST' || error.code === 'ENOTDIR' ? 'it is no folder' : reasonOf(error)
    throw new RunproofError('usage', `--out ${visible(path)} cannot be used: ${reason}`)
  })
  return path
}

/** @param redact takes secrets out of the lines of a file; a replay has none. */
export async function keepOutputs(
  folder: string,
  { transcript, stderr }: Pick<Execution, 'transcript' | 'stderr'>,
  outputs: readonly Output[],
  redact: (lines: readonly string[]) => readonly string[] = (lines) => lines,
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
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(folder, { recursive: true })
  await Promise.all(
    all.map(([name, lines]) => writeFile(join(folder, name), serializeLines(redact(lines)))),
  )
}

/** `stdout.golden.jsonl` → `stdout.actual.jsonl`, `session.1.jsonl` → `session.1.actual.jsonl`. */
function keptName(file: string): string | null {
  const golden = /^([\w-]+)\.golden\.(\w+)$/.exec(file)
  if (golden !== null) return `${golden[1]}.actual.${golden[2]}`
  const log = /^(session(?:\.\d+)?)\.jsonl$/.exec(file)
  return log === null ? null : `${log[1]}.actual.jsonl`
}
