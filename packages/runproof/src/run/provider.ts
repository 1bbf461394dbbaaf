/**
 * What stands for the provider of an agent while a scenario runs.
 *
 * Replay: an emulator that answers from `recording.jsonl`. Record: a recorder
 * in front of the real provider; or, for a scenario whose model is scripted, in
 * front of an emulator that plays `replay.override.json`, whose answers a
 * recording then holds like those of any provider.
 */
import { readFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import type { Recording, RunContext } from '@runproof/replay'
import type { Emulator, EmulatorOptions, EmulatorRecording } from '@runproof/replay/emulator'
import type { Recorder, RecorderOptions } from '@runproof/replay/recorder'
import type { BodyRedactor, KnownSecret } from '@runproof/replay/redact'
import type { AgentConfig, ProviderConfig } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import type { RunFolders } from '../launch/folders.ts'
import { scenarioFiles, type Scenario } from '../scenario/scenario.ts'
import { isRecord } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import type { Mode, ReplayReport } from './seam.ts'
import { secretsOfRun } from './secret.ts'

export type Provider = {
  /** Base URL for the agent, without a path. */
  url: string
  /** Whether a real provider is asked. */
  isLive: boolean
  /** The key for the agent: real only where a real provider is asked. */
  key: string
  /** What was served so far; null while recording. */
  report(): ReplayReport | null
  /** Ends every connection. @returns what was recorded, null after a replay. */
  close(): Promise<Recorded | null>
}

/** What crossed between an agent and its provider. */
export type Recorded = {
  recording: Recording
  /** What went wrong that the recording cannot show, a sentence each. */
  problems: readonly string[]
}

export type ProviderOptions = {
  mode: Mode
  /** Of a script: whether calls without tools are the agent's own. */
  toolless: boolean
  /** Folder that the agent is installed in, where it is known. */
  agentFolder: string | null
  env: Readonly<Record<string, string | undefined>>
  /** Called for each request of the agent. */
  onRequest: () => void
}

/** What an agent gets for a key where nobody looks at it. */
const replayKey = 'no-key-is-needed-in-a-replay'

/** Where the recorded agent said its key, one in a replay says what it got for one. */
const replaySecret: KnownSecret = { name: 'key of the replay', value: replayKey }

/**
 * @throws RunproofError `environment` when recording lacks what it needs, `unreadable` for a recording or
 * a script that cannot be served; so does `close` for one that may not be written.
 */
export async function openProvider(
  scenario: Scenario,
  agent: AgentConfig,
  folders: RunFolders,
  options: ProviderOptions,
): Promise<Provider | null> {
  const { provider } = agent
  if (agent.seam !== 'provider' || provider === null) return null
  const context = contextOf(provider, folders, options.agentFolder)
  const secrets = await secretsOfRun(agent, options.env)
  const open = (): Promise<Provider> => {
    if (options.mode === 'replay') return openReplay(scenario, context, secrets, options)
    return scenario.files.override === undefined
      ? recordLive(agent, provider, { context, secrets }, options)
      : recordScript(scenario, provider, { context, secrets }, options)
  }
  const opened = await explain(open())
  return { ...opened, close: () => explain(opened.close()) }
}

/** What a replay refuses is told as what a command stops for. */
async function explain<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ReplayError') throw error
    throw new RunproofError('unreadable', error.message.split('\n').map(visible).join('\n'))
  })
}

/** What requests of this run hold that those of another one do not. */
function contextOf(
  { mask }: ProviderConfig,
  { cwd, home, tmp }: RunFolders,
  agentFolder: string | null,
): RunContext {
  return { cwd, home, temp: tmp, masks: mask, ...(agentFolder !== null && { agent: agentFolder }) }
}

async function openReplay(
  { files, folder }: Scenario,
  context: RunContext,
  secrets: readonly KnownSecret[],
  { onRequest }: ProviderOptions,
): Promise<Provider> {
  const { recording } = files
  if (recording === undefined) {
    throw new RunproofError('unreadable', `${folder} has no ${scenarioFiles.recording}`)
  }
  const text = await readFile(recording, 'utf8')
  const recordings = [recording]
  const redact = await createRequestRedactor(secrets)
  const { emulator, report } = await startEmulator({ recordings, context, redact, onRequest })
  return {
    url: emulator.url,
    isLive: false,
    key: replayKey,
    report: () => ({ ...report(), recordedWith: recordedVersion(text) }),
    async close() {
      await emulator.close()
      return null
    },
  }
}

/**
 * A live request has a secret where the recorded one has `{{secret:1}}`; and a
 * request that was not recorded is told, so it must not hold one either.
 */
