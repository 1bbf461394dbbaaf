/**
 * The process tree of a run: finding what still lives, and ending it.
 *
 * A parent's death loses the way to its children, and tools put themselves into
 * groups of their own. So on Linux a process belongs to a run when it is in the
 * agent's process group, or has the run's folder in its environment (HOME and
 * TMPDIR do, whatever a tool scrubs), or works in that folder without a
 * terminal (a shell that a person opened there has one). Other systems know the
 * group, and the tree as long as the agent lives.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import treeKill from 'tree-kill'

export type Tree = {
  /** The agent processes that were started; on POSIX also the numbers of their process groups. */
  pids: number[]
  /** Absolute path of the run's folders. */
  folder: string
}

/** A process that belongs to a run. */
export type Member = { pid: number; command: string }

/** Lists what lives of the tree, the agent included. Zombies do not live. */
export function listTree(tree: Tree): Member[] {
  if (process.platform === 'linux') return listByProc(tree)
  return tree.pids.filter(isGroupAlive).map((pid) => ({ pid, command: `process group ${pid}` }))
}

/** Sends the signal to everything that lives of the tree. Synchronous but for Windows and macOS. */
export function signalTree(tree: Tree, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'linux') {
    for (const { pid } of listByProc(tree)) signalProcess(pid, signal)
    return
  }
  for (const pid of tree.pids) {
    if (process.platform !== 'win32') signalProcess(-pid, signal)
    treeKill(pid, signal, () => {
      // Already gone: nothing is left to do.
    })
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself in the meantime.
  }
}

function isGroupAlive(pid: number): boolean {
  if (process.platform === 'win32') return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

function listByProc({ pids: groups, folder }: Tree): Member[] {
  const members: Member[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    try {
      if (belongs(pid, groups, folder)) members.push({ pid, command: readCommand(pid) })
    } catch {
      // It ended while it was looked at, or is another user's.
    }
  }
  return members
}

function belongs(pid: number, groups: readonly number[], folder: string): boolean {
  // `pid (name) state ppid pgrp session tty …`; the name may hold anything, so read from its end.
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const [state, , processGroup, , terminal] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return false
  if (groups.includes(Number(processGroup))) return true
  if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`=${folder}/`)) return true
  return terminal === '0' && `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
}

function readCommand(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
}
