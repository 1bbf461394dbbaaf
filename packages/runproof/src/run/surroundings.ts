/**
 * What is around the agent process of one run: its folders, what stands for its
 * provider, the fence, and how it is started in them. Opened in this order,
 * closed in the other.
 */
import { writeFile } from 'node:fs/promises'
import type { AgentConfig, Config } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import type { Attempt } from '../fence/attempt.ts'
import type { Fence } from '../fence/fence.ts'
import {
  createRunFolders,
  fillWorkspace,
  removeRunFolders,
  type RunFolders,
} from '../launch/folders.ts'
import { guardRun } from '../launch/reaper.ts'
import type { Tree } from '../launch/tree.ts'
import { locateAgent } from '../presets/locate.ts'
import type { FoundProgram } from '../presets/program.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { openProvider, type Provider } from './provider.ts'
import { blankLog, type SeamOptions } from './seam.ts'
import { setUpAgent, type Setup } from './setup.ts'

export type SurroundingsOptions = {
  config: Config
  seam: Omit<SeamOptions, 'served'>
  /** The environment that the allow-list picks from. */
  env: Readonly<Record<string, string | undefined>>
  /** Called for each request to the provider. */
  onRequest: () => void
  /** Called for each distinct attempt of the agent to reach something else. */
  onAttempt: (attempt: Attempt) => void
}

export type Surroundings = {
  readonly folders: RunFolders
  readonly tree: Tree
  /** Null for an agent that comes from no package. */
  readonly program: FoundProgram | null
  /** Null for an agent that is replayed elsewhere. */
  readonly provider: Provider | null
  /** Null for an agent that is not fenced in. */
  readonly fence: Fence | null
  readonly setup: Setup
  close(): Promise<void>
}

/**
 * @throws RunproofError `environment` when the agent, or what its model needs, is not there;
 * `unreadable` for a recording that cannot be replayed. Nothing is left open then.
 */
export async function openSurroundings(
  scenario: Scenario,
  agent: AgentConfig,
  { config, seam, env, onRequest, onAttempt }: SurroundingsOptions,
): Promise<Surroundings> {
  const located = await locateAgent(agent, config.root, env)
  if ('missing' in located) throw new RunproofError('environment', located.missing)
  const { program } = located
  const folders = await createRunFolders()
  const tree: Tree = { pids: [], folder: folders.root }
  const guard = guardRun(tree)
  const closers: (() => unknown)[] = [() => guard.release(), () => removeRunFolders(folders)]
  const close = async (): Promise<void> => {
    const errors: unknown[] = []
    // One that fails keeps none of the others from being closed.
    for (const closer of closers.splice(0).toReversed()) {
      try {
        await closer()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
  try {
    await fillWorkspace(folders, scenario.files.workspace ?? null)
    const { mode, ignoresLog, toolless = false } = seam
    if (ignoresLog === true) await writeFile(folders.blankLog, blankLog)
    const agentFolder = program?.modules ?? null
    const provider = await openProvider(scenario, agent, folders, {
      mode,
      toolless,
      agentFolder,
      env,
      onRequest,
    })
    closers.push(() => provider?.close())
    const fence = await openFence(agent, provider, onAttempt)
    closers.push(() => fence?.close())
    const around = { config, mode, env, folders, provider, program }
    const setup = await setUpAgent(scenario, agent, around)
    return { folders, tree, program, provider, fence, setup, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Only a real provider is asked from outside the fence. */
async function openFence(
  agent: AgentConfig,
  provider: Provider | null,
  onAttempt: (attempt: Attempt) => void,
): Promise<Fence | null> {
  if (provider === null || provider.isLive) return null
  const { createFence } = await import('../fence/fence.ts')
  const ports = [Number(new URL(provider.url).port)]
  return createFence({ ports, allow: agent.provider?.allowHosts ?? [], onAttempt })
}