async function createRequestRedactor(secrets: readonly KnownSecret[]): Promise<BodyRedactor> {
  const { createBodyRedactor } = await import('@runproof/replay/redact')
  return createBodyRedactor([...secrets, replaySecret])
}

/** The version of the agent that a recording was made with, or null when it does not say. */
function recordedVersion(text: string): string | null {
  const header: unknown = JSON.parse(text.split('\n', 1)[0] ?? '')
  const program = isRecord(header) ? header['program'] : undefined
  return isRecord(program) && typeof program['version'] === 'string' ? program['version'] : null
}

async function recordScript(
  scenario: Scenario,
  { wire }: ProviderConfig,
  given: RecorderContext,
  { onRequest, toolless }: ProviderOptions,
): Promise<Provider> {
  const { context } = given
  const secrets = [...given.secrets, replaySecret]
  const recordings = [await readScript(scenario, wire, context)]
  const auxiliary = toolless ? 'answer-schema' : 'answer'
  const model = await startEmulator({ recordings, context, onRequest, auxiliary })
  const recorder = await openRecorder(
    { context, secrets, upstream: model.emulator.url, wire },
    // A script has no times of its own: the same script gives the same recording.
    { clock: () => 0, source: 'emulated' },
  )
  return {
    url: recorder.url,
    isLive: false,
    key: replayKey,
    report: model.report,
    async close() {
      const recorded = await closeRecorder(recorder)
      await model.emulator.close()
      return recorded
    },
  }
}

async function startEmulator(
  options: EmulatorOptions,
): Promise<{ emulator: Emulator; report: () => ReplayReport }> {
  const { createEmulator } = await import('@runproof/replay/emulator')
  let served = 0
  const neutralCalls: string[] = []
  const emulator = await createEmulator({
    ...options,
    onRequest(request) {
      if (request.exchange !== undefined) served++
      if (request.outcome === 'auxiliary') neutralCalls.push(`${request.method} ${request.path}`)
      options.onRequest?.(request)
    },
  })
  const report = (): ReplayReport => {
    const unused = emulator.unused()
    return {
      served,
      unused: unused.length,
      // A call of a script has no path: nobody knows the request that will ask for it.
      unusedCalls: unused.map(({ exchange: n, method, path }) => ({
        n,
        words: path === '' ? `call ${n} of the script` : `exchange ${n}, ${method} ${path}`,
      })),
      neutralCalls,
      misses: emulator.misses.map(({ code, message }) => ({ code, message })),
    }
  }
  return { emulator, report }
}

/** The override, placed in the turns of the scenario; it may name the run's folders: `{{cwd}}`. */
async function readScript(
  { files, input }: Scenario,
  wire: ProviderConfig['wire'],
  { cwd = '', home = '', temp = '' }: RunContext,
): Promise<EmulatorRecording> {
  const { placeScript } = await import('../record/script.ts')
  const file = files.override ?? ''
  const text = (await readFile(file, 'utf8'))
    .replaceAll('{{cwd}}', cwd)
    .replaceAll('{{home}}', home)
    .replaceAll('{{temp}}', temp)
  const { log, override } = placeScript(text, file, input.steps)
  return { session: { file, text: log }, override: { file, text: override }, wire }
}

async function recordLive(
  { name }: AgentConfig,
  { upstream, key, wire }: ProviderConfig,
  given: RecorderContext,
  options: ProviderOptions,
): Promise<Provider> {
  if (upstream === null) {
    throw new RunproofError(
      'usage',
      `agent ${name}: to record, say where its provider is: "provider: {upstream: https://…}" in runproof.yml`,
    )
  }
  const value = key === null ? '' : options.env[key]
  if (value === undefined || (key !== null && value === '')) {
    throw new RunproofError(
      'environment',
      `recording ${name} asks ${upstream}, which needs a key: set ${key}, or script the model with replay.override.json`,
    )
  }
  const recorder = await openRecorder(
    { ...given, upstream, wire },
    { clock: () => performance.now(), source: 'live' },
  )
  return {
    url: recorder.url,
    isLive: true,
    key: value,
    report: () => null,
    close: () => closeRecorder(recorder),
  }
}

async function closeRecorder(recorder: Recorder): Promise<Recorded> {
  const recording = await recorder.close()
  return { recording, problems: recorder.problems }
}

type RecorderContext = { context: RunContext; secrets: readonly KnownSecret[] }

async function openRecorder(
  given: Pick<RecorderOptions, 'upstream' | 'wire'> & RecorderContext,
  times: Pick<RecorderOptions, 'clock' | 'source'>,
): Promise<Recorder> {
  const { createRecorder } = await import('@runproof/replay/recorder')
  const { context, ...options } = given
  return createRecorder({ ...options, ...times, provenance: { ...context } })
}
