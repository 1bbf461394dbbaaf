/**
 * Configuration and environment → what the plugin works with.
 *
 * Follows the session seam of `docs/formats` (`RUNPROOF_*`) and the names the
 * DeepSeek Harness uses for the same (`DSH_SNAPSHOT*`). Configuration goes
 * before `RUNPROOF_*`, and that before `DSH_SNAPSHOT*`. An empty variable is
 * one that is not set.
 */
import { delimiter } from 'node:path'
import { ReplayError } from '../error.ts'
import type { CompareLevel } from '../request.ts'

/** What a composition may say; each key stands for an environment variable. */
export type ReplayConfig = {
  /** Session log of the primary session. `RUNPROOF_SESSION_FILE`, `DSH_SNAPSHOT_FILE` */
  file?: string
  /** Override document. `RUNPROOF_OVERRIDE_FILE`, `DSH_SNAPSHOT_OVERRIDE` */
  override?: string
  /** Session logs of child sessions. `RUNPROOF_CHILD_FILES`, `DSH_SNAPSHOT_CHILD_FILES`, divided like `PATH` */
  childFiles?: string[]
  /** Where the report goes. `RUNPROOF_REPORT` */
  report?: string
  /** How requests are compared; default `strict`. `RUNPROOF_REPLAY_LEVEL` */
  level?: CompareLevel
  /** Working folder of the live run; default: found in the texts. */
  cwd?: string
  /** Calls of the primary session that another process was served before; default 0. `RUNPROOF_REPLAY_START` */
  startAt?: number
}

export type Seam = {
  file: string
  override: string | undefined
  childFiles: string[]
  level: CompareLevel
  cwd: string | undefined
  startAt: number
}

type Environment = Record<string, string | undefined>

const levels: readonly CompareLevel[] = ['strict', 'prompt']
const modeNames = ['RUNPROOF_MODE', 'DSH_SNAPSHOT']
/** `refresh` is the DeepSeek Harness's: it replays too, and its harness rewrites expectations. */
const replayModes = new Set(['replay', 'refresh'])

function readVariable(env: Environment, names: readonly string[]): string | undefined {
  return names.map((key) => env[key]).find((value) => value !== undefined && value !== '')
}

/** Where the report goes; found first, so that it can tell of a configuration that is refused. */
export function findReportFile(config: ReplayConfig, env: Environment): string | undefined {
  return config.report ?? readVariable(env, ['RUNPROOF_REPORT'])
}

/** Throws `bad-config`: no log named, a mode that does not replay, an unknown key or value. */
export function readSeam(config: ReplayConfig, env: Environment): Seam {
  refuseUnknown(config)
  const read = (...names: string[]): string | undefined => readVariable(env, names)
  const modeName = modeNames.find((key) => read(key) !== undefined)
  const mode = modeName && read(modeName)
  if (mode !== undefined && !replayModes.has(mode)) {
    throw badConfig(
      `${modeName} is "${mode}", but llm-replay only replays; compose the live adapter for that mode, or set it to "replay"`,
    )
  }
  const file = config.file ?? read('RUNPROOF_SESSION_FILE', 'DSH_SNAPSHOT_FILE')
  if (file === undefined) {
    throw badConfig(
      'no session log to replay: set RUNPROOF_SESSION_FILE, or "file" in the configuration of llm-replay',
    )
  }
  const children = read('RUNPROOF_CHILD_FILES', 'DSH_SNAPSHOT_CHILD_FILES')
  return {
    file,
    override: config.override ?? read('RUNPROOF_OVERRIDE_FILE', 'DSH_SNAPSHOT_OVERRIDE'),
    childFiles: config.childFiles ?? children?.split(delimiter).filter((path) => path !== '') ?? [],
    level: readLevel(config.level ?? read('RUNPROOF_REPLAY_LEVEL') ?? 'strict'),
    cwd: config.cwd,
    startAt: config.startAt ?? readCount(read('RUNPROOF_REPLAY_START') ?? '0'),
  }
}

const keys: Record<keyof ReplayConfig, string> = {
  file: 'string',
  override: 'string',
  childFiles: 'list of texts',
  report: 'string',
  level: 'string',
  cwd: 'string',
  startAt: 'number',
}

/** Compositions are written by hand: a typo must not become a default. */
function refuseUnknown(config: object): void {
  const types = new Map<string, string>(Object.entries(keys))
  for (const [key, value] of Object.entries(config)) {
    const type = types.get(key)
    if (type === undefined) {
      throw badConfig(`llm-replay has no option "${key}"; it has ${[...types.keys()].join(', ')}`)
    }
    if (value !== undefined && typeOf(value) !== type) {
      throw badConfig(`llm-replay: ${key} is ${JSON.stringify(value)}, not a ${type}`)
    }
  }
}

/** A list of anything else, such as of numbers, would be read as file descriptors. */
function typeOf(value: unknown): string {
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isTexts ? 'list of texts' : typeof value
}

function readLevel(value: string): CompareLevel {
  const level = levels.find((known) => known === value)
  if (level === undefined) throw badConfig(`level is "${value}", not one of ${levels.join(', ')}`)
  return level
}

function readCount(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw badConfig(`RUNPROOF_REPLAY_START is "${value}", not a number of calls`)
}

function badConfig(message: string): ReplayError {
  return new ReplayError('bad-config', message)
}
