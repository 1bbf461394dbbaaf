/**
 * Laws that hold for every response of every wire: our fixtures, and the real
 * recordings when they are there.
 */
import { assembleMessage, checkChunks, wireNames, wires } from '@runproof/llm'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  decode,
  fixtureNames,
  fixtures,
  hasShared,
  isTerminal,
  sharedNote,
  sharedResponses,
  type RecordedResponse,
} from './support/responses.ts'

const cases: RecordedResponse[] = [...fixtures, ...sharedResponses]

describe.each(cases)('$wire: $name', ({ wire: name, events }) => {
  const wire = wires[name]
  const chunks = decode(wire, events)

  it('decodes to a well-formed stream with one terminal chunk', () => {
    expect(checkChunks(chunks)).toEqual([])
    expect(chunks.filter((chunk) => chunk.type === 'finish')).toHaveLength(1)
    expect(chunks.at(-1)?.type).toBe('finish')
  })

  it('is the same after encoding and decoding', () => {
    expect(decode(wire, wire.encode(chunks))).toEqual(chunks)
  })

  it('cut before its end, ends in STREAM_CLOSED and nothing else', () => {
    const end = events.findIndex(isTerminal)
    const endings = Array.from({ length: end }, (_, length) =>
      decode(wire, events.slice(0, length)).filter((chunk) => chunk.type === 'finish'),
    )
    expect(endings).toHaveLength(end)
    for (const finishes of endings) {
      expect(finishes).toMatchObject([{ reason: { kind: 'error', code: 'STREAM_CLOSED' } }])
    }
  })

  it('cut, keeps no tool call and encodes again or is refused by name', () => {
    const cut = decode(wire, events.slice(0, events.findIndex(isTerminal) >> 1))
    expect(assembleMessage(cut)).toMatchObject({ interrupted: true })
    expect(assembleMessage(cut).content.map(({ type }) => type)).not.toContain('tool-call')
    try {
      expect(assembleMessage(decode(wire, wire.encode(cut)))).toEqual(assembleMessage(cut))
    } catch (error) {
      expect(error).toMatchObject({ name: 'LlmError', code: 'UNSUPPORTED_CONTENT' })
    }
  })

  it('survives JSON: chunks are plain data', () => {
    expect(JSON.parse(JSON.stringify(chunks))).toEqual(chunks)
  })
})

it.skipIf(!hasShared)(`covers the shared recordings of every wire${sharedNote}`, () => {
  expect(new Set(sharedResponses.map(({ wire }) => wire))).toEqual(new Set(wireNames))
})

/** The same short stories, told by every provider. */
const stories: Record<string, { content: unknown[]; finish: unknown; usage?: unknown }> = {
  'text-turn': {
    content: [{ type: 'text', text: 'The build is green ✅.' }],
    finish: { kind: 'stop' },
    usage: { inputTokens: 10, outputTokens: 6, cacheReadTokens: 32 },
  },
  reasoning: {
    content: [
      { type: 'reasoning', text: 'Exit code 0 means success.' },
      { type: 'text', text: 'It passed.' },
    ],
    finish: { kind: 'stop' },
    usage: { inputTokens: 50, outputTokens: 12 },
  },
  'tool-call': {
    content: [
      {
        type: 'tool-call',
        id: 'call_a1',
        name: 'read_file',
        arguments: '{"path":"notes/today.md"}',
      },
    ],
    finish: { kind: 'tool-calls' },
    usage: { inputTokens: 60, outputTokens: 14 },
  },
  'parallel-tool-calls': {
    content: [
      { type: 'text', text: 'Looking.' },
      { type: 'tool-call', id: 'call_a1', name: 'read_file', arguments: '{"path":"a.txt"}' },
      { type: 'tool-call', id: 'call_b2', name: 'list_dir', arguments: '{"path":"src"}' },
    ],
    finish: { kind: 'tool-calls' },
    usage: { inputTokens: 70, outputTokens: 30 },
  },
  'max-tokens': {
    content: [{ type: 'text', text: 'One, two, thr' }],
    finish: { kind: 'max-tokens' },
    usage: { inputTokens: 20, outputTokens: 5 },
  },
  'content-filter': {
    content: [{ type: 'text', text: 'Here is' }],
    finish: { kind: 'content-filter' },
    usage: { inputTokens: 20, outputTokens: 2 },
  },
  refusal: {
    content: [],
    finish: { kind: 'refusal', message: "I can't help with that." },
    usage: { inputTokens: 20, outputTokens: 7 },
  },
  pause: { content: [], finish: { kind: 'pause' }, usage: { inputTokens: 20, outputTokens: 9 } },
  'error-mid-stream': {
    content: [{ type: 'text', text: 'Half an' }],
    finish: { kind: 'error', code: 'SERVER', message: 'The server is overloaded, try again later' },
  },
}

describe.each(fixtures)('our story $name as $wire tells it', ({ wire, name, events }) => {
  it('reads the same on every wire', () => {
    const message = assembleMessage(decode(wires[wire], events))
    expect(message).toMatchObject(stories[name] ?? {})
    expect(message.content).toHaveLength(stories[name]?.content.length ?? -1)
    expect('usage' in message).toBe(stories[name]?.usage !== undefined)
  })
})

describe.each(wireNames)('fixtures of %s', (wire) => {
  it('are what their provenance says, and none is unregistered', () => {
    const folder = new URL(`../../../fixtures/llm/${wire}/`, import.meta.url)
    const provenance: { recorded: boolean; files: Record<string, { sha256: string }> } = JSON.parse(
      readFileSync(new URL('provenance.json', folder), 'utf8'),
    )
    expect(provenance.recorded).toBe(false)
    const sums = fixtureNames(wire).map((name): [string, string] => {
      const bytes = readFileSync(new URL(`${name}.jsonl`, folder))
      return [`${name}.jsonl`, createHash('sha256').update(bytes).digest('hex')]
    })
    expect(Object.fromEntries(sums)).toEqual(
      Object.fromEntries(
        Object.entries(provenance.files).map(([file, { sha256 }]) => [file, sha256]),
      ),
    )
  })
})
