/**
 * A fresh recording as it is put on disk: without what names this one run and
 * this machine, and with the calls marked optional that its agent's
 * configuration says may stay away.
 */
import { basename } from 'node:path'
import type { Exchange, Recording } from '@runproof/replay'
import type { ProviderConfig } from '../config/config.ts'
import { agentInfoOf } from '../transcript/agent-info.ts'
import { isRecord, type TranscriptLine } from '../transcript/line.ts'

export type RecordedRun = {
  provider: ProviderConfig
  /** Root of the run's folders. */
  root: string
  transcript: readonly TranscriptLine[]
}

/** What the folder of every recorded run is called; as long as its real name, so that cuts stay right. */
const recordedName = 'runproof-record'

export function finishRecording(
  fresh: Recording,
  { provider, root, transcript }: RecordedRun,
): Recording {
  const recording = renameRun(fresh, root)
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
    exchanges: recording.exchanges.map((one) => markOptional(withoutAgent(one, folder), provider)),
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

function markOptional(exchange: Exchange, { optional }: ProviderConfig): Exchange {
  const { body } = exchange.request
  const isOptional = optional.some(({ lastMessage, tools }) => {
    const fitsText = lastMessage === undefined || new RegExp(lastMessage, 'u').test(lastOf(body))
    return fitsText && (tools === undefined || tools === offersTools(body))
  })
  return isOptional ? { ...exchange, end: { ...exchange.end, optional: true } } : exchange
}

/** The JSON of the last message of a request, whatever its wire calls the list. */
function lastOf(body: unknown): string {
  if (!isRecord(body)) return ''
  const list = body['messages'] ?? body['input'] ?? body['contents']
  return JSON.stringify(Array.isArray(list) ? list.at(-1) : (list ?? ''))
}

function offersTools(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body['tools']) && body['tools'].length > 0
}
