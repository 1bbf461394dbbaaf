import { describe, expect, it } from 'vitest'
import { deriveReplayScript } from '@runproof/replay'
import type { StreamChunk } from '@runproof/llm'
import type { SessionEvent } from '@runproof/session-log'
import { fixtureScript, realScenarios, recordingsNote } from './scenarios.ts'

const start: StreamChunk = { type: 'block-start', index: 0, blockType: 'text' }
const delta: StreamChunk = { type: 'text-delta', index: 0, text: 'a' }
const error: StreamChunk = { type: 'finish', reason: { kind: 'error', message: 'no' } }
const stop: StreamChunk = { type: 'finish', reason: { kind: 'stop' } }

/** Events of steps, each given by its chunks; `|` in the list of steps ends a step. */
function eventsOf(steps: StreamChunk[][]): SessionEvent[] {
  const drafts = steps.flatMap((chunks, i) => {
    const place = { turn: 1, step: i + 1 }
    return [
      { type: 'step/start', data: place },
      ...chunks.map((chunk) => ({ type: 'assistant/chunk', data: { ...place, chunk } })),
      { type: 'step/end', data: place },
    ]
  })
  return drafts.map((draft, seq) => ({ ...draft, seq, time: 0 }))
}

describe('the script of a log', () => {
  it.each([
    ['one call a step', [[start, delta, stop], [stop]], [3, 1], []],
    ['a call tried again in its step is two', [[start, error, start, delta, stop]], [2, 3], []],
    ['an error finish ends a call like any other', [[error]], [1], []],
    ['a step without chunks is a call without a finish', [[stop], []], [1, 0], [1]],
    ['a stream that breaks off', [[start, delta], [stop]], [2, 1], [0]],
    ['a block that starts again begins a new call', [[start, delta, start, stop]], [2, 2], [0]],
    ['no step, no call', [], [], []],
  ] as const)('%s', (_name, steps, sizes, partial) => {
    const script = deriveReplayScript(eventsOf(steps.map((step) => [...step])))
    const entries = script.entries.map((entry) => (entry.kind === 'chunks' ? entry.chunks : []))
    expect(entries.map(({ length }) => length)).toEqual(sizes)
    expect(script.partial.map(({ at }) => at)).toEqual(partial)
    expect(script.issues.map(({ code, at }) => [code, at])).toEqual(
      partial.map((at) => ['unfinished-call', at]),
    )
  })

  it('names the call and the override in the issue of an unfinished one', () => {
    const { issues, partial } = deriveReplayScript(eventsOf([[stop], [start, delta]]))
    expect(issues[0]?.message).toMatch(
      /^call 2 \(turn 1, step 2\) has 2 chunks but no finish: .*replay\.override\.json/,
    )
    expect(partial).toEqual([{ at: 1, turn: 1, step: 2, chunks: [start, delta] }])
  })

  it('does not take what is no chunk', () => {
    const events = eventsOf([[stop]]).map((event): SessionEvent =>
      event.type === 'assistant/chunk'
        ? { ...event, data: { turn: 1, step: 1, chunk: { type: 'sound-delta', index: 0 } } }
        : event,
    )
    expect(deriveReplayScript(events).issues[0]).toMatchObject({
      code: 'bad-chunk',
      at: 0,
      message: expect.stringMatching(/^call 1 .*chunk 0: .*sound-delta/),
    })
  })

  it('skips what a forked session took over', () => {
    const events = eventsOf([[start, delta, stop], [stop]])
    expect(deriveReplayScript(events, { from: 5 }).entries).toEqual([
      { kind: 'chunks', chunks: [stop] },
    ])
  })

  it('knows the request of each call', () => {
    const { recorded, events } = fixtureScript('kitchen')
    expect(
      recorded.map(({ turn, step, eventCount }) => [turn, step, events[eventCount]?.type]),
    ).toEqual([
      [1, 1, 'assistant/chunk'],
      [1, 2, 'assistant/chunk'],
      [2, 1, 'assistant/chunk'],
    ])
  })
})

describe.skipIf(realScenarios.length === 0)(`real logs${recordingsNote}`, () => {
  const unfinished = new Set(['cancel/session.jsonl', 'error-finish/session.jsonl'])

  it.each(realScenarios)(
    '$name: an answer a call, but where the override speaks',
    ({ name, script }) => {
      const { entries, issues, partial } = deriveReplayScript(script.events)
      const answers = script.events.filter(({ type }) => type === 'assistant/message')
      const open = unfinished.has(name) ? 1 : 0
      expect(entries).toHaveLength(answers.length + open)
      expect(issues).toHaveLength(open)
      expect(partial).toHaveLength(open)
      expect(script.isAligned).toBe(open === 0)
    },
  )
})
