/**
 * Where the program of a preset is: among the project's own packages, in the
 * cache of agents, or on the PATH, in this order.
 *
 * A program of an npm package is started by the Node.js that runs the harness
 * when it is a script, so that a machine's older one is no obstacle.
 */
import { constants, open, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import { findCommand, isThere } from '../launch/which.ts'

/** A program that comes from npm. */
export type Program = {
  /** `name@version`, the one with the program first. */
  packages: string[]
  /** The name of its command. */
  bin: string
  /** The oldest Node.js that it runs on, such as `22.19`. */
  nodeMin: string
}

export const programSchema: z.ZodType<Program> = z.strictObject({
  packages: z.array(z.string().min(1)).min(1),
  bin: z.string().min(1),
  nodeMin: z.string().regex(/^\d+(\.\d+)?$/),
})

export type FoundProgram = {
  /** The words that start it. */
  words: string[]
  /** Folder of all commands that came with it: for a program that starts another one. */
  binFolder: string
  /** The `node_modules` that it lies in; null for a program that came some other way. */
  modules: string | null
  /** Of its package; null for a program that came some other way. */
  version: string | null
  where: 'project' | 'cache' | 'path'
}

type Variables = Readonly<Record<string, string | undefined>>

/** @param root the project; packages of the folders above it count too, as Node.js has it. */
export async function findProgram(
  program: Program,
  root: string,
  env: Variables,
): Promise<FoundProgram | null> {
  for (const folder of ancestors(root)) {
    const found = await findInstalled(program, folder)
    if (found !== null) return { ...found, where: 'project' }
  }
  const cached = await findInstalled(program, cacheFolder(program, env))
  if (cached !== null) return { ...cached, where: 'cache' }
  return findOnPath(program, env)
}

/** The folder of a program in the cache: one a set of versions. `RUNPROOF_AGENTS` moves the cache. */
export function cacheFolder({ packages }: Program, env: Variables): string {
  const name = packages.join('+').replaceAll(/[^\w.@+-]+/g, '-')
  return join(cacheRoot(env), name)
}

function cacheRoot(env: Variables): string {
  const { RUNPROOF_AGENTS: own, XDG_CACHE_HOME: cache, LOCALAPPDATA: local } = env
  if (own !== undefined && own !== '') return own
  const home = env['HOME'] ?? homedir()
  return join(cache ?? local ?? join(home, '.cache'), 'runproof', 'agents')
}

/** Name of a package without its version. */
export const packageName = (spec: string): string => spec.replace(/(?<=.)@.*$/, '')

/** The version in `name@version`. */
export const packageVersion = (spec: string): string => spec.slice(packageName(spec).length + 1)

/** Whether this Node.js is new enough for the program. */
export function isNodeNewEnough({ nodeMin }: Pick<Program, 'nodeMin'>, version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin = 0, minorMin = 0] = nodeMin.split('.').map(Number)
  return major > majorMin || (major === majorMin && minor >= minorMin)
}

async function findInstalled(
  { packages, bin }: Program,
  folder: string,
): Promise<Omit<FoundProgram, 'where'> | null> {
  const modules = join(folder, 'node_modules')
  const home = join(modules, packageName(packages[0] ?? ''))
  const manifest = await readManifest(home)
  if (manifest === null) return null
  const { bin: bins, version = null } = manifest
  const path = typeof bins === 'string' ? bins : bins?.[bin]
  // A package without a `bin` of its own may hold the program as a plain file.
  const file = join(home, path ?? join('bin', bin))
  if (!(await isThere(file, constants.R_OK))) return null
  return { words: await startWords(file), binFolder: join(modules, '.bin'), modules, version }
}

type Manifest = { bin?: string | Record<string, string>; version?: string }

async function readManifest(folder: string): Promise<Manifest | null> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null)
  if (text === null) return null
  const manifest: Manifest = JSON.parse(text)
  return manifest
}

async function findOnPath(
  { packages, bin }: Program,
  env: Variables,
): Promise<FoundProgram | null> {
  const file = await findCommand(bin, '', env)
  if (file === null) return null
  const real = await realpath(file)
  const modules = /^.*[\\/]node_modules(?=[\\/])/.exec(real)?.[0] ?? null
  const home = modules === null ? null : join(modules, packageName(packages[0] ?? ''))
  const version = home === null ? null : ((await readManifest(home))?.version ?? null)
  const words = await startWords(real)
  return { words, binFolder: dirname(file), modules, version, where: 'path' }
}

/** A script of Node.js is given to this one; anything else starts itself. */
async function startWords(file: string): Promise<string[]> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64), length: 64 })
    const [first = ''] = buffer.toString('latin1', 0, bytesRead).split('\n')
    return /^#!.*\bnode\b/.test(first) ? [process.execPath, file] : [file]
  } finally {
    await handle.close()
  }
}

function* ancestors(folder: string): Generator<string> {
  let current = folder
  for (;;) {
    yield current
    const parent = dirname(current)
    if (parent === current) return
    current = parent
  }
}
