/**
 * One scenario, from fresh folders to the last byte of its process: launch,
 * drive, accept, shut down, harvest. It yields everything that a judgement
 * needs; the folders are gone by then.
 */
import { existsSync, mkdirSync } from 'node:fs'
import type { AgentConfig } from '../config/config.ts'
import { createAcpDriver } from '../drive/acp.ts'
import type { Driver } from '../drive/driver.ts'
import type { Problem } from '../drive/problem.ts'
import { createJsonlDriver } from '../drive/jsonl.ts'
import type { Attempt } from '../fence/attempt.ts'
import type { ProcessEnd } from '../launch/process.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { TranscriptLine } from '../transcript/line.ts'
import { createClaims, type Claims } from './claims.ts'
import type { Failure } from './failure.ts'
import { harvestLogs, type SessionLog } from './harvest.ts'
import { openFolders, type RunFolders } from '../launch/folders.ts'
import type { Recorded } from './provider.ts'
import { createDeadline, runScript, withoutStep, type Deadline, type Unaccepted } from './script.ts'
import type { ReplayReport } from './seam.ts'
import { compareWorkspace, type FileChange } from './workspace.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export type ExecuteOptions = Omit<WorldOptions, 'now'> & {
  /** Called when the agent has been started and nothing was said to it yet. */
  onStarted?: () => void
  /** Called when a step begins and whenever a message has been taken in. */
  onProgress?: (progress: ScenarioProgress) => void
  /** Called with what was seen until then, when a run that has begun breaks off by an error. */
  onBroken?: (seen: Seen) => Promise<void>
}

export type ScenarioProgress = {
  /** From 1. */
  step: number
  stepCount: number
  op: string
  /** What a screen may claim right now, null before the first prompt. */
  claim: string | null
}

/** What an agent said, and what was said to it. */
export type Seen = {
  transcript: readonly TranscriptLine[]
  stderr: string
}

export type Execution = Seen & {
  /** Of every process of the run, in order. */
  ends: readonly ProcessEnd[]
  /** What went wrong on the way, first cause first. */
  failures: Failure[]
  /** Prompts that did not meet their conditions. */
  unaccepted: Unaccepted[]
  /** Null for protocols without a claim. */
  claims: Claims | null
  logs: SessionLog[]
  report: ReplayReport | null
  /** Whether a process had to report on its replay (session seam), and did not. */
  isUnreported: boolean
  /** The `node_modules` that the agent lies in, where that is known. */
  agentFolder: string | null
  /** What stood for the provider; null for agents that are replayed elsewhere. */
  providerUrl: string | null
  /** What the agent tried to reach and could not; empty where it was not fenced in. */
  attempts: readonly Attempt[]
  /** What crossed between the agent and its provider; null unless it was recorded. */
  recorded: Recorded | null
  /** Against `workspace.expected/`; none when there is no such folder. */
  workspaceChanges: FileChange[]
  /** The folders as they were, for normalising. */
  folders: RunFolders
}

/** @throws RunproofError `environment` when the agent cannot be started at all. */
export async function executeScenario(
  scenario: Scenario,
  agent: AgentConfig,
  options: ExecuteOptions,
): Promise<Execution> {
  const startedAt = performance.now()
  const now = (): number => Math.round(performance.now() - startedAt)
  const world = await createWorld(scenario, agent, { ...options, now })
  try {
    const run = await executeIn(world, now, scenario, agent, options)
    const owesReport = agent.seam === 'session' && options.seam.mode === 'replay'
    await world.close()
    return { ...run, isUnreported: owesReport && !world.isReported }
  } catch (error) {
    // What it says on its way out is seen, too. Of several errors the first one is the cause.
    await world.close().catch(() => undefined)
    const seen = { transcript: world.channel.transcript, stderr: world.stderr }
    await options.onBroken?.(seen).catch(() => undefined)
    throw error
  }
}

async function executeIn(
  world: World,
  now: () => number,
  scenario: Scenario,
  agent: AgentConfig,
  { onStarted, onProgress }: Pick<ExecuteOptions, 'onStarted' | 'onProgress'>,
): Promise<Omit<Execution, 'isUnreported'>> {
  const { channel, folders } = world
  const claims = agent.protocol === 'acp' ? createClaims(agent) : null
  const stepCount = scenario.input.steps.length
  let current = { number: 0, op: '' }
  const tell = (): void =>
    onProgress?.({ step: current.number, stepCount, op: current.op, claim: claims?.claim ?? null })
  channel.subscribe((line) => {
    claims?.push(line)
    tell()
  })
  await world.start()
  onStarted?.()
  const deadline = createDeadline(agent.limits, now)
  const driver = createDriver(world, scenario, agent, deadline)
  const { failures, unaccepted } = await runScript({
    scenario,
    world,
    driver,
    claims,
    deadline,
    onStep(step) {
      current = step
      tell()
    },
  })
  await world.stop()
  const recorded = await world.endProvider()
  claims?.finish({ runtimeFailed: failures.some(({ code }) => code === 'agent-exited') })
  const { workspaceExpected } = scenario.files
  const isUntold = ({ message }: Problem): boolean =>
    failures.every((failure) => failure.message !== message)
  return {
    transcript: channel.transcript,
    stderr: world.stderr,
    ends: world.ends,
    failures: [...failures, ...channel.problems.filter(isUntold).map(withoutStep)],
    unaccepted,
    claims,
    logs: await harvestLogs(folders.sessions),
    report: world.report,
    agentFolder: world.agentFolder,
    providerUrl: world.providerUrl,
    attempts: world.attempts,
    recorded,
    workspaceChanges:
      workspaceExpected === undefined ? [] : await compareLeft(workspaceExpected, folders.cwd),
    folders,
  }
}

/** What was left behind; how it may be read is not looked at. */
function compareLeft(expected: string, cwd: string): Promise<FileChange[]> {
  if (existsSync(cwd)) openFolders(cwd)
  else mkdirSync(cwd)
  return compareWorkspace(expected, cwd)
}

function createDriver(
  world: World,
  { input, isForeign }: Scenario,
  { protocol, quietMs }: AgentConfig,
  deadline: Deadline,
): Driver {
  const { channel, folders } = world
  const shared = { channel, cwd: folders.cwd, limitMs: () => deadline.leftMs() }
  if (protocol === 'jsonl') return createJsonlDriver(shared)
  return createAcpDriver({
    ...shared,
    permissionAnswers: input.permissionAnswers,
    needsAllAnswers: !isForeign,
    quietMs,
    providerSet: world.providerSet,
    restart: () => world.restart(),
  })
}
