import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createSessionReader,
  deriveClosers,
  deriveHistory,
  parseSessionLog,
  serializeSessionLog,
} from '@runproof/session-log'
import type { SessionEvent } from '@runproof/session-log'
import { fixtureLog, fixtureText, ownLogs, realLogs } from './logs.ts'

const logs = [...ownLogs, ...realLogs]

/** Any log the format can carry, of types no reader knows. */
const anyLog = fc.record({
  header: fc.record(
    {
      id: fc.string({ minLength: 1 }),
      createdAt: fc.nat(),
      cwd: fc.string(),
      seedLength: fc.nat(),
    },
    { requiredKeys: ['id', 'createdAt'] },
  ),
  data: fc.array(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }))),
})

/** The same object, built the other way round. */
function reverse(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toReversed())
}

/** Calls without exactly one result; the history is not one a provider accepts while there are any. */
function openCalls(events: SessionEvent[]): string[] {
  const history = deriveHistory(events)
  const calls = history.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
      : [],
  )
  const results = history.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
  return calls.filter((id) => results.filter((result) => result === id).length !== 1)
}

describe('laws of the reader', () => {
  it('any cutting of the text gives the same log', () => {
    const text = fixtureText('two-turns')
    const whole = parseSessionLog(text)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), fc.nat(text.length), (cuts, length) => {
        const reader = createSessionReader()
        const events: SessionEvent[] = []
        let start = 0
        for (const cut of [...cuts.toSorted((a, b) => a - b), length].filter((n) => n <= length)) {
          events.push(...reader.push(text.slice(start, cut)))
          start = Math.max(start, cut)
        }
        events.push(...reader.push(text.slice(start)))
        const end = reader.end()
        expect({ ...end, events: [...events, ...end.events] }).toEqual(whole)
      }),
    )
  })

  it('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string())), (lines) => {
        const text = `{"type":"session","version":0,"id":"s","createdAt":1}\n${lines.join('\n')}`
        expect(parseSessionLog(text).header).not.toBeNull()
      }),
    )
  })

  it('a log cut at any character is sound, and loses its last line at most', () => {
    const text = fixtureText('crashed-in-tool')
    const whole = parseSessionLog(text)
    const headerLength = text.indexOf('\n')
    for (let length = headerLength; length <= text.length; length++) {
      const log = parseSessionLog(text.slice(0, length))
      const lines = text.slice(0, length).split('\n')
      expect(log.issue).toBeNull()
      const complete = lines.length - (log.unterminated ? 1 : 2)
      expect(log.events).toEqual(whole.events.slice(0, Math.max(0, complete)))
      expect(log.torn?.text ?? '').toBe(log.unterminated ? '' : lines.at(-1))
    }
    for (let length = 0; length < headerLength; length++) {
      expect(parseSessionLog(text.slice(0, length)).issue?.code).toBe('empty')
    }
  })
})

describe('reading what was written', () => {
  it('gives the same log, and writing it again the same text', () => {
    fc.assert(
      fc.property(anyLog, ({ header, data }) => {
        const log = {
          header: { type: 'session' as const, version: 0 as const, ...header },
          events: data.map((value, seq) => ({ type: 'any/thing', seq, time: seq, data: value })),
        }
        const text = serializeSessionLog(log)
        const read = parseSessionLog(text)
        expect(read.issue).toBeNull()
        // Through JSON once: it knows no -0 and no prototypes.
        expect(JSON.stringify(read.events)).toBe(JSON.stringify(log.events))
        expect(serializeSessionLog({ header: log.header, events: read.events })).toBe(text)
      }),
    )
  })

  it('does not depend on the order in which objects were built', () => {
    const { header, events } = fixtureLog('two-turns')
    const reversedHeader = { ...header, ...reverse(header) }
    const reversed = events.map(({ type, seq, time, data, ...marks }) => ({
      ...marks,
      data: reverse(data),
      time,
      seq,
      type,
    }))
    expect(serializeSessionLog({ header: reversedHeader, events: reversed })).toBe(
      fixtureText('two-turns'),
    )
  })
})

describe('closing a crashed turn', () => {
  it.each(logs)('leaves nothing open, wherever $name breaks off', ({ text }) => {
    const { events } = parseSessionLog(text)
    for (let count = 0; count <= events.length; count++) {
      const kept = events.slice(0, count)
      const mended = [...kept, ...deriveClosers(kept)]
      expect(mended.map(({ seq }) => seq)).toEqual(mended.map((_event, i) => i))
      expect(deriveClosers(mended)).toEqual([])
      expect(openCalls(mended)).toEqual([])
    }
  })
})
