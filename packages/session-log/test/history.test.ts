import { describe, expect, it } from 'vitest'
import { compareHistory, deriveHistory, eventsBefore, parseSessionLog } from '@runproof/session-log'
import type { SessionEvent, SentRequest } from '@runproof/session-log'
import { fixtureLog, realLogs, recordingsNote } from './logs.ts'

const text = (words: string) => [{ type: 'text' as const, text: words }]

describe('the derived history', () => {
  it('has user, context, assistant and tool messages in log order', () => {
    const { events } = fixtureLog('two-turns')
    expect(deriveHistory(events).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'user',
      'assistant',
    ])
    expect(deriveHistory(events)[2]).toEqual({
      role: 'tool',
      callId: 'call_a',
      content: text('<path>/tmp/rp-kitchen/steep.txt</path>\n1: four minutes — über alles 🫖'),
      isError: false,
    })
  })

  it('puts a summary in place of what it replaces', () => {
    expect(deriveHistory(fixtureLog('compacted').events)).toEqual([
      { role: 'user', content: text('Summary: one was said.') },
      { role: 'user', content: text('Two.') },
      { role: 'assistant', content: text('Dos.') },
    ])
  })

  it('leaves out an empty answer', () => {
    const { events } = fixtureLog('two-turns')
    const changed = events.map((event) =>
      event.seq === 14 ? { ...event, data: { ...event.data, content: [] } } : event,
    )
    expect(deriveHistory(changed).filter(({ role }) => role === 'assistant')).toHaveLength(2)
  })

  it('carries the replay state of a whole answer, and not of one that lost a block', () => {
    const { events } = fixtureLog('two-turns')
    const changed = events.map((event): SessionEvent => {
      if (event.seq === 13 || event.seq === 24) {
        const chunk = { type: 'finish', reason: { kind: 'stop' }, replayState: { seal: event.seq } }
        return { ...event, data: { ...event.data, chunk } }
      }
      return event.seq === 14
        ? { ...event, data: { ...event.data, content: text('Only this.') } }
        : event
    })
    const answers = deriveHistory(changed).filter(({ role }) => role === 'assistant')
    expect(answers).toEqual([
      { role: 'assistant', content: text('Only this.') },
      { role: 'assistant', content: text('Four minutes.'), replayState: { seal: 24 } },
      { role: 'assistant', content: text('No.') },
    ])
  })

  it('keeps an answer without content when its provider wants something back', () => {
    const { events } = fixtureLog('two-turns')
    const state = { items: [{ search: 1 }] }
    const finish = { type: 'finish', reason: { kind: 'pause' }, replayState: state }
    const paused: SessionEvent[] = events.slice(0, 4)
    const place = { turn: 1, step: 1 }
    paused.push(
      { type: 'assistant/chunk', seq: 4, time: 0, data: { ...place, chunk: finish } },
      {
        type: 'assistant/message',
        seq: 5,
        time: 0,
        data: { ...place, content: [] },
        sourceEventSeqs: [4],
        surfaceOp: 'append',
      },
    )
    expect(deriveHistory(paused).at(-1)).toEqual({
      role: 'assistant',
      content: [],
      replayState: state,
    })
  })

  it('throws for a replacement that the reader would have refused', () => {
    const { events } = fixtureLog('compacted')
    expect(() => deriveHistory(events.slice(3))).toThrow(/event 8 replaces/)
  })
})

describe('the history of a request', () => {
  it('is what stands before the first sign of the model', () => {
    const { events } = fixtureLog('two-turns')
    expect(eventsBefore(events, { turn: 1, step: 1 })).toHaveLength(4)
    expect(eventsBefore(events, { turn: 2, step: 1 })).toHaveLength(33)
    expect(eventsBefore(events, { turn: 3, step: 1 })).toBeUndefined()
  })

  it('is all there is while the step has no sign yet', () => {
    const { events } = fixtureLog('two-turns')
    expect(eventsBefore(events.slice(0, 33), { turn: 2, step: 1 })).toHaveLength(33)
  })
})

describe('the invariant', () => {
  const { events } = fixtureLog('two-turns')
  const steps = [
    { turn: 1, step: 1 },
    { turn: 1, step: 2 },
    { turn: 2, step: 1 },
  ]
  const sent = (): SentRequest[] =>
    steps.map((place) => ({ ...place, messages: deriveHistory(eventsBefore(events, place) ?? []) }))

  it('holds when the log derives what was sent, in whatever key order', () => {
    const shuffled = sent().map(({ turn, step, messages }) => ({
      messages: messages.map((message) =>
        message.role === 'tool'
          ? { content: message.content, callId: message.callId, role: message.role }
          : message,
      ),
      step,
      turn,
    }))
    expect(compareHistory(events, shuffled)).toEqual([])
  })

  it('names request and message where they part', () => {
    const [first, second, third] = sent()
    const requests = [
      { turn: 1, step: 1, messages: [{ role: 'user' as const, content: text('Coffee?') }] },
      { turn: 1, step: 2, messages: second?.messages.slice(0, 2) ?? [] },
      { turn: 2, step: 1, messages: [...(third?.messages ?? []), ...(first?.messages ?? [])] },
      { turn: 9, step: 1, messages: [] },
    ]
    expect(compareHistory(events, requests).map(({ index, message }) => [index, message])).toEqual([
      [0, expect.stringMatching(/^turn 1 step 1: message 0 was sent as .*Coffee.* derives .*tea/)],
      [2, expect.stringMatching(/^turn 1 step 2: message 2 was sent as nothing/)],
      [6, expect.stringMatching(/^turn 2 step 1: message 6 .* derives nothing$/)],
      [0, 'the log has no turn 9 step 1'],
    ])
  })
})

describe.skipIf(realLogs.length === 0)(`real logs${recordingsNote}`, () => {
  it.each(realLogs)('$name: each answer follows a user or tool message', ({ text: log }) => {
    const roles = deriveHistory(parseSessionLog(log).events).map(({ role }) => role)
    expect(roles[0] ?? 'user').toBe('user')
    expect(roles.join(' ')).not.toContain('assistant assistant')
  })
})
