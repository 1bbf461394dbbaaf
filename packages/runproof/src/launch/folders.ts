/**
 * The fresh folders of one run: nothing of the machine or of an earlier run is
 * in them, and all of them go when the run is over.
 */
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type RunFolders = {
  /** Holds all others; its path is unique to the run, which is how stray processes are found. */
  root: string
  /** The agent's working directory: a copy of the scenario's `workspace/`. */
  cwd: string
  home: string
  /** TMPDIR of the agent and its tools. */
  tmp: string
  /** Where the agent persists its session logs. */
  sessions: string
  /** The file that the replay seam writes its report to. */
  report: string
  /** A log without events, for a run whose script needs none. */
  blankLog: string
}

/**
 * Makes the folders, as real paths (no symbolic link on the way), all but the
 * working one. The names have the same length in every run, so that byte budgets
 * of tools do not vary.
 */
export async function createRunFolders(): Promise<RunFolders> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'runproof-')))
  const folders: RunFolders = {
    root,
    cwd: join(root, 'workspace'),
    home: join(root, 'home'),
    tmp: join(root, 'tmp'),
    sessions: join(root, 'sessions'),
    report: join(root, 'report.json'),
    blankLog: join(root, 'blank.jsonl'),
  }
  const { home, tmp, sessions } = folders
  await Promise.all([home, tmp, sessions].map((folder) => mkdir(folder)))
  return folders
}

/** Makes the working folder: a copy of `workspace`, or an empty one. */
export async function fillWorkspace({ cwd }: RunFolders, workspace: string | null): Promise<void> {
  if (workspace === null) await mkdir(cwd)
  else await cp(workspace, cwd, { recursive: true, verbatimSymlinks: true })
}

/** Removes a run's folders, also when a dying process still writes into them, or has closed some. */
export async function removeRunFolders({ root }: Pick<RunFolders, 'root'>): Promise<void> {
  const remove = (): Promise<void> =>
    rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  await remove().catch(() => {
    openFolders(root)
    return remove()
  })
}

/** The same at once, for a process that is about to end. Never throws. */
export function removeAtOnce(root: string): void {
  for (const prepare of [() => {}, openFolders]) {
    try {
      prepare(root)
      return rmSync(root, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The second try opens what is closed; more cannot be done.
    }
  }
}

/** Lets the owner into every folder and read every file again; a package manager may have closed its cache. */
export function openFolders(folder: string): void {
  allow(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openFolders(path)
    else if (entry.isFile()) allow(path, 0o400)
  }
}

function allow(path: string, bits: number): void {
  const { mode } = statSync(path)
  if ((mode & bits) !== bits) chmodSync(path, mode | bits)
}
