/** Laws of the session adapter: it never throws, and no single fault of a log passes unseen. */
import { isEnvelope } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/session'
import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { claimsOf, envelopesOf, fixture, linesOf, tasksOf } from '../acp/judge.ts'

const types = fc.constantFrom(
  'session',
  'turn/start',
  'turn/end',
  'assistant/chunk',
  'assistant/message',
  'tool/call',
  'tool/result',
  'approval/asked',
  'approval/decided',
  'other/kind',
)
const event = fc.record(
  {
    type: types,
    seq: fc.oneof(fc.nat(20), fc.jsonValue()),
    data: fc.oneof(
      fc.record(
        {
          callId: fc.constantFrom('a', 'b'),
          id: fc.constantFrom('x', 'y'),
          isError: fc.boolean(),
          reason: fc.constantFrom({ kind: 'completed' }, { kind: 'error' }, null),
          content: fc.constantFrom(
            [{ type: 'text', text: 'a' }],
            [{ type: 'tool-call', id: 'a' }],
            7,
          ),
          chunk: fc.constantFrom({ type: 'text-delta', text: 'a' }, null),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: ['type'] },
)

const claims = (lines: readonly unknown[]): string[] =>
  claimsOf(envelopesOf(createAdapter({ run: 't' }), lines, {}))

describe('the session adapter', () => {
  it('never throws, emits well-formed envelopes, and never claims done', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, fc.jsonValue()), { maxLength: 60 }), (lines) => {
        const envelopes = envelopesOf(createAdapter({ run: 't' }), lines, {})
        expect(envelopes.every(isEnvelope)).toBe(true)
        expect(tasksOf(envelopes).map(({ status }) => status)).not.toContain('done')
      }),
      { numRuns: 500 },
    )
  })

  const lines = linesOf(fixture('session-log/two-turns.jsonl'))
  const at = fc.integer({ min: 1, max: lines.length - 1 })

  it('has an issue-free log to spoil', () => {
    expect(claims(lines).every((claim) => claim.startsWith('checking'))).toBe(true)
  })

  it.each<[string, fc.Arbitrary<unknown[]>]>([
    ['loses a line', at.map((index) => lines.toSpliced(index, 1))],
    ['has a line twice', at.map((index) => lines.toSpliced(index, 0, lines[index]))],
    [
      'has two lines swapped',
      fc
        .tuple(at, at)
        .filter(([one, other]) => one !== other)
        .map(([one, other]) => lines.with(one, lines[other]).with(other, lines[one])),
    ],
    ['is cut', at.map((index) => lines.slice(0, index))],
  ])('when it %s, its claims are not those of the whole log', (_, faulty) => {
    fc.assert(
      fc.property(faulty, (spoiled) => {
        const isClean = isDeepStrictEqual(claims(spoiled), claims(lines))
        expect(isClean).toBe(false)
      }),
      { numRuns: 150 },
    )
  })
})
