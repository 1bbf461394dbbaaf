/**
 * Composition by cordis, fail-loud. This is the only file that knows the
 * loader's and the include plugin's ways.
 *
 * A composition is a YAML list of entries `{id, name, config?, disabled?,
 * inject?}`; `name` is an import specifier, relative ones start at the file.
 * An entry of the include plugin stands for the entries of another file after
 * `patches`. Includes are resolved here, in memory, with the include plugin's
 * own patch function, so that nothing can ever be written back and a patch
 * that matches nothing is an error (the plugin itself only warns, and would
 * boot the live adapter in a replay).
 *
 * The bare loader stays silent about a module that does not exist, a plugin
 * that throws, a default export that lost its `inject`, and a service that
 * nobody provides. Each of them stops the start here, naming the entry.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Fiber } from '@deepseek-ai/cordis'
import { applyEntryPatches, type PatchOptions } from '@deepseek-ai/cordis-plugin-include'
import { Loader, type EntryOptions } from '@deepseek-ai/cordis-plugin-loader'
import { JSON_SCHEMA, load } from 'js-yaml'
import {
  array,
  boolean,
  exactOptional,
  looseObject,
  prettifyError,
  record,
  strictObject,
  string,
  union,
  unknown,
  type ZodType,
} from 'zod'
import { AgentError, messageOf } from './error.ts'
import type { Clock } from './host.ts'
import type { Context } from './services.ts'

export type { EntryOptions, PatchOptions }

const includeName = '@deepseek-ai/cordis-plugin-include'
/** Strict, so that a misspelt key is an error too. */
const entryList = array(
  strictObject({
    id: string().min(1),
    name: string().min(1),
    config: exactOptional(unknown()),
    disabled: exactOptional(boolean()),
    inject: exactOptional(union([array(string()), record(string(), unknown())])),
  }),
)
const patchList = array(
  looseObject({
    id: exactOptional(string()),
    name: exactOptional(string()),
    insert: exactOptional(entryList),
  }),
)
const includeConfig = strictObject({ path: string(), patches: patchList.default([]) })
/** Includes within includes; a deeper nesting is a circle. */
const includeDepthMax = 8

/**
 * Reads a composition file and resolves its includes and `patches` (applied
 * last). Entries come in the order of the files, without the disabled ones,
 * with `name` resolved to a URL.
 * @throws AgentError `bad-composition`
 */
export async function readComposition(
  file: string,
  patches: readonly PatchOptions[] = [],
): Promise<EntryOptions[]> {
  const entries = applyPatches(await readEntries(pathToFileURL(file), 0), patches, file)
  requireUniqueIds(entries, file)
  refuseCode(entries, file)
  return entries.filter((entry) => entry.disabled !== true)
}

async function readEntries(url: URL, depth: number): Promise<EntryOptions[]> {
  const file = fileURLToPath(url)
  if (depth > includeDepthMax) throw bad(file, 'includes itself')
  const list = check(entryList, await readYaml(file), file, 'the list of entries')
  const resolved = await Promise.all(
    list.map(async (entry) => {
      if (entry.name !== includeName) return [resolveEntry(entry, url)]
      return entry.disabled === true ? [] : readInclude(entry, url, depth)
    }),
  )
  return resolved.flat()
}

async function readInclude(entry: EntryOptions, base: URL, depth: number): Promise<EntryOptions[]> {
  const file = fileURLToPath(base)
  const { path, patches } = check(includeConfig, entry.config, file, `the config of "${entry.id}"`)
  const target = new URL(resolveName(path, base, `include "${entry.id}"`))
  return applyPatches(await readEntries(target, depth + 1), patches, file)
}

/** Applies patches whose names are relative to `file`; one that matches nothing throws. */
function applyPatches(
  entries: EntryOptions[],
  patches: readonly PatchOptions[],
  file: string,
): EntryOptions[] {
  const base = pathToFileURL(file)
  const resolved = patches.map(({ name, insert, ...rest }) => ({
    ...rest,
    ...(name !== undefined && { name: resolveName(name, base, `patch "${rest.id}"`) }),
    ...(insert !== undefined && { insert: insert.map((entry) => resolveEntry(entry, base)) }),
  }))
  const patched = applyEntryPatches(entries, resolved, (format, ...values) => {
    let index = 0
    const problem = format.replace(/%C/g, () => `"${String(values[index++])}"`)
    throw bad(file, problem)
  })
  // A patch sets whatever key it names: a misspelt one would change nothing.
  return check(entryList, patched, file, 'the list of entries after its patches')
}

async function readYaml(file: string): Promise<unknown> {
  try {
    // JSON_SCHEMA knows no `!!js`: a composition is data and runs no code.
    return load(await readFile(file, 'utf8'), { schema: JSON_SCHEMA, filename: file })
  } catch (error) {
    throw bad(file, messageOf(error), error)
  }
}

function check<T>(schema: ZodType<T>, value: unknown, file: string, what: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw bad(file, `${what} is wrong:\n${prettifyError(parsed.error)}`)
}

function resolveEntry(entry: EntryOptions, base: URL): EntryOptions {
  return { ...entry, name: resolveName(entry.name, base, `entry "${entry.id}"`) }
}

function requireUniqueIds(entries: readonly EntryOptions[], file: string): void {
  const seen = new Set<string>()
  for (const { id } of entries) {
    if (seen.has(id)) throw bad(file, `two entries have the id "${id}"`)
    seen.add(id)
  }
}

