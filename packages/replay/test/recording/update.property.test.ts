import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { learnOptional, requestKey, serializeRecording, updateRecording } from '@runproof/replay'
import type { Exchange, Recording } from '@runproof/replay'
import { ask, fixtures, recordingOf } from './recordings.ts'

/** Runs of few different requests and answers, so that equal ones are common. */
const run = fc
  .array(
    fc.record({
      words: fc.constantFrom('a', 'b', 'c'),
      answer: fc.constantFrom('x', 'y'),
      dtMs: fc.nat({ max: 9 }),
    }),
    { maxLength: 8 },
  )
  .map((calls) =>
    recordingOf(
      calls.map(({ words, answer, dtMs }) => ({
        ask: ask(words),
        events: [{ dtMs, data: answer }],
      })),
    ),
  )

const keyOf = ({ request }: Exchange): string => requestKey('openai-chat', request).key

/** How often each request came. */
function counts(exchanges: readonly Exchange[]): Map<string, number> {
  return new Map([...Map.groupBy(exchanges, keyOf)].map(([key, same]) => [key, same.length]))
}

/** What a replay gives for each request, in order. */
function script({ exchanges }: Recording): Map<string, unknown[]> {
  const answers = new Map<string, unknown[]>()
  for (const exchange of exchanges) {
    const key = keyOf(exchange)
    answers.set(key, [...(answers.get(key) ?? []), exchange.events.map(({ data }) => data)])
  }
  return answers
}

describe('recording again', () => {
  it('replays as the new run', () => {
    fc.assert(
      fc.property(run, run, (before, after) => {
        expect(script(updateRecording(before, after))).toEqual(script(after))
      }),
    )
  })

  it('numbers exchanges once, ascending', () => {
    fc.assert(
      fc.property(run, run, (before, after) => {
        const numbers = updateRecording(before, after).exchanges.map(({ n }) => n)
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      }),
    )
  })

  it('changes nothing when nothing changed but times and the order of different calls', () => {
    fc.assert(
      fc.property(run, fc.nat(), (before, seed) => {
        const keys = [...script(before).keys()].toSorted()
        const shift = keys.length === 0 ? 0 : seed % keys.length
        const order = [...keys.slice(shift), ...keys.slice(0, shift)]
        const exchanges = before.exchanges
          .toSorted((a, b) => order.indexOf(keyOf(a)) - order.indexOf(keyOf(b)))
          .map((exchange, index) => ({
            ...exchange,
            n: index + 1,
            events: exchange.events.map((event) => ({ ...event, dtMs: event.dtMs + 1 })),
          }))
        const after = { ...before, provenance: { when: 'later' }, exchanges }
        expect(serializeRecording(updateRecording(before, after))).toBe(serializeRecording(before))
      }),
    )
  })

  it('keeps the lines of what did not change', () => {
    const before = recordingOf([
      { ask: ask('title'), events: ['T'], end: { kind: 'eof', optional: true } },
      { ask: ask('one'), events: ['1'] },
      { ask: ask('two'), events: ['2'] },
    ])
    const after = recordingOf([
      { ask: ask('one'), events: ['1'] },
      { ask: ask('title'), events: ['T2'] },
      { ask: ask('zwei'), events: ['2'] },
      { ask: ask('three'), events: ['3'] },
    ])
    const updated = updateRecording(before, after)
    expect(
      updated.exchanges.map(({ n, events, end }) => [n, events[0]?.data, end.optional]),
    ).toEqual([
      [1, 'T2', true],
      [2, '1', undefined],
      [3, '2', undefined],
      [4, '3', undefined],
    ])
    expect(updated.exchanges[1]).toBe(before.exchanges[1])
  })

  describe('ids and times that a provider draws anew', () => {
    const answer = (draw: string, said = 'yes') => [
      JSON.stringify({ id: draw, created: 1, choices: [{ delta: { content: said } }] }),
    ]
    const before = recordingOf([{ ask: ask('one'), events: answer('chat-old') }])
    const updated = (after: Recording, shown: string[] = []): unknown =>
      updateRecording(before, after, { shown }).exchanges[0]?.events[0]?.data
    const again = recordingOf([{ ask: ask('one'), events: answer('chat-new') }])

    it('change no line', () => {
      expect(updated(again)).toEqual(answer('chat-old')[0])
    })

    it.each<[what: string, after: Recording, shown: string[]]>([
      ['another answer', recordingOf([{ ask: ask('one'), events: answer('chat-new', 'no') }]), []],
      [
        'a later request that names them',
        recordingOf([
          { ask: ask('one'), events: answer('chat-new') },
          { ask: ask('go on with chat-new') },
        ]),
        [],
      ],
      ['a golden that shows them', again, ['{"request":"chat-new"}']],
    ])('come with %s', (_, after, shown) => {
      expect(updated(after, shown)).toEqual(after.exchanges[0]?.events[0]?.data)
    })
  })

  it.each(fixtures)('$name recorded again is the same text', ({ recording, text }) => {
    const again = { ...recording, provenance: { other: true } }
    expect(serializeRecording(updateRecording(recording, again))).toBe(text)
  })
})

describe('recording twice', () => {
  it('what came in one of the runs only becomes optional', () => {
    fc.assert(
      fc.property(run, run, (first, second) => {
        const learned = learnOptional(first, second)
        const required = learned.exchanges.filter(({ end }) => end.optional !== true)
        const [a, b] = [counts(first.exchanges), counts(second.exchanges)]
        for (const key of new Set([...a.keys(), ...b.keys()])) {
          const [least, most] = [a.get(key) ?? 0, b.get(key) ?? 0].toSorted((x, y) => x - y)
          expect(counts(required).get(key) ?? 0).toBe(least)
          expect(counts(learned.exchanges).get(key) ?? 0).toBe(most)
        }
      }),
    )
  })

  it('a suggestion that came once is optional, the work is not', () => {
    const work = [{ ask: ask('one') }, { ask: ask('two') }]
    const learned = learnOptional(recordingOf(work), recordingOf([...work, { ask: ask('hint') }]))
    expect(learned.exchanges.map(({ n, end }) => [n, end.optional ?? false])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ])
  })
})
