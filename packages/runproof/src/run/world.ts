/**
 * The world of one run: fresh folders, the environment, and the agent process
 * in them, talked to through one channel. Owns all of it: after `close` nothing
 * is left, and a signal to the harness has the same effect.
 */
import { writeFile } from 'node:fs/promises'
import type { AgentConfig, Config } from '../config/config.ts'
import { fillPlaceholders, fillRecord, type Places } from '../config/placeholders.ts'
import { createChannel, type Channel } from '../drive/channel.ts'
import { buildEnvironment, pickVariables } from '../launch/environment.ts'
import { createRunFolders, removeRunFolders, type RunFolders } from '../launch/folders.ts'
import { launchAgent, type AgentProcess, type ProcessEnd } from '../launch/process.ts'
import { guardRun } from '../launch/reaper.ts'
import type { Tree } from '../launch/tree.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isMessage } from '../transcript/line.ts'
import {
  blankLog,
  mergeReports,
  readReport,
  seamEnvironment,
  type ReplayReport,
  type SeamOptions,
} from './seam.ts'

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
  /** Ends what still runs and removes the folders. */
  close(): Promise<void>
}

export async function createWorld(
  scenario: Scenario,
  agent: AgentConfig,
  options: WorldOptions,
): Promise<World> {
  const folders = await createRunFolders(scenario.files.workspace ?? null)
  if (options.seam.ignoresLog === true) await writeFile(folders.blankLog, blankLog)
  const tree: Tree = { pids: [], folder: folders.root }
  const guard = guardRun(tree)
  const setup = createSetup(scenario, agent, folders, options)
  const isAcp = agent.protocol === 'acp'
  const channel = createChannel({
    isMessage: isAcp ? isMessage : () => true,
    lineKind: isAcp ? 'one JSON-RPC object' : 'one JSON object',
    now: options.now,
  })
  let running: { process: AgentProcess; drained: Promise<void> } | null = null
  let stderr = ''
  const reports: ReplayReport[] = []

  const start = async (): Promise<void> => {
    const { command, cwd } = setup
    const served = mergeReports(reports)?.served ?? 0
    const seam = seamEnvironment(scenario, agent, folders, { ...options.seam, served })
    const env = { ...setup.env, ...setup.keys, ...seam }
    const process = await launchAgent({ command, cwd, env, tree, exitMs: agent.limits.exitMs })
    channel.note({ spawn: { command } })
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
      return mergeReports(reports)
    },
    async close() {
      if (running !== null) await stop()
      await removeRunFolders(folders)
      guard.release()
    },
  }
}

type Setup = {
  command: string[]
  cwd: string
  env: Record<string, string>
  /** What record mode lets through, for the agent alone. */
  keys: Record<string, string>
}

/** The configuration, with its placeholders filled in for this run. */
function createSetup(
  scenario: Scenario,
  agent: AgentConfig,
  folders: RunFolders,
  { config, seam, env: parent }: WorldOptions,
): Setup {
  const places: Places = { root: config.root, cwd: folders.cwd, home: folders.home }
  const isRecording = seam.mode === 'record'
  const { record } = agent
  const words = (isRecording ? record.command : null) ?? agent.command
  const set = { ...agent.env, ...(isRecording && record.env), ...scenario.input.env }
  const passed = isRecording ? record.passEnv : []
  return {
    command: words.map((word) => fillPlaceholders(word, places)),
    cwd: fillPlaceholders(agent.cwd, places),
    env: buildEnvironment(parent, folders, fillRecord(set, places)),
    keys: pickVariables(parent, passed),
  }
}
