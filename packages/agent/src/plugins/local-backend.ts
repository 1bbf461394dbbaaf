/**
 * Service `backend`: this machine, without a sandbox. Commands run with a
 * scrubbed environment and limits; what the limits are is configuration.
 */
import { mkdir, readdir, readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises'
import { isUtf8 } from 'node:buffer'
import { basename, dirname, join, resolve } from 'node:path'
import { array, number, strictObject, string, type ZodType } from 'zod'
import type { Backend, CommandRequest, FolderEntry } from '../backend.ts'
import { scrubEnvironment } from '../environment.ts'
import { isCode } from '../error.ts'
import type { Context } from '../services.ts'
import { runShell } from '../shell.ts'

export const name = 'local-backend'
export const inject: string[] = ['host']

export type LocalBackendConfig = {
  /** Longest run of one command in milliseconds; a call may ask for less. */
  commandMsMax: number
  /** Output of one command that the model gets; the middle goes first. */
  outputBytesMax: number
  /** Largest file that can be read. */
  fileBytesMax: number
  /** Names of environment variables that commands see beside the harmless ones. */
  environment: string[]
}

export const Config: ZodType<LocalBackendConfig> = strictObject({
  commandMsMax: number().int().positive().default(120_000),
  outputBytesMax: number().int().min(2).default(65_536),
  fileBytesMax: number().int().positive().default(10_485_760),
  environment: array(string()).default([]),
}).prefault({})

export function apply(ctx: Context, config: LocalBackendConfig): void {
  const { host } = ctx
  const env = scrubEnvironment(host.env, config.environment)
  const backend: Backend = {
    confinesCommands: false,
    readText: (path) => readText(path, config.fileBytesMax),
    readFolder,
    async writeText(path, text) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    },
    realPath,
    runCommand: ({ command, cwd, signal, timeoutMs = config.commandMsMax }: CommandRequest) =>
      runShell({
        command,
        cwd,
        signal,
        timers: host.clock.timers,
        env,
        mark: host.createId(),
        timeoutMs: Math.min(timeoutMs, config.commandMsMax),
        outputBytesMax: config.outputBytesMax,
      }),
  }
  ctx.provide('backend', backend)
}

async function readText(path: string, fileBytesMax: number): Promise<string> {
  const entry = await stat(path)
  // A pipe would block for ever, and no signal reaches a read that blocks; a device may never end.
  if (!entry.isFile()) throw new Error(`${path} is not a regular file`)
  const { size } = entry
  if (size > fileBytesMax) {
    throw new Error(`${path} has ${size} bytes; at most ${fileBytesMax} can be read. Use bash.`)
  }
  const bytes = await readFile(path)
  if (bytes.includes(0)) throw new Error(`${path} is a binary file`)
  // Read with replacement characters, an edit would write them over the bytes it does not touch.
  if (!isUtf8(bytes)) throw new Error(`${path} is not UTF-8. Use bash.`)
  return bytes.toString('utf8')
}

async function readFolder(path: string): Promise<FolderEntry[] | null> {
  if (!(await stat(path)).isDirectory()) return null
  const entries = await readdir(path, { withFileTypes: true })
  return entries
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if (!isCode(error, 'ENOENT') || parent === path) throw error
    // A link to nothing yet is not a new file here: a write would follow it.
    const target = await readlink(path).catch(() => null)
    // Relative to the folder the link really is in, which `parent` may only lead to.
    if (target !== null) return realPath(resolve(await realPath(parent), target))
    return join(await realPath(parent), basename(path))
  }
}
