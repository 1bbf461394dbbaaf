/**
 * What of the environment reaches whom: the agent reads its own settings and
 * keys, commands of the model get a short list of harmless names, and a secret
 * that has been seen never appears in text again.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

export type Environment = Readonly<Record<string, string | undefined>>

/** Names a command may see. Everything else, API keys first of all, stays out. */
const harmless = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'USERPROFILE',
])

/**
 * The environment of a model's command: harmless names, `LC_*`, and `extra`
 * names from the composition; a terminal that draws nothing; no pager.
 */
export function scrubEnvironment(
  env: Environment,
  extra: readonly string[] = [],
): Record<string, string> {
  const allowed = (name: string): boolean =>
    harmless.has(name) || name.startsWith('LC_') || extra.includes(name)
  const kept = Object.entries(env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && allowed(pair[0]),
  )
  return { ...Object.fromEntries(kept), TERM: 'dumb', PAGER: 'cat', GIT_PAGER: 'cat' }
}

/** What `<folder>/.env` says; nothing when it is no file (a folder of this name is common, too). */
export function readFolderEnvironment(folder: string): Environment {
  const file = join(folder, '.env')
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true
  return isFile ? parseEnv(readFileSync(file, 'utf8')) : {}
}

/** Shorter values are the placeholders of servers that want no key, such as `none`: no secret, and common as words. */
const secretCharsMin = 8

/** Values that must not be shown. */
export type Secrets = {
  /** One shorter than 8 characters is not kept. */
  add(value: string): void
  /** The text with every known secret replaced. */
  redact(text: string): string
}

export function createSecrets(): Secrets {
  const values = new Set<string>()
  return {
    add(value) {
      if (value.length >= secretCharsMin) values.add(value)
    },
    redact(text) {
      let clean = text
      for (const value of values) clean = clean.replaceAll(value, '[redacted]')
      return clean
    },
  }
}
