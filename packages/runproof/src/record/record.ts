/**
 * Recording one scenario: run it, take what the agent persisted, and write the
 * session log and the goldens. The only writer of `session.jsonl`, which is
 * replay source and expectation at once.
 *
 * Where the model's part comes from: a real provider; or the override, for a
 * scenario whose model is scripted; or the scenario's own log, for an authored
 * one (`"recorded": false`), whose surroundings are then written anew. A program
 * without a model has goldens only.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { KnownSecret } from '@runproof/replay/redact'
import type { AgentConfig, Config } from '../config/config.ts'
import { writeAtomically } from '../pending/atomic.ts'
import { refuseToWrite, writerOf } from '../pending/writable.ts'
import {
  executeScenario,
  type ExecuteOptions,
  type Execution,
  type ScenarioProgress,
  type Seen,
} from '../run/execute.ts'
import type { Failure } from '../run/failure.ts'
import { serializeLines } from '../run/golden-file.ts'
import { compareOutputs, type Output } from '../run/goldens.ts'
import { isSessionLog, parseLog } from '../run/harvest.ts'
import { pinFor, type Pin } from '../run/header.ts'
import { judgeClaim, judgeRun } from '../run/judge.ts'
import { keepOutputs } from '../run/keep-outputs.ts'
import { blankLog, type SeamOptions } from '../run/seam.ts'
import { createHiding, secretsOfRun, type Hiding } from '../run/secret.ts'
import { scenarioFiles, type Scenario } from '../scenario/scenario.ts'
import { keepEqualLines } from './keep.ts'
import { judgeRecorded, mergeRecording, writeRecordingFile } from './recording.ts'
import { scrubLogLine } from './scrub.ts'
import { findLeaks, withoutSecrets } from './secret.ts'
import { judgeProvider, troublesOf, type Troubles } from './trouble.ts'

export type RecordOptions = {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  pins: ReadonlyMap<string, Pin>
  /** Where the transcript and stderr of the run are kept; null: nowhere. */
  outFolder: string | null
  onProgress?: (progress: ScenarioProgress) => void
}

/** What became of the model's part. */
export type Source = 'provider' | 'override' | 'authored' | 'none'

/** Names of files, and whether they have other contents than before. */
export type Kept = { written: string[]; unchanged: string[] }

export type RecordResult = Kept &
  Troubles & {
    scenario: string
    source: Source
    /** Why nothing was written. */
    failures: Failure[]
    stderr: string
  }

/**
 * Keys are there while a provider is asked, and agents and providers repeat them: none is told.
 * @throws RunproofError `environment` when the agent cannot be started.
 */
export async function recordScenario(
  scenario: Scenario,
  agent: AgentConfig,
  options: RecordOptions,
): Promise<RecordResult> {
  const secrets = await secretsOfRun(agent, options.env)
  const hiding = await createHiding(secrets)
  try {
    const result = await runAndWrite(scenario, agent, options, { secrets, hiding })
    return withoutSecrets(result, hiding)
  } catch (error) {
    throw hiding.error(error)
  }
}

async function runAndWrite(
  scenario: Scenario,
  agent: AgentConfig,
  options: RecordOptions,
  { secrets, hiding }: { secrets: readonly KnownSecret[]; hiding: Hiding },
): Promise<RecordResult> {
  const source = sourceOf(scenario, agent)
  const refusals = await refusalsOf(scenario, options.config)
  if (refusals.length > 0) {
    const nothing = { stderr: '', troubles: [], asides: [], written: [], unchanged: [] }
    return { scenario: scenario.name, source, ...nothing, failures: refusals }
  }
  const { outFolder } = options
  const keep = async (seen: Seen): Promise<void> => {
    if (outFolder === null) return
    // For its owner alone, as a recording.
    const own = { redact: hiding.lines, mode: 0o600 }
    await keepOutputs(join(outFolder, scenario.name), seen, [], own)
  }
  const seam = await seamFor(scenario, agent, source)
  const run = await execute(scenario, agent, { ...options, seam, onBroken: keep })
  await keep(run)
  const troubles = await troublesOf(run, agent)
  const result = { scenario: scenario.name, source, ...troubles, stderr: run.stderr }
  const nothing = { ...result, written: [], unchanged: [] }
  const failures = judgeRecord(scenario, agent, run, troubles.troubles)
  if (failures.length > 0) return { ...nothing, failures }

  const files = new Map([
    ...(agent.seam === 'session' ? await logFiles(scenario, run) : []),
    ...(await goldenFiles(scenario, agent, run, options)),
  ])
  const recording = await mergeRecording(scenario, agent, run, files.values())
  const leaks = await findLeaks(scenario, files, secrets)
  if (leaks.length > 0) {
    return { ...nothing, failures: [...judgeProvider(troubles.troubles), ...leaks] }
  }
  // First what may be refused.
  const saved = recording === null ? null : await writeRecordingFile(scenario, recording, secrets)
  if (saved !== null && 'failure' in saved) return { ...nothing, failures: [saved.failure] }
  const { written, unchanged } = await writeFiles(scenario, files)
  return {
    ...result,
    failures: [],
    written: [...(saved?.written ?? []), ...written],
    unchanged: [...(saved?.unchanged ?? []), ...unchanged],
  }
}

