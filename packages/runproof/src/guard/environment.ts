/** What a test needs of the machine: a Node.js that is new enough, a folder for runs, and every agent's program. */
import { constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import process from 'node:process'
import type { AgentConfig } from '../config/config.ts'
import { fillPlaceholders } from '../config/placeholders.ts'
import { describeAbove, findAbove } from '../launch/above.ts'
import { findCommand, isThere } from '../launch/which.ts'
import { locateAgent } from '../presets/locate.ts'
import { visible } from '../visible.ts'

type AgentProgram = Pick<AgentConfig, 'name' | 'command' | 'program' | 'optional'>

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
    checkTemporaryFolder(),
    ...(await Promise.all(agents.map((agent) => checkAgent(agent, root, env)))),
  ]
}

export function checkNode(version: string): EnvironmentCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const ok = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])
  const message = ok ? version : `${version} is too old; install ${nodeMin.join('.')} or newer`
  return { what: 'Node.js', ok, message }
}

/** What is above it is no fault: not every agent looks. */
function checkTemporaryFolder(): EnvironmentCheck {
  const note = describeAbove(findAbove())
  const message = visible(note === null ? tmpdir() : `${tmpdir()}; ${note}`)
  return { what: 'temporary folder', ok: true, message }
}

async function checkAgent(
  agent: AgentProgram,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EnvironmentCheck> {
  const { name, command, optional } = agent
  const what = `agent ${visible(name)}`
  const located = await locateAgent(agent, root, env)
  if ('missing' in located) {
    const note = optional ? '; its scenarios are left out' : ''
    return { what, ok: optional, message: `${located.missing}${note}` }
  }
  if (located.program !== null) {
    return { what, ok: true, message: visible(located.program.words.join(' ')) }
  }
  // The run's own folders are not there yet; a program is never in them.
  const words = command.map((word) => fillPlaceholders(word, { root, cwd: root, home: root }))
  const [program = '', ...rest] = words
  const found = await findCommand(program, root, env)
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
