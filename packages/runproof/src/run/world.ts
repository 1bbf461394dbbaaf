/**
 * The world of one run: fresh folders, the environment, and the agent process
 * in them, talked to through one channel. Owns all of it: after `close` nothing
 * is left, and a signal to the harness has the same effect.
 */
import { rm } from 'node:fs/promises'
import type { AgentConfig } from '../config/config.ts'
import { createChannel, type Channel } from '../drive/channel.ts'
import { egressFact, type Attempt } from '../fence/attempt.ts'
import type { RunFolders } from '../launch/folders.ts'
import { launchAgent, type AgentProcess, type ProcessEnd } from '../launch/process.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isMessage, type Message } from '../transcript/line.ts'
import type { Recorded } from './provider.ts'
import { mergeReports, readReport, seamEnvironment, type ReplayReport } from './seam.ts'
import { openSurroundings, type SurroundingsOptions } from './surroundings.ts'

export type WorldOptions = Omit<SurroundingsOptions, 'onRequest' | 'onAttempt'> & {
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
  stop(): Promise<void>
  /** Of all processes that have ended, in order. */
  readonly ends: readonly ProcessEnd[]
  /** Of all processes so far. */
  readonly stderr: string
  /** What the replay said of itself, over all processes that have ended. */
  readonly report: ReplayReport | null
  /** Whether each process that has ended left a report of its own. */
  readonly isReported: boolean
  /** What stands for the provider; null for agents that are replayed elsewhere. */
  readonly providerUrl: string | null
  /** Parameters of `providers/set`; null where the agent is not told so. */
  readonly providerSet: Message | null
  /** The `node_modules` that the agent lies in, where that is known. */
  readonly agentFolder: string | null
  /** What the agent tried to reach and could not; empty where it was not fenced in. */
  readonly attempts: readonly Attempt[]
  /** Ends what stands for the provider. @returns what was recorded, null after a replay; always the same. */
  endProvider(): Promise<Recorded | null>
  /** Ends what still runs and removes the folders. */
  close(): Promise<void>
}

/** @throws RunproofError what `openSurroundings` throws. */
export async function createWorld(
  scenario: Scenario,
  agent: AgentConfig,
  options: WorldOptions,
): Promise<World> {
  const isAcp = agent.protocol === 'acp'
  const channel = createChannel({
    isMessage: isAcp ? isMessage : () => true,
    lineKind: isAcp ? 'one JSON-RPC object' : 'one JSON object',
    now: options.now,
  })
  const around = await openSurroundings(scenario, agent, {
    ...options,
    // An agent that asks its model is not done, however quiet it is.
    onRequest: () => channel.wake(),
    onAttempt: (attempt) => channel.note(egressFact(attempt)),
  })
  const { folders, tree, provider, fence, setup } = around
  let running: { process: AgentProcess; drained: Promise<void> } | null = null
  let stderr = ''
  const reports: ReplayReport[] = []
  const ends: ProcessEnd[] = []

  const start = async (): Promise<void> => {
    const { command, cwd } = setup
    const served = mergeReports(reports)?.served ?? 0
    const seam = seamEnvironment(scenario, agent, folders, { ...options.seam, served })
    const env = { ...setup.env, ...fence?.env, ...setup.keys, ...seam }
    const { exitMs, settleMs } = agent.limits
    const process = await launchAgent({
      command,
      ...(fence !== null && { wrap: (words) => fence.wrap(words) }),
      cwd,
      env,
      tree,
      exitMs: agent.endsBy === 'stdin' ? exitMs : 0,
      settleMs,
    })
    channel.note({ spawn: { command } })
    running = { process, drained: channel.attach(process) }
  }
  const stop = async (): Promise<void> => {
    if (running === null) throw new TypeError('World.stop: nothing runs')
    const { process, drained } = running
    const end = await process.stop()
    await drained
    await fence?.settle()
    channel.note({ exit: { code: end.exitCode, signal: end.signal } })
    stderr += process.stderr
    running = null
    ends.push(end)
    const report = await readReport(folders.report)
    if (report !== null) reports.push(report)
    // What the next process leaves there is its own.
    await rm(folders.report, { force: true })
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
    get isReported() {
      return reports.length === ends.length
    },
    ends,
    providerUrl: provider?.url ?? null,
    providerSet: setup.providerSet,
    agentFolder: around.program?.modules ?? null,
    attempts: fence?.attempts ?? [],
    endProvider: () => provider?.close() ?? Promise.resolve(null),
    async close() {
      try {
        if (running !== null) await stop()
      } finally {
        await around.close()
      }
    },
  }
}
