/**
 * A fresh recording on its way to `recording.jsonl`: without what names this one
 * run and this machine, with the calls marked optional that its agent's
 * configuration says may stay away, and never with a secret.
 */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { KnownSecret } from '@runproof/replay/redact'
import type { describeDemand, Exchange, Recording } from '@runproof/replay'
import type { AgentConfig, ProviderConfig } from '../config/config.ts'
import type { Execution } from '../run/execute.ts'
import type { Failure } from '../run/failure.ts'
import { scenarioFiles, type Scenario } from '../scenario/scenario.ts'
import { agentInfoOf } from '../transcript/agent-info.ts'
import { isRecord } from '../transcript/line.ts'
import { visible } from '../visible.ts'
import type { Kept } from './record.ts'

/** What the folder of every recorded run is called; as long as its real name, so that cuts stay right. */
const recordedName = 'runproof-record'

/** What went wrong more often is the same again. */
const problemsShownMax = 3

/** An exchange that is not in the recording could never be replayed. */
export function judgeRecorded({ recorded }: Execution): Failure[] {
  const [first, ...others] = recorded?.problems ?? []
  if (first === undefined) return []
  const more = others.length - problemsShownMax
  return [
    {
      code: 'recording',
      step: null,
      message: `not written, for the recording is not whole: ${visible(first)}`,
      details: [
        ...others.slice(0, problemsShownMax).map(visible),
        ...(more > 0 ? [`and ${more} more`] : []),
      ],
    },
  ]
}

/**
 * The exchanges with the provider as they replace those of before; null for agents without any.
 * @param goldens of the same run: a replay must lead to them.
 */
export async function mergeRecording(
  { files }: Scenario,
  { provider }: AgentConfig,
  run: Execution,
  goldens: Iterable<string>,
): Promise<Recording | null> {
  const { recorded } = run
  if (recorded === null || provider === null) return null
  const { describeDemand, parseRecording, updateRecording } = await import('@runproof/replay')
  const text = files.recording === undefined ? '' : await readFile(files.recording, 'utf8')
  const before = parseRecording(text).recording
  const after = finishRecording(recorded.recording, provider, run, describeDemand)
  return before === null ? after : updateRecording(before, after, { shown: [...goldens] })
}

/** For its owner alone, and never with a secret. */
export async function writeRecordingFile(
  { folder }: Scenario,
  recording: Recording,
  secrets: readonly KnownSecret[],
): Promise<Kept | { failure: Failure }> {
  const { ReplayError, serializeRecording } = await import('@runproof/replay')
  const { writeRecording } = await import('@runproof/replay/recorder')
  const name = scenarioFiles.recording
  const path = join(folder, name)
  const before = await readFile(path, 'utf8').catch(() => null)
  if (before === serializeRecording(recording)) return { written: [], unchanged: [name] }
  try {
    await writeRecording(path, recording, { secrets })
    return { written: [name], unchanged: [] }
  } catch (error) {
    if (!ReplayError.is(error)) throw error
    const message = visible(error.message.replaceAll(`${folder}/`, ''))
    return { failure: { code: 'recording', step: null, message, details: [] } }
  }
}

/**
 * Marks exchanges optional that a replay has not asked for while all else was
 * as recorded: they come by chance.
 */
export async function learnOptionalExchanges(
  scenario: Scenario,
  unused: readonly number[],
  secrets: readonly KnownSecret[],
): Promise<void> {
  const { learnOptional, parseRecording } = await import('@runproof/replay')
  const { writeRecording } = await import('@runproof/replay/recorder')
  const path = join(scenario.folder, scenarioFiles.recording)
  const { recording } = parseRecording(await readFile(path, 'utf8'))
  if (recording === null) throw new TypeError(`${path} is no recording`)
  const asked = recording.exchanges.filter(({ n }) => !unused.includes(n))
  const learned = learnOptional(recording, { ...recording, exchanges: asked })
  await writeRecording(path, learned, { secrets })
}

function finishRecording(
  fresh: Recording,
  provider: ProviderConfig,
  { folders, transcript }: Execution,
  describe: typeof describeDemand,
): Recording {
  const recording = renameRun(fresh, folders.root)
  const { agent, upstream, ...context } = recording.provenance
  const folder = typeof agent === 'string' ? agent : null
  const program = agentInfoOf(transcript)
  return {
    ...recording,
    provenance: {
      // Where an emulator listened says nothing.
      ...(recording.source === 'live' && { upstream }),
      ...context,
      ...(program !== null && { program }),
    },
    exchanges: recording.exchanges.map((one) =>
      markOptional(withoutAgent(one, folder), provider, describe),
    ),
  }
}

/** The random name of the run's folder, in paths and in names made of them, becomes a fixed one. */
function renameRun(recording: Recording, root: string): Recording {
  const name = basename(root)
  if (name.length !== recordedName.length) return recording
  const renamed: Recording = JSON.parse(JSON.stringify(recording).replaceAll(name, recordedName))
  return renamed
}

/** Where the agent is installed is the machine's own affair. */
function withoutAgent(exchange: Exchange, folder: string | null): Exchange {
  if (folder === null) return exchange
  const escaped = JSON.stringify(folder).slice(1, -1)
  const text = JSON.stringify(exchange.request).replaceAll(escaped, '{{agent}}')
  const request: Exchange['request'] = JSON.parse(text)
  return { ...exchange, request }
}

function markOptional(
  exchange: Exchange,
  { wire, optional }: ProviderConfig,
  describe: typeof describeDemand,
): Exchange {
  const { body } = exchange.request
  const demand = describe(wire, body)
  const isOptional = optional.some(({ lastMessage, tools, schema }) => {
    const fitsText = lastMessage === undefined || new RegExp(lastMessage, 'u').test(lastOf(body))
    const fitsTools = tools === undefined || tools === demand.tools
    return fitsText && fitsTools && (schema === undefined || schema === demand.schema)
  })
  return isOptional ? { ...exchange, end: { ...exchange.end, optional: true } } : exchange
}

/** The JSON of the last message of a request, whatever its wire calls the list. */
function lastOf(body: unknown): string {
  if (!isRecord(body)) return ''
  const list = body['messages'] ?? body['input'] ?? body['contents']
  return JSON.stringify(Array.isArray(list) ? list.at(-1) : (list ?? ''))
}
