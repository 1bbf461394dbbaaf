/**
 * The session seam (contract, "Session seam"): how the harness tells an agent
 * to replay a scenario's log, where to persist its own, and what the replay
 * reports at the end.
 */
import { readFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import type { AgentConfig } from '../config/config.ts'
import type { RunFolders } from '../launch/folders.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isRecord } from '../transcript/line.ts'

export type Mode = 'replay' | 'record'

export type SeamOptions = {
  mode: Mode
  /** How strictly requests are compared; default `strict`, for foreign logs `prompt`. */
  level?: 'strict' | 'prompt'
  /** Replays no log but the override alone. */
  ignoresLog?: boolean
  /** The agent never offers tools: a call without any is no sign of one beside the turn. */
  toolless?: boolean
  /** Model calls that an earlier process of the same run was served. */
  served: number
}

/** A log that says nothing. */
export const blankLog: string = `${JSON.stringify({ type: 'session', version: 0, id: 'none', createdAt: 0 })}\n`

/** Variables of the seam for one process; the second name is the DeepSeek Harness's for the same. */
export function seamEnvironment(
  scenario: Scenario,
  agent: AgentConfig,
  folders: RunFolders,
  options: SeamOptions,
): Record<string, string> {
  if (agent.seam !== 'session') return {}
  const { override } = scenario.files
  const { mode, served, ignoresLog } = options
  const sessionFile = ignoresLog === true ? folders.blankLog : scenario.files.session
  // Another harness recorded a foreign log: its tools answer in other words.
  const level = options.level ?? (scenario.isForeign ? 'prompt' : undefined)
  const values: [string[], string | undefined][] = [
    [['RUNPROOF_MODE', 'DSH_SNAPSHOT'], mode],
    [['RUNPROOF_SESSIONS_ROOT', 'DSH_SNAPSHOT_SESSIONS_ROOT'], folders.sessions],
    [['RUNPROOF_REPORT'], folders.report],
    [['RUNPROOF_REPLAY_LEVEL'], level],
    [['RUNPROOF_REPLAY_START'], served === 0 ? undefined : String(served)],
    [['RUNPROOF_SESSION_FILE', 'DSH_SNAPSHOT_FILE'], mode === 'replay' ? sessionFile : undefined],
    [['RUNPROOF_OVERRIDE_FILE', 'DSH_SNAPSHOT_OVERRIDE'], override],
    [
      ['RUNPROOF_CHILD_FILES', 'DSH_SNAPSHOT_CHILD_FILES'],
      scenario.childLogs.length === 0 ? undefined : scenario.childLogs.join(delimiter),
    ],
  ]
  return Object.fromEntries(
    values.flatMap(([names, value]) =>
      value === undefined ? [] : names.map((name) => [name, value]),
    ),
  )
}

/** What the replay says of itself at its end (contract: `RUNPROOF_REPORT`). */
export type ReplayReport = {
  /** Model calls that were answered. */
  served: number
  /** Recorded calls that nobody made. */
  unused: number
  /** What they are, where the replay knows: a number of the recording (or script) and words. */
  unusedCalls?: { n: number; words: string }[]
  /** Calls that looked like ones beside the turn and got a neutral answer: method and path. */
  neutralCalls?: string[]
  misses: ReplayMiss[]
  /** The version of the agent that was recorded; null where that is not known. */
  recordedWith?: string | null
}

/** One report of the processes of a run, in order: what one left the next ones may have served. */
export function mergeReports(reports: readonly ReplayReport[]): ReplayReport | null {
  const [first, ...later] = reports
  if (first === undefined) return null
  const servedLater = later.reduce((sum, { served }) => sum + served, 0)
  return {
    served: first.served + servedLater,
    unused: first.unused - servedLater,
    misses: reports.flatMap(({ misses }) => misses),
  }
}

/** A request that was not the recorded one, or came when nothing was left. */
type ReplayMiss = { code: string; message: string }

/** The report, or null when there is none, or none that says it all: the agent has no replay, or died before. */
export async function readReport(file: string): Promise<ReplayReport | null> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  const { served, misses } = value
  const unused = Array.isArray(value['unused']) ? value['unused'].length : value['unused']
  if (!isCount(served) || !isCount(unused) || !Array.isArray(misses)) return null
  return { served, unused, misses: misses.map(readMiss) }
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

function readMiss(miss: unknown): ReplayMiss {
  if (!isRecord(miss)) return { code: 'miss', message: String(miss) }
  const { code, message } = miss
  return {
    code: typeof code === 'string' ? code : 'miss',
    message: typeof message === 'string' ? message : JSON.stringify(miss),
  }
}
