/**
 * Tables of unusual streams: what comes, and what a caller gets.
 */
import { assembleMessage, wires, type WireName } from '@runproof/llm'
import { expect, it } from 'vitest'
import { decode, done, payload } from './responses.ts'

export type OddStream = {
  title: string
  payloads: object[]
  finish: object
  content?: object[]
  state?: object
  /** Null: none. */
  usage?: object | null
}

export const text = (value: string): object => ({ type: 'text', text: value })
export const stop: object = { kind: 'stop' }
export const malformed: object = { kind: 'error', code: 'MALFORMED_RESPONSE' }
export const empty: object = { kind: 'error', code: 'EMPTY_RESPONSE' }
export const closed: object = { kind: 'error', code: 'STREAM_CLOSED' }

/** One test a row: the message of its payloads, on the wire. */
export function testOddStreams(name: WireName, rows: readonly OddStream[]): void {
  it.each(rows)(`${name}: $title`, ({ payloads, finish, content, state, usage }) => {
    const isChat = name === 'openai-chat' || name === 'deepseek'
    const events = [...payloads.map(payload), ...(isChat ? [done] : [])]
    const message = assembleMessage(decode(wires[name], events))
    expect(message.finish).toMatchObject(finish)
    if (content) expect(message.content).toMatchObject(content)
    if (content) expect(message.content).toHaveLength(content.length)
    if (usage !== undefined) expect(message.usage ?? null).toEqual(usage)
    if (state) expect(message.replayState).toMatchObject(state)
  })
}
