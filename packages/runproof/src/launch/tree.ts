/**
 * The process tree of a run: finding what still lives, and ending it.
 *
 * A parent's death loses the way to its children, and tools put themselves into
 * groups of their own. So on Linux a process belongs to a run when it is in the
 * agent's process group, or has the run's folder in its environment (HOME and
 * TMPDIR do, whatever a tool scrubs), or works in that folder without a
 * terminal (a shell that a person opened there has one), or is a child of one
 * that belongs. Other systems know the group, and the tree as long as the agent
 * lives.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import treeKill from 'tree-kill'

export type Tree = {
  /** The agent processes that were started; on POSIX also the numbers of process groups of the run. */
  pids: number[]
  /** Absolute path of the run's folders. */
  folder: string
}

/** A process that belongs to a run. */
export type Member = { pid: number; command: string }

/** Lists what lives of the tree, the agent included. Zombies do not live. */
export function listTree(tree: Tree): Member[] {
  if (process.platform === 'linux') {
    return listByProc(tree).map(({ pid, command }) => ({ pid, command }))
  }
  return tree.pids.filter(isGroupAlive).map((pid) => ({ pid, command: `process group ${pid}` }))
}

/**
 * Remembers the groups of what lives of the tree, for when nothing else leads
 * there any more. Not the harness's own: what an acceptance command started is
 * in it, and so is whoever started the harness.
 */
export function rememberGroups(tree: Tree): void {
  if (process.platform !== 'linux') return
  const known = new Set([...tree.pids, readStat(process.pid)?.group])
  for (const { group } of listByProc(tree)) {
    if (!known.has(group)) tree.pids.push(group)
    known.add(group)
  }
}

/** A tree may fork while it is listed; a further pass finds what the one before missed. */
const killPasses = 5

/** Kills what lives of the tree, until nothing does. */
export function killTree(tree: Tree): void {
  if (process.platform !== 'linux') return signalTree(tree, 'SIGKILL')
  for (let pass = 0; pass < killPasses && listTree(tree).length > 0; pass++)
    signalTree(tree, 'SIGKILL')
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

type Process = Member & { group: number }

function listByProc({ pids: groups, folder }: Tree): Process[] {
  const members = new Map<number, Process>()
  const others: { pid: number; parent: number; group: number }[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const stat = readStat(pid)
    if (stat === null) continue
    if (groups.includes(stat.group) || worksIn(pid, folder, stat)) {
      members.set(pid, { pid, group: stat.group, command: readCommand(pid) })
    } else others.push({ pid, ...stat })
  }
  for (let isGrowing = members.size > 0; isGrowing;) {
    const children = others.filter(({ pid, parent }) => members.has(parent) && !members.has(pid))
    for (const { pid, group } of children)
      members.set(pid, { pid, group, command: readCommand(pid) })
    isGrowing = children.length > 0
  }
  return [...members.values()]
}

type Stat = { parent: number; group: number; hasTerminal: boolean }

/** Null for what has ended. */
function readStat(pid: number): Stat | null {
  // `pid (name) state ppid pgrp session tty …`; the name may hold anything, so read from its end.
  const stat = readText(`/proc/${pid}/stat`)
  const [state = 'X', parent, group, , terminal] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || state === 'Z' || state === 'X') return null
  return { parent: Number(parent), group: Number(group), hasTerminal: terminal !== '0' }
}

function worksIn(pid: number, folder: string, { hasTerminal }: Stat): boolean {
  if (readText(`/proc/${pid}/environ`).includes(`=${folder}/`)) return true
  if (hasTerminal) return false
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
  } catch {
    return false
  }
}

const readCommand = (pid: number): string =>
  readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()

/** Nothing for what ended while it was looked at, or is another user's. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
