/**
 * A preset: one agent that Runproof knows, as data. The files are in the folder
 * `presets` of this package, one an agent, named like it; its `agent` says in
 * the words of `runproof.yml` how the agent is set up without a login, and a
 * project's own words win. How to add one: docs/guide/add-a-preset.md.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CORE_SCHEMA, load } from 'js-yaml'
import { z } from 'zod'
import { isRecord } from '../transcript/line.ts'
import { programSchema, type Program } from './program.ts'

export type Preset = {
  /** The name of its file. */
  name: string
  /** As its makers write it. */
  title: string
  homepage: string
  /** What a user should know, a sentence each. */
  notes: string[]
  /** Keys of an agent as `runproof.yml` has them. Those named here are what tools look at. */
  agent: Record<string, unknown> & {
    program?: Program | undefined
    provider?: { key?: string | undefined } | undefined
  }
}

const schema = z.strictObject({
  title: z.string().min(1),
  homepage: z.url(),
  notes: z.array(z.string().min(1)).default([]),
  agent: z.looseObject({
    program: programSchema.optional(),
    provider: z.looseObject({ key: z.string().optional() }).optional(),
  }),
})

// Beside `src` and `dist`: the same from either.
const folder = join(import.meta.dirname, '..', '..', 'presets')

/** Names of all presets, sorted. */
export function listPresets(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yml'))
    .map((file) => basename(file, '.yml'))
    .toSorted()
}

/** The preset, or null when there is none. Throws for one that is not as it must be: a fault of this package. */
export function readPreset(name: string): Preset | null {
  const file = join(folder, `${name}.yml`)
  if (!/^[\w-]+$/.test(name) || !existsSync(file)) return null
  return { name, ...schema.parse(load(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA })) }
}

/** Keys whose values are laid over each other member by member. */
const merged: ReadonlySet<string> = new Set(['env', 'files', 'limits', 'provider', 'record'])

/** Keys whose lists are joined, the preset's first. */
const joined: ReadonlySet<string> = new Set(['normalise', 'rulesOff'])

/** An agent of a project over its preset; what the project says wins. */
export function applyPreset(
  { agent }: Pick<Preset, 'agent'>,
  own: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(own).map(([key, value]): [string, unknown] => {
    const given = agent[key]
    if (merged.has(key) && isRecord(given) && isRecord(value)) return [key, { ...given, ...value }]
    if (joined.has(key) && Array.isArray(given) && Array.isArray(value)) {
      return [key, [...given, ...value]]
    }
    return [key, value]
  })
  return { ...agent, ...Object.fromEntries(entries) }
}