/** A script that was not asked for is played again if the agent, as it turned out, offers no tools at all. */
async function execute(
  scenario: Scenario,
  agent: AgentConfig,
  options: ExecuteOptions,
): Promise<Execution> {
  const run = await executeScenario(scenario, agent, options)
  const { unused = 0, neutralCalls = [] } = run.report ?? {}
  if (unused === 0 || neutralCalls.length === 0 || run.recorded === null) return run
  const { describeDemand } = await import('@runproof/replay')
  const { exchanges, wire } = run.recorded.recording
  if (exchanges.some(({ request }) => describeDemand(wire, request.body).tools)) return run
  return executeScenario(scenario, agent, { ...options, seam: { ...options.seam, toolless: true } })
}

/**
 * Why the run is not to be kept; first causes come first. A result that is not
 * accepted is kept, for the acceptance may be what is wrong; unless it is the
 * provider that failed.
 */
function judgeRecord(
  scenario: Scenario,
  agent: AgentConfig,
  run: Execution,
  troubles: readonly string[],
): Failure[] {
  const failures = [...judgeRecorded(run), ...judgeRun(scenario, agent, run)]
  if (troubles.length === 0) return failures
  const all = failures.length === 0 ? judgeClaim(scenario, run) : failures
  return all.length === 0 ? [] : [...judgeProvider(troubles), ...all]
}

/** Looked at before an agent is started and a provider paid: may the files be written at all? */
async function refusalsOf(
  { folder, files, childLogs }: Scenario,
  { root }: Config,
): Promise<Failure[]> {
  const { session, recording, stdout, progress, systemPrompt, toolSchemas } = files
  const written = [session, recording, stdout, progress, systemPrompt, toolSchemas, ...childLogs]
  const paths = written.filter((path) => path !== undefined)
  const reasons = await Promise.all(
    [join(folder, scenarioFiles.stdout), ...paths].map((path) => refuseToWrite(path, root)),
  )
  const reason = reasons.find((one) => one !== null) ?? null
  return reason === null ? [] : [{ code: 'guard', step: null, message: reason, details: [] }]
}

function sourceOf({ input, files }: Scenario, { seam }: AgentConfig): Source {
  if (seam === 'none') return 'none'
  if (files.override !== undefined) return 'override'
  return input.recorded === false ? 'authored' : 'provider'
}

/** An override that is a list stands for the whole script; patches need the log they patch. */
async function seamFor(
  { files }: Scenario,
  { seam }: AgentConfig,
  source: Source,
): Promise<Omit<SeamOptions, 'served'>> {
  // At the provider it is the recorder that is put in front of an override.
  if (source === 'provider' || seam === 'provider') return { mode: 'record' }
  const override: unknown =
    files.override === undefined ? null : JSON.parse(await readFile(files.override, 'utf8'))
  return { mode: 'replay', level: 'prompt', ignoresLog: Array.isArray(override) }
}

/** The agent's logs by file name; a script without a turn gets a header and no more. */
async function logFiles(scenario: Scenario, run: Execution): Promise<[string, string][]> {
  const logs = run.logs.filter(isSessionLog)
  const fresh = logs.length === 0 ? [parseLog(blankLog)] : logs
  const paths = [scenario.files.session, ...scenario.childLogs]
  const old = await Promise.all(
    fresh.map(async (_, index) => {
      const path = paths[index]
      return path === undefined ? null : parseLog(await readFile(path, 'utf8'))
    }),
  )
  const scrubbed = fresh.map((log) => ({ ...log, lines: log.lines.map(scrubLogLine) }))
  return keepEqualLines(old, scrubbed).map((lines, index): [string, string] => [
    index === 0 ? scenarioFiles.session : `session.${index}.jsonl`,
    serializeLines(lines),
  ])
}

/** Goldens that differ, or are not there yet. */
async function goldenFiles(
  scenario: Scenario,
  agent: AgentConfig,
  run: Execution,
  { pins }: RecordOptions,
): Promise<[string, string][]> {
  const pin = pinFor(scenario, pins)
  const outputs = await compareOutputs({ scenario, agent, execution: run }, pin)
  return outputs.flatMap(({ file, path, actual }: Output): [string, string][] =>
    writerOf(path) === 'review' && path === join(scenario.folder, file) && actual !== null
      ? [[file, serializeLines(actual)]]
      : [],
  )
}

async function writeFiles(
  { folder, childLogs }: Scenario,
  files: ReadonlyMap<string, string>,
): Promise<Kept> {
  const written: string[] = []
  const unchanged: string[] = []
  for (const [name, text] of files) {
    const path = join(folder, name)
    const before = await readFile(path, 'utf8').catch(() => null)
    if (before === text) unchanged.push(name)
    else {
      await writeAtomically(path, text)
      written.push(name)
    }
  }
  // Child sessions that the run did not have any more.
  const stale = childLogs.filter((path) => !files.has(path.slice(folder.length + 1)))
  await Promise.all(stale.map((path) => rm(path)))
  return { written, unchanged }
}
