/** Scenario folders the tests run over: our own, and the DeepSeek Harness's where they are at hand. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadReplayScript } from '@runproof/replay'
import type { Replay, ReplayScript } from '@runproof/replay'
import type { LlmMessage, StreamChunk } from '@runproof/llm'
import { deriveHistory } from '@runproof/session-log'

const fixtures = new URL('../../../fixtures/replay/', import.meta.url)
const recordings = new URL('../../../../shared/recordings/deepseek-harness/', import.meta.url)

export const hasRecordings: boolean = existsSync(recordings)

/** For a describe title: why its tests are skipped, when they are. */
export const recordingsNote: string = hasRecordings
  ? ''
  : ' (skipped: ../shared/recordings is not here)'

export type Scenario = { name: string; script: ReplayScript }

export function fixtureFile(path: string): string {
  return fileURLToPath(new URL(path, fixtures))
}

function load(folder: URL, log: string): ReplayScript {
  const read = (name: string): { file: string; text: string } => {
    const url = new URL(name, folder)
    return { file: fileURLToPath(url), text: readFileSync(url, 'utf8') }
  }
  const hasOverride = log === 'session.jsonl' && existsSync(new URL('replay.override.json', folder))
  return loadReplayScript(read(log), hasOverride ? read('replay.override.json') : undefined)
}

/** A script of our own fixtures, with its override if there is one. */
export function fixtureScript(name: string, log = 'session.jsonl'): ReplayScript {
  return load(new URL(`${name}/`, fixtures), log)
}

export const realScenarios: Scenario[] = hasRecordings
  ? readdirSync(recordings, { recursive: true, encoding: 'utf8' })
      .filter((path) => /session(\.\d+)?\.jsonl$/.test(path))
      .toSorted()
      .map((path) => {
        const [name = '', log = ''] = path.split(/[/\\]/)
        return { name: path, script: load(new URL(`${name}/`, recordings), log) }
      })
  : []

/** The messages the recorded call was made with. */
export function messagesOf(script: ReplayScript, call: number): LlmMessage[] {
  const { eventCount } = script.recorded[call] ?? { eventCount: 0 }
  return deriveHistory(script.events.slice(0, eventCount))
}

/** All chunks of one request. */
export async function collect(
  replay: Replay,
  messages: readonly unknown[],
  sessionId?: string,
): Promise<StreamChunk[]> {
  const request = { messages, ...(sessionId === undefined ? {} : { sessionId }) }
  return drain(replay.stream(request))
}

/** All values of a stream. */
export async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const values: T[] = []
  for await (const value of stream) values.push(value)
  return values
}

export function user(text: string): LlmMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}
