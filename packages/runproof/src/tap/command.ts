/**
 * `runproof tap`: stands between an editor and an agent on stdio, passes every
 * byte on untouched, and keeps what crossed as a transcript.
 *
 * The tap is as good as not there: bytes go on before they are looked at, the
 * end of stdin, signals and the exit are passed on, and a side that dies leaves
 * the other one as it would have been left. A transcript that cannot be written
 * stops nothing.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { rmSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, RunproofError } from '../error.ts'
import { spawnReason } from '../launch/process.ts'
import { lineBytesMax } from '../lines.ts'
import type { Terminal } from '../terminal.ts'
import type { Direction } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import { createFile, replaceFile, type OwnFile } from './file.ts'
import { relay } from './relay.ts'
import { createLineSplitter, type LineSplitter } from './split.ts'
import { createTapTranscript, type TapTranscript } from './transcript.ts'

export type TapOptions = { out?: string }

/** Where a transcript goes that was given no name, in the working folder. */
const fileDefault = 'transcript.jsonl'

/** How long the pipes may say nothing after the exit: a child of the agent may hold them. */
const quietMs = 500

/** How long they are listened to at all: such a child may talk for ever. */
const drainMsMax = 30_000

/** Signals that are meant for the agent. */
const passedSignals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * @param raise ends this process by a signal: what the agent died of.
 * @returns the exit code of the agent, or 128 and the number of its signal.
 * @throws RunproofError `usage` when the file cannot be written, `environment` when the command cannot be started.
 */
export async function runTap(
  command: readonly string[],
  { out }: TapOptions,
  terminal: Terminal,
  folder: string,
  raise: (signal: NodeJS.Signals) => void,
): Promise<number> {
  const file = openFile(out, folder)
  const child = await start(command, terminal, () => rmSync(file.path, { force: true }))
  const startedMs = performance.now()
  const tell = (text: string): void => void terminal.stderr.write(`runproof tap: ${text}\n`)
  const transcript = createTapTranscript({
    file,
    variables: [...variablesOf(command), ...Object.entries(terminal.env)],
    now: () => performance.now() - startedMs,
    onUnjoined: () =>
      tell(
        `${visible(file.path)} is too large to be gone over as a whole: a secret that is spelled over several messages may be in it`,
      ),
    onProblem: (problem) =>
      tell(`${visible(file.path)} cannot be written any more: ${visible(problem)}`),
  })
  transcript.note({ spawn: { command: [...command], pid: child.pid } })
  /** A client that goes when the agent has gone already has not left it. */
  const noteLeft = (by: 'stdin' | NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) transcript.note({ left: { by } })
  }
  const stopPassing = passSignals(child, terminal, noteLeft)
  const relayed = relayAll(child, terminal, transcript, () => noteLeft('stdin'))
  tell(`writing ${visible(file.path)}`)
  const [code, signal] = await exitOf(child)
  await drain(relayed, terminal)
  stopPassing()
  terminal.stdin.destroy()
  transcript.note({ exit: { code, signal } })
  await transcript.close().catch((error: unknown) => tell(visible(String(error))))
  if (signal === null) return code ?? 1
  raise(signal)
  return 128 + constants.signals[signal]
}

/** What flags say, as if they were variables: `--api-key=…`, `--api-key …`. One may come twice. */
function variablesOf(command: readonly string[]): [name: string, value: string][] {
  return command.flatMap((word, at): [string, string][] => {
    const [, name = '', value = command[at + 1] ?? ''] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    return name === '' ? [] : [[name, value]]
  })
}

function openFile(out: string | undefined, folder: string): OwnFile {
  const path = resolve(folder, out ?? fileDefault)
  try {
    return out === undefined ? createFile(path) : replaceFile(path)
  } catch (error) {
    const why = messageOf(error)
    throw new RunproofError(
      'usage',
      `cannot write the transcript: ${visible(why)}; name another file with --out`,
    )
  }
}

async function start(
  command: readonly string[],
  terminal: Terminal,
  onFailure: () => void,
): Promise<Child> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    env: terminal.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  await new Promise<void>((done, fail) => {
    child.once('spawn', done)
    child.once('error', (error) => {
      onFailure()
      fail(
        new RunproofError('environment', `cannot start ${visible(program)}: ${spawnReason(error)}`),
      )
    })
  })
  return child
}

type Relayed = {
  /** When both streams of the agent have ended. */
  ended: Promise<void>
  /** When the last bytes of the agent had been passed on. */
  lastMs: () => number
}

/** Waits until all that the agent left in its pipes has been passed on, however slow the reader is. */
async function drain({ ended, lastMs }: Relayed, { stdout, stderr }: Terminal): Promise<void> {
  let hasEnded = false
  const end = ended.then(() => (hasEnded = true))
  const exitMs = performance.now()
  for (;;) {
    const isHeldUp = stdout.writableNeedDrain || stderr.writableNeedDrain
    const since = isHeldUp ? performance.now() : Math.max(exitMs, lastMs())
    const leftMs = Math.min(since + quietMs, exitMs + drainMsMax) - performance.now()
    if (hasEnded || leftMs <= 0) return
    await Promise.race([end, delay(leftMs, undefined, { ref: false })])
  }
}

/** Passes all three streams on. */
function relayAll(
  child: Child,
  terminal: Terminal,
  transcript: TapTranscript,
  onStdinEnd: () => void,
): Relayed {
  let lastMs = 0
  const lines = (dir: Direction): LineSplitter =>
    createLineSplitter(lineBytesMax, (line, droppedBytes) => {
      if (droppedBytes > 0) transcript.note({ dropped: { dir, bytes: line.length + droppedBytes } })
      else if (dir === 'x') transcript.note({ stderr: line.toString('utf8') })
      else transcript.take(dir, line)
    })
  const pass = async (from: Readable, to: Writable, dir: Direction): Promise<void> => {
    const splitter = lines(dir)
    const onChunk = (chunk: Buffer): void => {
      if (dir !== '>') lastMs = performance.now()
      splitter.push(chunk)
    }
    await relay(from, to, { endsSink: dir === '>', onChunk })
    splitter.end()
  }
  void pass(terminal.stdin, child.stdin, '>').then(onStdinEnd)
  const ended = Promise.all([
    pass(child.stdout, terminal.stdout, '<'),
    pass(child.stderr, terminal.stderr, 'x'),
  ]).then(() => undefined)
  return { ended, lastMs: () => lastMs }
}

/** Signals to the tap become signals to the agent. @returns what ends that. */
function passSignals(
  child: Child,
  { stdin, stderr }: Terminal,
  onSignal: (signal: NodeJS.Signals) => void,
): () => void {
  const isInteractive = ('isTTY' in stdin && stdin.isTTY === true) || stderr.isTTY === true
  const pass = (signal: NodeJS.Signals): void => {
    onSignal(signal)
    // Ctrl-C on a terminal reaches the agent by itself.
    if (signal !== 'SIGINT' || !isInteractive) child.kill(signal)
  }
  for (const signal of passedSignals) process.on(signal, pass)
  return () => {
    for (const signal of passedSignals) process.off(signal, pass)
  }
}

function exitOf(child: Child): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      done([child.exitCode, child.signalCode])
      return
    }
    child.once('exit', (code, signal) => done([code, signal]))
  })
}
