/**
 * Runs one shell command with limits: a fresh non-login shell without start-up
 * files, no standard input, a scrubbed environment, a deadline, a byte limit.
 *
 * Invariants: the promise settles once and leaves no process of the command
 * behind, on success, failure, timeout and abort alike; a background process
 * does not outlive its command. One that shed every mark (`process-tree.ts`)
 * is not found, but not waited for either. Both output streams go through one
 * pipe, so their order is the order in which the command wrote.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createCapture } from './capture.ts'
import type { Clock } from './host.ts'
import { killProcessTree } from './process-tree.ts'

export type ShellRequest = {
  command: string
  cwd: string
  /** The whole environment of the command, see `scrubEnvironment`. */
  env: Readonly<Record<string, string>>
  /** A word no other process has in its environment; marks the tree. */
  mark: string
  timeoutMs: number
  outputBytesMax: number
  signal: AbortSignal
  timers: Clock['timers']
}

export type ShellResult = {
  output: string
  /** `null` when the command did not end by itself. */
  exitCode: number | null
  ended: 'exit' | 'signal' | 'timeout' | 'aborted' | 'unavailable'
}

const markName = 'RUNPROOF_TOOL_CALL'

/** After the shell has ended, for what is still in the pipe to arrive. */
const drainMsMax = 500

export function runShell(request: ShellRequest): Promise<ShellResult> {
  if (request.signal.aborted) {
    return Promise.resolve({ output: '', exitCode: null, ended: 'aborted' })
  }
  return new Promise((resolve) => {
    const capture = createCapture(request.outputBytesMax)
    const child = startShell(request)
    let ended: ShellResult['ended'] | null = null

    const stop = (reason: 'timeout' | 'aborted'): void => {
      ended ??= reason
      killTree(child, request.mark)
    }
    const onAbort = (): void => stop('aborted')
    const deadline = request.timers.set(() => stop('timeout'), request.timeoutMs)
    let drain: ReturnType<typeof request.timers.set> | undefined
    request.signal.addEventListener('abort', onAbort, { once: true })

    child.stdout?.on('data', (bytes: Buffer) => capture.push(bytes))
    child.stderr?.on('data', (bytes: Buffer) => capture.push(bytes))
    // What the shell left running holds the pipe open; it ends with the shell.
    child.once('exit', () => {
      killTree(child, request.mark)
      drain = request.timers.set(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, drainMsMax)
    })
    const settle = (result: Pick<ShellResult, 'exitCode' | 'ended'>): void => {
      request.timers.clear(deadline)
      if (drain !== undefined) request.timers.clear(drain)
      request.signal.removeEventListener('abort', onAbort)
      resolve({ output: capture.text(), ...result })
    }
    child.once('error', (error) => {
      capture.push(Buffer.from(`cannot start a shell in ${request.cwd}: ${error.message}`))
      settle({ exitCode: null, ended: 'unavailable' })
    })
    child.once('close', (exitCode) =>
      settle(
        ended === null
          ? { exitCode, ended: exitCode === null ? 'signal' : 'exit' }
          : { exitCode: null, ended },
      ),
    )
  })
}

function startShell({ command, cwd, env, mark }: ShellRequest): ChildProcess {
  const windows = process.platform === 'win32'
  const [file, args] = windows
    ? ['cmd.exe', ['/d', '/s', '/c', `"${command}"`]]
    : existsSync('/bin/bash')
      ? ['/bin/bash', ['--noprofile', '--norc', '-c', `exec 2>&1; ${command}`]]
      : ['/bin/sh', ['-c', `exec 2>&1; ${command}`]]
  return spawn(file, args, {
    cwd,
    env: { ...env, [markName]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Leader of its own group, so that the group can be ended as a whole.
    detached: !windows,
    windowsVerbatimArguments: windows,
  })
}

function killTree(child: ChildProcess, mark: string): void {
  if (child.pid !== undefined) killProcessTree(child.pid, `${markName}=${mark}`)
}
