/**
 * The responses that the laws are checked on: our own fixtures always, the
 * shared recordings of real providers when they are there.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  wireNames,
  wires,
  type SseEvent,
  type StreamChunk,
  type Wire,
  type WireName,
} from '@runproof/llm'

export type RecordedResponse = { wire: WireName; name: string; events: SseEvent[] }

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const fixtureRoot = at('../../../../fixtures/llm')
const sharedRoot = at('../../../../../shared/recordings')

export const hasShared: boolean = existsSync(sharedRoot)

/** Reason in the name of what is skipped without the shared folder. */
export const sharedNote: string = hasShared ? '' : ' (skipped: ../shared is not there)'

export function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n')
}

export function fixture(wire: WireName, name: string): SseEvent[] {
  return wires[wire].readPayloads(readLines(`${fixtureRoot}/${wire}/${name}.jsonl`))
}

export function fixtureNames(wire: WireName): string[] {
  return namesIn(`${fixtureRoot}/${wire}`)
}

export const fixtures: RecordedResponse[] = wireNames.flatMap((wire) =>
  fixtureNames(wire).map((name) => ({ wire, name, events: fixture(wire, name) })),
)

export function shared(wire: WireName, name: string): SseEvent[][] {
  const folder = wire === 'gemini' ? 'google' : wire
  return splitResponses(
    wires[wire].readPayloads(readLines(`${sharedRoot}/${folder}/${name}.jsonl`)),
  )
}

export const sharedResponses: RecordedResponse[] = hasShared
  ? wireNames.flatMap((wire) =>
      namesIn(`${sharedRoot}/${wire === 'gemini' ? 'google' : wire}`).flatMap((name) =>
        shared(wire, name).map((events, index) => ({ wire, name: `${name}#${index + 1}`, events })),
      ),
    )
  : []

export const dshRoot: string = `${sharedRoot}/deepseek-harness`

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.slice(0, -'.jsonl'.length))
    .toSorted()
}

/** Some recordings hold the responses of several requests, one after the other. */
function splitResponses(events: SseEvent[]): SseEvent[][] {
  const responses: SseEvent[][] = []
  let isOver = true
  for (const event of events) {
    const isStart = event.event === 'response.created' || event.event === 'message_start'
    if (responses.length === 0 || (isOver && isStart)) responses.push([])
    responses.at(-1)?.push(event)
    isOver = isStart ? false : isOver || isTerminal(event)
  }
  return responses
}

/** Whether the wire's own end is in this event, told without a decoder. */
export function isTerminal({ event, data }: SseEvent): boolean {
  return (
    data === '[DONE]' ||
    ['message_stop', 'error', 'response.completed', 'response.incomplete'].includes(event) ||
    event === 'response.failed' ||
    /^\{"error":|"finishReason":/.test(data)
  )
}

export function decode(wire: Wire, events: readonly SseEvent[]): StreamChunk[] {
  const decoder = wire.createDecoder()
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
}

/** One event of payload JSON, named as a recording's reader would. */
export function payload(value: object): SseEvent {
  const type = 'type' in value && typeof value.type === 'string' ? value.type : 'message'
  return { event: type, data: JSON.stringify(value), id: '' }
}

export const done: SseEvent = { event: 'message', data: '[DONE]', id: '' }
