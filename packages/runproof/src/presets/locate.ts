/** Whether an agent can be started here: its program, and a Node.js that is new enough for it. */
import process from 'node:process'
import type { AgentConfig } from '../config/config.ts'
import { visible } from '../visible.ts'
import { findProgram, isNodeNewEnough, type FoundProgram } from './program.ts'

export type Located =
  /** Null: its command names a program of the machine, which starting it will find or not. */
  | { program: FoundProgram | null }
  /** What is missing and what to do, in one sentence. */
  | { missing: string }

export async function locateAgent(
  { name, program }: Pick<AgentConfig, 'name' | 'program'>,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Located> {
  if (program === null) return { program: null }
  const { node } = process.versions
  const shown = visible(name)
  if (!isNodeNewEnough(program, node)) {
    return { missing: `${shown} needs Node.js ${program.nodeMin} or newer, this is ${node}` }
  }
  const found = await findProgram(program, root, env)
  if (found !== null) return { program: found }
  const packages = program.packages.map(visible).join(' ')
  return { missing: `${shown} is not installed: npm install --save-dev ${packages}` }
}
