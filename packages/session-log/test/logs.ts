/** The logs the tests run over: our own fixtures, and the DeepSeek Harness's where they are at hand. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { parseSessionLog } from '@runproof/session-log'
import type { SessionEvent, SessionHeader } from '@runproof/session-log'

export type NamedLog = { name: string; text: string }

const fixtures = new URL('../../../fixtures/session-log/', import.meta.url)
const recordings = new URL('../../../../shared/recordings/deepseek-harness/', import.meta.url)

export const hasRecordings: boolean = existsSync(recordings)

/** For a describe title: why its tests are skipped, when they are. */
export const recordingsNote: string = hasRecordings
  ? ''
  : ' (skipped: ../shared/recordings is not here)'

export function fixtureText(name: string): string {
  return readFileSync(new URL(`${name}.jsonl`, fixtures), 'utf8')
}

export function fixtureLog(name: string): { header: SessionHeader; events: SessionEvent[] } {
  const { header, events, issue } = parseSessionLog(fixtureText(name))
  if (header === null || issue !== null) throw new Error(`fixture ${name} is not a sound log`)
  return { header, events }
}

export const ownLogs: NamedLog[] = [
  'two-turns',
  'crashed-in-tool',
  'compacted',
  'next-generation-header',
].map((name) => ({ name, text: fixtureText(name) }))

export const realLogs: NamedLog[] = hasRecordings
  ? readdirSync(recordings, { recursive: true, encoding: 'utf8' })
      .filter((path) => /session(\.\d+)?\.jsonl$/.test(path))
      .toSorted()
      .map((name) => ({ name, text: readFileSync(new URL(name, recordings), 'utf8') }))
  : []
