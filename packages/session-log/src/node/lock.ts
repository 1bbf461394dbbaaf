/**
 * One writer a log: an advisory lock between processes of one machine.
 *
 * Each claimant creates an empty file whose name says who it is, beside the
 * log: `session.jsonl.lock@<pid>-<start>@<host>`. Then it lists all such
 * files. It holds the lock when it sees no claim of another living process;
 * else it takes its own claim back.
 *
 * Why this and not one lock file: a claim names its process for ever, so a
 * dead one can be removed by anybody, at once, without taking away a live
 * one; a single file must be broken after a crash, and two breakers race.
 * Why not a heartbeat: a suspended laptop or a long pause would lose the
 * lock, and a crash would block the next start for the stale time.
 *
 * Invariants: two live processes never both hold the lock (each creates
 * before it lists, so the later of two creations sees the earlier). Two that
 * start at the same instant may both be refused. `start` is the kernel's
 * start time of the process where /proc has it (a reused pid is told apart);
 * elsewhere a reused pid looks alive and the error says which file to remove.
 * A claim of another host always counts as alive.
 */
import { open, readdir, readFile, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { SessionLogError } from '../error.ts'

/** `host` is URI-encoded, as in the file's name. */
type Claim = { pid: number; start: string; host: string }

/** Takes the lock of `file`, whose folder must exist. The result gives it back; call it once. */
export async function acquireLock(file: string): Promise<() => Promise<void>> {
  const start = (await readProcess(process.pid))?.start ?? '0'
  const path = `${file}.lock@${process.pid}-${start}@${thisHost()}`
  try {
    const handle = await open(path, 'wx')
    await handle.close()
  } catch (reason) {
    throw isCode(reason, 'EEXIST') ? lockedError(file, path, 'this process') : reason
  }
  try {
    await refuseOthers(file, path)
  } catch (reason) {
    await removeFile(path)
    throw reason
  }
  return () => removeFile(path)
}

/** Throws `locked` for a claim of another living process; removes those of dead ones. */
async function refuseOthers(file: string, own: string): Promise<void> {
  const folder = dirname(file)
  const prefix = `${basename(file)}.lock@`
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.startsWith(prefix) || name === basename(own)) continue
    const claim = parseClaim(name.slice(prefix.length))
    if (claim === undefined) throw lockedError(file, path, name)
    if (await isAlive(claim)) {
      throw lockedError(file, path, `process ${claim.pid} on ${claim.host}`)
    }
    await removeFile(path)
  }
}

function thisHost(): string {
  return encodeURIComponent(hostname())
}

function lockedError(file: string, claim: string, holder: string): SessionLogError {
  return new SessionLogError(
    'locked',
    file,
    `${file} is open for writing in ${holder}; close that session, or, if nothing writes it any more, remove ${claim}`,
  )
}

function parseClaim(text: string): Claim | undefined {
  const parts = /^(\d+)-(\d+)@(.*)$/.exec(text)
  if (parts === null) return undefined
  const [, pid = '', start = '', host = ''] = parts
  return { pid: Number(pid), start, host }
}

async function isAlive(claim: Claim): Promise<boolean> {
  if (claim.host !== thisHost()) return true
  try {
    process.kill(claim.pid, 0)
  } catch (reason) {
    // EPERM: it lives and belongs to somebody else.
    return !isCode(reason, 'ESRCH')
  }
  const seen = await readProcess(claim.pid)
  if (seen === undefined) return true
  return !seen.zombie && (claim.start === '0' || claim.start === seen.start)
}

/** What Linux tells about a process (proc_pid_stat(5), fields 3 and 22); undefined elsewhere. */
async function readProcess(pid: number): Promise<{ start: string; zombie: boolean } | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Field 2 is the program's name in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', start = '0'] = [fields[0], fields[19]]
    return { start, zombie: state === 'Z' || state === 'X' }
  } catch {
    // Gone, or /proc is not mounted: the pid alone must do.
    return undefined
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (reason) {
    if (!isCode(reason, 'ENOENT')) throw reason
  }
}

export function isCode(reason: unknown, code: string): boolean {
  return reason instanceof Error && 'code' in reason && reason.code === code
}
