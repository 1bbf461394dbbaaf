/**
 * The fresh folders of one run: nothing of the machine or of an earlier run is
 * in them, and all of them go when the run is over.
 */
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
 * Makes the folders, as real paths (no symbolic link on the way), and copies
 * `workspace` into the working directory. The names have the same length in
 * every run, so that byte budgets of tools do not vary.
 */
export async function createRunFolders(workspace: string | null): Promise<RunFolders> {
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
  const { cwd, home, tmp, sessions } = folders
  await Promise.all([home, tmp, sessions].map((folder) => mkdir(folder)))
  if (workspace === null) await mkdir(cwd)
  else await cp(workspace, cwd, { recursive: true, verbatimSymlinks: true })
  return folders
}

/** Removes a run's folders, also when a dying process still writes into them. */
export async function removeRunFolders({ root }: RunFolders): Promise<void> {
  await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}
