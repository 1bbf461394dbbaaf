/**
 * Ends a child process and everything it started.
 *
 * Three marks find a descendant, because each of them can be shed alone: the
 * process group (lost by `setsid`), the parent chain (lost when a parent
 * exits), and, where `/proc` exists, a unique word in the environment (lost
 * by `env -i`). Windows leaves the walk to `taskkill /T`.
 *
 * Invariant: never signals a process that carries none of the marks.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** One row of the process table. */
export type ProcessRow = { pid: number; parent: number; group: number; marked: boolean }

/** Passes over the table: a fork may slip in while the first pass kills. */
const passesMax = 4

/**
 * Kills (SIGKILL) the tree under `root`, a process started as leader of its
 * own group with `mark` in its environment. Returns when every signal is
 * sent; a process that is already gone is not an error.
 */
export function killProcessTree(root: number, mark: string): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(root), '/T', '/F'], { stdio: 'ignore' })
    return
  }
  for (let pass = 0; pass < passesMax; pass++) {
    const found = findDescendants(root, readProcessTable(mark))
    // The group is signalled as a whole too: it is atomic, the table is not.
    const sent = [-root, ...found].filter((target) => kill(target))
    if (sent.length === 0) return
  }
}

/** Ids in `table` that belong to `root`: by group, by parent chain or by mark. Never `root`'s own parents. */
export function findDescendants(root: number, table: readonly ProcessRow[]): number[] {
  const found = new Set<number>()
  const isMember = (row: ProcessRow): boolean =>
    row.pid === root || row.group === root || row.marked || found.has(row.parent)
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const row of table) if (isMember(row)) found.add(row.pid)
  }
  return [...found]
}

function kill(target: number): boolean {
  try {
    return process.kill(target, 'SIGKILL')
  } catch {
    // ESRCH: it ended by itself, which is what was wanted.
    return false
  }
}

function readProcessTable(mark: string): ProcessRow[] {
  return process.platform === 'linux' ? readProc(mark) : readPs()
}

function readProc(mark: string): ProcessRow[] {
  const rows: ProcessRow[] = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      // The second field is the command in parentheses and may hold anything.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // A zombie is dead already and waits for its parent to notice.
      if (state === 'Z') continue
      rows.push({
        pid: Number(name),
        parent: Number(parent),
        group: Number(group),
        marked: readEnvironment(name).includes(mark),
      })
    } catch {
      // It ended between the listing and the read.
      continue
    }
  }
  return rows
}

/** Empty for a process of another user: it cannot be ours. */
function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

function readPs(): ProcessRow[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' })
  return (stdout ?? '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((fields) => fields.length === 3)
    .map(([pid = 0, parent = 0, group = 0]) => ({ pid, parent, group, marked: false }))
}