/** What a `!!js` tag becomes in the loader's own parser; it runs such a value wherever it stands. */
const codeKey = '__jsExpr'

function refuseCode(entries: readonly EntryOptions[], file: string): void {
  const seen = new Set<unknown>()
  const holdsCode = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return false
    seen.add(value)
    return Object.hasOwn(value, codeKey) || Object.values(value).some(holdsCode)
  }
  const found = entries.find(holdsCode)
  if (found !== undefined) throw bad(file, `entry "${found.id}" has the key "${codeKey}": code`)
}

/** The URL of an import specifier: relative to the file, of this package's dependencies, of the file's. */
function resolveName(name: string, base: URL, what: string): string {
  if (name.startsWith('.') || name.startsWith('/')) return new URL(name, base).href
  try {
    return import.meta.resolve(name)
  } catch (error) {
    try {
      return pathToFileURL(createRequire(base).resolve(name)).href
    } catch {
      throw new AgentError(
        'entry-failed',
        `${what} in ${fileURLToPath(base)}: cannot find "${name}". Is the package installed? ${messageOf(error)}`,
        { cause: error },
      )
    }
  }
}

function bad(file: string, problem: string, cause?: unknown): AgentError {
  return new AgentError('bad-composition', `composition ${file}: ${problem}`, { cause })
}

/**
 * Imports and starts every entry under `ctx` and returns when all of them run.
 * A failed start leaves `ctx` to be disposed by the caller.
 * @param startMsMax how long a plugin may take to start
 * @throws AgentError `entry-failed`, one message for all entries that failed
 */
export async function mountComposition(
  ctx: Context,
  entries: EntryOptions[],
  startMsMax: number,
  timers: Clock['timers'],
): Promise<void> {
  await Promise.all(entries.map(importEntry))
  await ctx.plugin(Loader)
  await ctx.loader.root.update(entries)
  const late = await settle(ctx, startMsMax, timers)
  const problems = [...late, ...(await findProblems(ctx))]
  if (problems.length === 0) return
  const plural = problems.length === 1 ? 'an entry' : `${problems.length} entries`
  throw new AgentError('entry-failed', [`${plural} did not start:`, ...problems].join('\n  '))
}

async function importEntry({ id, name }: EntryOptions): Promise<void> {
  const fail = (problem: string, cause?: unknown): AgentError =>
    new AgentError('entry-failed', `entry "${id}": ${problem}`, { cause })
  let exports: object
  try {
    exports = await import(name)
  } catch (error) {
    throw fail(`cannot import ${name}: ${messageOf(error)}`, error)
  }
  // The loader takes a default export instead of the module, and with it loses
  // the module's named `inject`: the plugin would start without its services.
  const plugin = memberOf(exports, 'default') ?? exports
  if (typeof plugin !== 'function' && typeof memberOf(plugin, 'apply') !== 'function') {
    throw fail(`${name} exports no plugin: neither a function nor "apply"`)
  }
  if (memberOf(exports, 'inject') !== undefined && memberOf(plugin, 'inject') === undefined) {
    throw fail(
      `the default export of ${name} loses the module's "inject"; export "apply" by name instead`,
    )
  }
}

function memberOf(value: unknown, key: string): unknown {
  const holds = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return holds ? Reflect.get(value, key) : undefined
}

/** Waits until nothing starts any more; the entries still starting after `startMsMax` are problems. */
async function settle(
  ctx: Context,
  startMsMax: number,
  timers: Clock['timers'],
): Promise<string[]> {
  const { promise: deadline, resolve } = Promise.withResolvers<'late'>()
  const timer = timers.set(() => resolve('late'), startMsMax)
  try {
    const outcome = await Promise.race([ctx.loader.await(), deadline])
    if (outcome !== 'late') return []
  } finally {
    timers.clear(timer)
  }
  return [...ctx.loader.entries()]
    .filter((entry) => entry.fiber?.inertia !== undefined)
    .map((entry) => `entry "${entry.id}" still starts after ${startMsMax} ms`)
}

async function findProblems(ctx: Context): Promise<string[]> {
  const idle = [...ctx.loader.entries()].filter(({ fiber }) => fiber === undefined)
  const fibers = [...ctx.registry.values()].flatMap((runtime) => [...runtime.fibers])
  const problems = await Promise.all(fibers.map((fiber) => describeProblem(ctx, fiber)))
  return [
    ...idle.map(({ id }) => `entry "${id}" was never started`),
    ...problems.filter((problem) => problem !== null),
  ]
}

/** Why a settled fiber does not run, or null when it does (or is late, which `settle` tells). */
async function describeProblem(ctx: Context, fiber: Fiber): Promise<string | null> {
  if (fiber.inertia !== undefined) return null
  const entry = `entry "${ctx.loader.locate(fiber) ?? fiber.name}"`
  const missing = Object.keys(fiber.inject).filter((name) => fiber.ctx.get(name) === undefined)
  if (missing.length > 0)
    return `${entry} waits for ${quote(missing)}, which no running entry provides`
  try {
    await fiber.await()
    return null
  } catch (error) {
    return `${entry} failed to start: ${messageOf(error)}`
  }
}

function quote(names: readonly string[]): string {
  const noun = names.length === 1 ? 'the service' : 'the services'
  return `${noun} ${names.map((name) => `"${name}"`).join(', ')}`
}
