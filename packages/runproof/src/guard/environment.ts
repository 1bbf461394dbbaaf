/** What a test needs of the machine: a Node.js that is new enough, and every agent's program. */
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import process from 'node:process'
import type { AgentConfig } from '../config/config.ts'
import { fillPlaceholders } from '../config/placeholders.ts'
import { visible } from '../visible.ts'

type AgentProgram = Pick<AgentConfig, 'name' | 'command'>

export type EnvironmentCheck = {
  what: string
  ok: boolean
  /** What there is, or what to do. */ message: string
}

/** The oldest Node.js that the packages support (engines). */
const nodeMin = [22, 12] as const

export async function checkEnvironment(
  config: { root: string; agents: Readonly<Record<string, AgentProgram>> } | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EnvironmentCheck[]> {
  const agents = Object.values(config?.agents ?? {})
  const root = config?.root ?? process.cwd()
  return [
    checkNode(process.versions.node),
    ...(await Promise.all(agents.map((agent) => checkAgent(agent, root, env)))),
  ]
}

export function checkNode(version: string): EnvironmentCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const ok = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])
  const message = ok ? version : `${version} is too old; install ${nodeMin.join('.')} or newer`
  return { what: 'Node.js', ok, message }
}

async function checkAgent(
  { name, command }: AgentProgram,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EnvironmentCheck> {
  const what = `agent ${visible(name)}`
  // The run's own folders are not there yet; a program is never in them.
  const words = command.map((word) => fillPlaceholders(word, { root, cwd: root, home: root }))
  const [program = '', ...rest] = words
  const found = await findProgram(program, root, env)
  if (found === null) {
    const where = /[\\/]/.test(program) ? 'there is no such program' : 'it is not on the PATH'
    return {
      what,
      ok: false,
      message: `cannot start ${visible(program)}: ${where}; install it, or correct "command" in runproof.yml`,
    }
  }
  // A word that began with {root} is a file of the project: the script to run, as a rule.
  const scripts = rest.filter((_, index) => command[index + 1]?.startsWith('{root}') === true)
  for (const script of scripts) {
    if (await isThere(script, constants.R_OK)) continue
    return {
      what,
      ok: false,
      message: `${visible(script)} is not there; build the agent, or correct "command" in runproof.yml`,
    }
  }
  return { what, ok: true, message: visible(words.join(' ')) }
}

async function findProgram(
  program: string,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const suffixes =
    process.platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : ['']
  const folders = (env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
  const candidates = isAbsolute(program)
    ? [program]
    : /[\\/]/.test(program)
      ? [resolve(root, program)]
      : folders.map((folder) => join(folder, program))
  for (const candidate of candidates.flatMap((path) => suffixes.map((suffix) => path + suffix))) {
    if (program !== '' && (await isThere(candidate, constants.X_OK))) return candidate
  }
  return null
}

async function isThere(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
