/** Recordings built from what a model says, on every wire. */
import { wires, type SseEvent, type StreamChunk, type WireName } from '@runproof/llm'
import type { Exchange, Recording } from '@runproof/replay'

/** What a model says, in pieces as it streams them. */
export type Said = {
  text?: readonly string[]
  reasoning?: readonly string[]
  argument?: readonly string[]
}

/** The chunks of one answer; `argument` are the pieces of a tool call's only argument, a JSON text. */
export function chunksOf({ text = [], reasoning = [], argument = [] }: Said): StreamChunk[] {
  const chunks: StreamChunk[] = []
  const block = (blockType: 'text' | 'reasoning', pieces: readonly string[]): void => {
    const index = chunks.length
    if (pieces.length === 0) return
    chunks.push({ type: 'block-start', index, blockType })
    for (const piece of pieces) chunks.push({ type: `${blockType}-delta`, index, text: piece })
    chunks.push({ type: 'block-end', index, block: { type: blockType, text: pieces.join('') } })
  }
  block('reasoning', reasoning)
  block('text', text)
  if (argument.length > 0) {
    const index = chunks.length
    const call = { id: 'call_1', name: 'run' }
    chunks.push({ type: 'block-start', index, blockType: 'tool-call' })
    for (const argumentsDelta of argument) {
      chunks.push({ type: 'tool-call-delta', index, ...call, argumentsDelta })
    }
    const whole = { type: 'tool-call' as const, ...call, arguments: argument.join('') }
    chunks.push({ type: 'block-end', index, block: whole })
  }
  const kind = argument.length > 0 ? 'tool-calls' : 'stop'
  return [...chunks, { type: 'finish', reason: { kind } }]
}

export const eventsOf = (wire: WireName, said: Said): SseEvent[] =>
  wires[wire].encode(chunksOf(said))

/** What a decoder reads from recorded events. */
export function read(
  wire: WireName,
  events: Exchange['events'],
): Required<Record<keyof Said, string>> {
  const decoder = wires[wire].createDecoder()
  const chunks = events.flatMap(({ data, event = 'message', id = '' }) =>
    decoder.push({ data, event, id }),
  )
  chunks.push(...decoder.end())
  const said = { text: '', reasoning: '', argument: '' }
  for (const chunk of chunks) {
    if (chunk.type === 'text-delta') said.text += chunk.text
    if (chunk.type === 'reasoning-delta') said.reasoning += chunk.text
    if (chunk.type === 'tool-call-delta') said.argument += chunk.argumentsDelta
  }
  return said
}

type Parts = {
  body?: unknown
  path?: string
  headers?: Record<string, string>
  events?: readonly SseEvent[]
  responseBody?: string
  end?: Exchange['end']
}

export function exchangeOf(n: number, parts: Parts): Exchange {
  return {
    n,
    request: {
      method: 'POST',
      path: parts.path ?? '/v1/chat/completions',
      headers: {},
      key: '',
      body: parts.body ?? {},
    },
    response: { status: 200, headers: parts.headers ?? {} },
    events: (parts.events ?? []).map(({ event, data }) => ({
      dtMs: 0,
      ...(event === 'message' ? {} : { event }),
      data,
    })),
    body: parts.responseBody ?? null,
    end: parts.end ?? { kind: 'eof' },
  }
}

export function recordingOf(wire: WireName, exchanges: Exchange[]): Recording {
  return { version: 1, wire, source: 'authored', provenance: {}, exchanges }
}

/** The text cut at these places. */
export function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [
    0,
    ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b),
    text.length,
  ]
  return cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut))
}
