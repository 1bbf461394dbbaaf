/**
 * One agent process: raw stdio, its end, and the way there.
 *
 * Lines of stdout come in order; the end of stderr is kept.
 * `stop()` is the only way out: stdin ends, the agent disposes and exits, the
 * pipes drain. What does not leave in time is signalled, the whole tree, first
 * SIGTERM, then SIGKILL; what outlives the agent is listed and killed.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import process from 'node:process'
import { RunproofError } from '../error.ts'
import { readLines, type Line } from '../lines.ts'
import { visible } from '../visible.ts'
import { findCommand } from './which.ts'
import { killTree, listTree, rememberGroups, signalTree, type Member, type Tree } from './tree.ts'

/** The end of stderr that is kept. */
const stderrUnitsMax = 1024 * 1024

/** From SIGTERM to SIGKILL. */
const graceMs = 1_000
/** How long the pipes may stay open after the exit: a child of the agent may hold them. */
const drainMs = 500
/** What outlives the agent is looked at again after this time, until it is gone or its time is over. */
const settleStepMs = 20

export type LaunchOptions = {
  command: readonly string[]
  /** The command that runs a command somewhere else, such as inside a fence. */
  wrap?: (command: readonly string[]) => readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** The run's processes; gets the new one. */
  tree: Tree
  /** From the end of stdin to the exit. */
  exitMs: number
  /** From the exit to that of the other processes of the agent: a dying child needs a moment. */
  settleMs: number
}

/** How a process ended. */
export type ProcessEnd = {
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** The signal it needed to leave, null when the end of stdin was enough. */
  forced: 'SIGTERM' | 'SIGKILL' | null
  /** What outlived it; killed by now. */
  leftovers: Member[]
}

export type AgentProcess = {
  /** Lines of stdout, batch by batch; ends with stdout, or soon after the exit. Read it once. */
  lines: AsyncIterable<Line[]>
  /** Sends one line to stdin; what a dead agent does not read is dropped. */
  writeLine(text: string): void
  /** Ends stdin, waits, escalates; idempotent. */
  stop(): Promise<ProcessEnd>
  /** Everything said on stderr so far, its end when it is long. */
  readonly stderr: string
  /** How it exited, or null while it runs. */
  readonly exit: { code: number | null; signal: NodeJS.Signals | null } | null
  /** Resolves at the exit. */
  readonly exited: Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** @throws RunproofError `environment` when the command cannot be started. */
export async function launchAgent(options: LaunchOptions): Promise<AgentProcess> {
  const child = await spawnCommand(options)
  const { tree } = options
  if (child.pid !== undefined) tree.pids.push(child.pid)

  let exit: AgentProcess['exit'] = null
  let stderr = ''
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      exit = { code, signal }
      resolve()
    })
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stdin.on('error', () => {
    // The agent closed its stdin or died; its exit is what gets reported.
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrUnitsMax)
  })

  const stop = async (): Promise<ProcessEnd> => {
    // As long as the agent lives, its children can be told from others, whatever they do later.
    rememberGroups(tree)
    child.stdin.end()
    let forced: ProcessEnd['forced'] = null
    if (!(await settles(exited, options.exitMs))) {
      forced = 'SIGTERM'
      signalTree(tree, 'SIGTERM')
      if (!(await settles(exited, graceMs))) {
        forced = 'SIGKILL'
        signalTree(tree, 'SIGKILL')
        await settles(exited, graceMs)
      }
    }
    const leftovers = await clearTree(tree, options.settleMs)
    if (!(await settles(closed, drainMs))) {
      child.stdout.destroy()
      child.stderr.destroy()
    }
    return { exitCode: exit?.code ?? null, signal: exit?.signal ?? null, forced, leftovers }
  }

  let stopping: Promise<ProcessEnd> | undefined
  return {
    lines: readLines(untilGone(child.stdout, exited)),
    writeLine: (text) => void child.stdin.write(`${text}\n`),
    stop: () => (stopping ??= stop()),
    get stderr() {
      return stderr
    },
    get exit() {
      return exit
    },
    exited,
  }
}

async function spawnCommand({ command, wrap, cwd, env }: LaunchOptions): Promise<Child> {
  const [own = ''] = command
  // Whoever runs it would say something else when it is not there.
  if (wrap !== undefined && (await findCommand(own, cwd, env)) === null) {
    throw explainSpawnError(Object.assign(new Error('not found'), { code: 'ENOENT' }), own)
  }
  const [program = '', ...args] = wrap?.(command) ?? command
  const child: Child = spawn(program, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own: Ctrl-C reaches the harness alone, which ends the tree in order.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error: NodeJS.ErrnoException) => {
      // The system does not say which of the two it has not found.
      reject(existsSync(cwd) ? explainSpawnError(error, program) : noFolder(cwd))
    })
  })
  return child
}

const noFolder = (cwd: string): RunproofError =>
  new RunproofError(
    'environment',
    `cannot start the agent in ${visible(cwd)}: there is no such folder; correct "cwd" in runproof.yml`,
  )

/** Why a program does not start, in words. */
export function spawnReason(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such program'
  return error.code === 'EACCES' ? 'it is not executable' : visible(error.message)
}

function explainSpawnError(error: NodeJS.ErrnoException, program: string): RunproofError {
  return new RunproofError(
    'environment',
    `cannot start the agent's command ${visible(program)}: ${spawnReason(error)}; install it or correct "command" in runproof.yml (paths there start with {root})`,
  )
}

/** Lists what outlived the agent and kills it. */
async function clearTree(tree: Tree, settleMs: number): Promise<Member[]> {
  let leftovers = listTree(tree)
  for (let waitedMs = 0; leftovers.length > 0 && waitedMs < settleMs; waitedMs += settleStepMs) {
    await delay(settleStepMs)
    leftovers = listTree(tree)
  }
  killTree(tree)
  return leftovers
}

/** The chunks of a stream until it ends, or until `drainMs` after the exit, whoever holds the pipe then. */
async function* untilGone(stream: Readable, exited: Promise<void>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array | null | undefined
  const leave = (): void => {
    rest = stream.read()
    stream.destroy()
  }
  // The immediate lets a harness that was late read what is in the pipe first. Unreferenced:
  // an open pipe keeps the harness alive by itself, a closed one needs no timer.
  void exited.then(() => setTimeout(() => setImmediate(leave), drainMs).unref())
  try {
    yield* stream
  } catch (error) {
    if (rest === undefined) throw error
    if (rest !== null) yield rest
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Whether the promise settles within the time. */
async function settles(promise: Promise<void>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, limitMs, false)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
