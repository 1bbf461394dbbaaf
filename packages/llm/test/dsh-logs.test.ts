/**
 * Real session logs of the DeepSeek Harness: their model calls are well-formed
 * streams, and the deepseek wire carries them without any change.
 */
import { assembleMessage, checkChunks, wires, type StreamChunk } from '@runproof/llm'
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { decode, dshRoot, hasShared, readLines, sharedNote } from './support/responses.ts'

type Call = { name: string; chunks: StreamChunk[]; message: { content?: unknown; usage?: unknown } }

function callsOf(scenario: string): Call[] {
  const file = `${dshRoot}/${scenario}/session.jsonl`
  const calls = new Map<string, Call>()
  for (const line of existsSync(file) ? readLines(file) : []) {
    if (line === '') continue
    const { type, data } = JSON.parse(line)
    if (type !== 'assistant/chunk' && type !== 'assistant/message') continue
    const name = `${scenario} ${data.turn}.${data.step}`
    const call = calls.get(name) ?? { name, chunks: [], message: {} }
    calls.set(name, call)
    if (type === 'assistant/chunk') call.chunks.push(data.chunk)
    else call.message = { content: data.content, usage: data.usage }
  }
  // A call that was cancelled has no finish; those are prefixes.
  return [...calls.values()].filter(({ chunks }) => chunks.at(-1)?.type === 'finish')
}

const calls = hasShared ? readdirSync(dshRoot).flatMap(callsOf) : []

describe.skipIf(!hasShared)(`logs of the DeepSeek Harness${sharedNote}`, () => {
  it('are there', () => expect(calls.length).toBeGreaterThan(20))

  it.each(calls)('$name', ({ chunks, message }) => {
    expect(checkChunks(chunks)).toEqual([])
    const { deepseek } = wires
    expect(decode(deepseek, deepseek.encode(chunks))).toEqual(chunks)
    expect(assembleMessage(chunks)).toMatchObject(message)
  })
})
