/**
 * The world of one run: fresh folders, the environment, and the agent process
 * in them, talked to through one channel. Owns all of it: after `close` nothing
 * is left, and a signal to the harness has the same effect.
 */
import { writeFile } from 'node:fs/promises'
import type { Recording } from '@runproof/replay'
import type { AgentConfig, Config } from '../config/config.ts'
import { createChannel, type Channel } from '../drive/channel.ts'
import { RunproofError } from '../error.ts'
import { egressFact, type Attempt } from '../fence/attempt.ts'
import type { Fence } from '../fence/fence.ts'
import { createRunFolders, removeRunFolders, type RunFolders } from '../launch/folders.ts'
import { launchAgent, type AgentProcess, type ProcessEnd } from '../launch/process.ts'
import { guardRun } from '../launch/reaper.ts'
import type { Tree } from '../launch/tree.ts'
import { locateAgent } from '../presets/locate.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isMessage } from '../transcript/line.ts'
import { openProvider, type Provider } from './provider.ts'
import {
  blankLog,
  mergeReports,
  readReport,
  seamEnvironment,
  type ReplayReport,
  type SeamOptions,
} from './seam.ts'
import { setUpAgent, type Setup } from './setup.ts'

export type WorldOptions = {
  config: Config
  seam: Omit<SeamOptions, 'served'>
  /** The environment that the allow-list picks from. */
  env: Readonly<Record<string, string | undefined>>
  /** Milliseconds since the run began. */
  now: () => number
}

export type World = {
  readonly folders: RunFolders
  readonly channel: Channel
  /** What acceptance commands get: the agent's environment without the seam. */
  readonly env: Readonly<Record<string, string>>
  start(): Promise<void>
  /** Ends the process in order and starts another one in the same folders. */
  restart(): Promise<void>
  /** Ends the process in order; every line it wrote is in the channel then. */
  stop(): Promise<ProcessEnd>
  /** Of all processes so far. */
  readonly stderr: string
  /** What the replay said of itself, over all processes that have ended. */
  readonly report: ReplayReport | null
  /** What stands for the provider; null for agents that are replayed elsewhere. */
  readonly providerUrl: string | null
  /** The `node_modules` that the agent lies in, where that is known. */
  readonly agentFolder: string | null
  /** What the agent tried to reach and could not; empty where it was not fenced in. */
  readonly attempts: readonly Attempt[]
  /** Ends what stands for the provider. @returns what was recorded, null after a replay; always the same. */
  endProvider(): Promise<Recording | null>
  /** Ends what still runs and removes the folders. */
  close(): Promise<void>
}

/**
 * @throws RunproofError `environment` when the agent, or what its model needs, is not there;
 * `unreadable` for a recording that cannot be replayed.
 */
export async function createWorld(
  scenario: Scenario,
  agent: AgentConfig,
  options: WorldOptions,
): Promise<World> {
  const { config, seam: seamOptions } = options
  const { mode } = seamOptions
  const located = await locateAgent(agent, config.root, options.env)
  if ('missing' in located) throw new RunproofError('environment', located.missing)
  const { program } = located
  const isAcp = agent.protocol === 'acp'
  const channel = createChannel({
    isMessage: isAcp ? isMessage : () => true,
    lineKind: isAcp ? 'one JSON-RPC object' : 'one JSON object',
    now: options.now,
  })
  const folders = await createRunFolders(scenario.files.workspace ?? null)
  const tree: Tree = { pids: [], folder: folders.root }
  const guard = guardRun(tree)
  let provider: Provider | null = null
  let fence: Fence | null = null
  let setup: Setup
  try {
    if (seamOptions.ignoresLog === true) await writeFile(folders.blankLog, blankLog)
    provider = await openProvider(scenario, agent, folders, {
      mode,
      agentFolder: program?.modules ?? null,
      env: options.env,
      // An agent that asks its model is not done, however quiet it is.
      onRequest: () => channel.wake(),
    })
    const { env: parent } = options
    const around = { config, mode, env: parent, folders, provider, program }
    setup = await setUpAgent(scenario, agent, around)
    fence = await openFence(agent, provider, (attempt) => channel.note(egressFact(attempt)))
  } catch (error) {
    await provider?.close()
    await removeRunFolders(folders)
    guard.release()
    throw error
  }
  let running: { process: AgentProcess; drained: Promise<void> } | null = null
  let stderr = ''
  const reports: ReplayReport[] = []

  const start = async (): Promise<void> => {
    const { cwd } = setup
    const command = fence?.wrap(setup.command) ?? setup.command
    const served = mergeReports(reports)?.served ?? 0
    const seam = seamEnvironment(scenario, agent, folders, { ...options.seam, served })
    const env = { ...setup.env, ...fence?.env, ...setup.keys, ...seam }
    const { exitMs, settleMs } = agent.limits
    const waitMs = agent.endsBy === 'stdin' ? exitMs : 0
    const process = await launchAgent({ command, cwd, env, tree, exitMs: waitMs, settleMs })
    channel.note({ spawn: { command: setup.command } })
    running = { process, drained: channel.attach(process) }
  }
  const stop = async (): Promise<ProcessEnd> => {
    if (running === null) throw new TypeError('World.stop: nothing runs')
    const { process, drained } = running
    const end = await process.stop()
    await drained
    channel.note({ exit: { code: end.exitCode, signal: end.signal } })
    stderr += process.stderr
    running = null
    const report = await readReport(folders.report)
    if (report !== null) reports.push(report)
    return end
  }
  return {
    folders,
    channel,
    env: setup.env,
    start,
    stop,
    async restart() {
      await stop()
      await start()
    },
    get stderr() {
      return stderr + (running?.process.stderr ?? '')
    },
    get report() {
      return provider === null ? mergeReports(reports) : provider.report()
    },
    providerUrl: provider?.url ?? null,
    agentFolder: program?.modules ?? null,
    attempts: fence?.attempts ?? [],
    endProvider: () => provider?.close() ?? Promise.resolve(null),
    async close() {
      if (running !== null) await stop()
      await provider?.close()
      fence?.close()
      await removeRunFolders(folders)
      guard.release()
    },
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
