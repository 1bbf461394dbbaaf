/**
 * The capability seam: every effect of a tool on the world goes through this
 * interface. `plugins/local-backend` touches the machine directly; a sandboxed
 * backend takes its place by a patch of the composition and may then tell the
 * permission modes that it confines commands.
 */
import type { ShellResult } from './shell.ts'

export type CommandRequest = {
  command: string
  cwd: string
  /** Milliseconds; absent: the backend's own limit, which also caps it. */
  timeoutMs?: number
  signal: AbortSignal
}

export type FolderEntry = { name: string; isFolder: boolean }

export type Backend = {
  /** True when a command cannot leave the workspace; decides whether bash must ask. */
  readonly confinesCommands: boolean
  /**
   * The whole file as text.
   * @throws Error with a `code` of the operating system, or a message for files that are no text or too large
   */
  readText(path: string): Promise<string>
  /** Entries of a folder sorted by name, or null when `path` is no folder. */
  readFolder(path: string): Promise<FolderEntry[] | null>
  /** Writes the file, making its folder first. */
  writeText(path: string, text: string): Promise<void>
  /** `path` with symbolic links resolved as far as it exists. */
  realPath(path: string): Promise<string>
  runCommand(request: CommandRequest): Promise<ShellResult>
}
