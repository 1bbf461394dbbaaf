/** Folders in answers, however a model spelled them over its deltas. */
import { assembleMessage, wireNames, wires, type StreamChunk, type WireName } from '@runproof/llm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeFolders } from '../../src/emulator/folders.ts'
import type { Exchange } from '../../src/recording/recording.ts'

const recorded = { cwd: '/tmp/then/workspace', home: '/tmp/then/home' }
const live = { cwd: '/var/folders/x1/now-and-longer/workspace', home: '/h' }

/** The answer of a model that says a text and calls a tool, each delta a piece. */
function exchangeOf(wire: WireName, chunks: readonly StreamChunk[]): Exchange {
  return {
    n: 1,
    request: { method: 'POST', path: '/', headers: {}, key: '', body: null },
    response: { status: 200, headers: {} },
    events: wires[wire].encode(chunks).map(({ event, data }) => ({ dtMs: 0, event, data })),
    body: null,
    end: { kind: 'eof' },
  }
}

function chunksOf(text: readonly string[], args: readonly string[]): StreamChunk[] {
  const call = { id: 'call_1', name: 'read' }
  return [
    ...text.map((piece): StreamChunk => ({ type: 'text-delta', index: 0, text: piece })),
    ...args.map((argumentsDelta): StreamChunk => ({
      type: 'tool-call-delta',
      index: 1,
      ...call,
      argumentsDelta,
    })),
    { type: 'finish', reason: { kind: 'tool-calls' } },
  ]
}

function saidIn(wire: WireName, { events }: Exchange): unknown {
  const decoder = wires[wire].createDecoder()
  const chunks = events.flatMap(({ event = 'message', data }) =>
    decoder.push({ event, data, id: '' }),
  )
  return assembleMessage([...chunks, ...decoder.end()]).content
}

/** The text cut at these places. */
function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places)]
    .filter((at) => at > 0 && at < text.length)
    .toSorted((a, b) => a - b)
  return [0, ...sorted].map((from, index) => text.slice(from, sorted[index] ?? text.length))
}

// Gemini's arguments are an object: no delta divides them.
describe.each(wireNames.filter((wire) => wire !== 'gemini'))('over %s', (wire) => {
  it('the live folders are in their place under every division into deltas', () => {
    const text = `I read ${recorded.cwd}/a.txt, not ${recorded.home}/b.txt or {{cwd}}/c.`
    const args = JSON.stringify({ path: `${recorded.cwd}/notes.txt`, also: '{{home}}' })
    const places = (of: string) => fc.array(fc.nat(of.length), { maxLength: 12 })
    fc.assert(
      fc.property(places(text), places(args), (textPlaces, argsPlaces) => {
        const chunks = chunksOf(cutAt(text, textPlaces), cutAt(args, argsPlaces))
        const placed = placeFolders(exchangeOf(wire, chunks), recorded, live)
        expect(saidIn(wire, placed)).toEqual([
          {
            type: 'text',
            text: `I read ${live.cwd}/a.txt, not ${live.home}/b.txt or ${live.cwd}/c.`,
          },
          {
            type: 'tool-call',
            id: 'call_1',
            name: 'read',
            arguments: JSON.stringify({ path: `${live.cwd}/notes.txt`, also: live.home }),
          },
        ])
      }),
    )
  })

  it('nothing else changes', () => {
    const exchange = exchangeOf(
      wire,
      chunksOf(['/tmp/then/', 'work'], ['{"path":"/tmp/', 'then"}']),
    )
    expect(placeFolders(exchange, recorded, live)).toEqual(exchange)
    expect(placeFolders(exchange, recorded, {})).toBe(exchange)
  })
})
