/** The built tap around small programs. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseTranscriptLine, type TranscriptLine } from '../../src/transcript/line.ts'

export const bin: string = fileURLToPath(new URL('../../bin/runproof.js', import.meta.url))

export type Tap = {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  /** What came out of the tap, once it has exited. */
  stdout: Promise<Buffer>
  stderr: Promise<string>
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export const folder: string = mkdtempSync(join(tmpdir(), 'tap-'))
export const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })

/** Starts a tap in the folder of these tests. */
export function startTap(
  args: readonly string[],
  options: { env?: Record<string, string>; readsStdout?: boolean } = {},
): Tap {
  const env = { PATH: process.env['PATH'] ?? '', ...options.env }
  const child = spawn(process.execPath, [bin, 'tap', ...args], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {
    // A dead tap is seen by its exit.
  })
  return {
    child,
    stdout: options.readsStdout === false ? Promise.resolve(Buffer.of()) : buffer(child.stdout),
    stderr: buffer(child.stderr).then(String),
    ended: new Promise((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    ),
  }
}

/** A program of one line, as a command. */
export const program = (code: string): string[] => [process.execPath, '-e', code]

/** Says back what it hears, byte for byte. */
export const echo: string[] = program('process.stdin.pipe(process.stdout)')

export function readTranscript(name: string): TranscriptLine[] {
  const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
  return lines.map((text) => {
    const line = parseTranscriptLine(text)
    if ('problem' in line) throw new Error(`${line.problem}: ${text}`)
    return line
  })
}

/** What lines say, without their times: `> {…}`, `< "raw"`. */
export const saying = (lines: readonly TranscriptLine[]): string[] =>
  lines.map((line) => `${line.dir} ${JSON.stringify('raw' in line ? line.raw : line.m)}`)
