/** The law of calls that nothing but questions has named: only a no to each of them leaves nothing open. */
import { createAdapter } from '@runproof/progress/acp'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { claimsOf, envelopesOf } from './judge.ts'
import { allow, ask, dismiss, failure, prompt, refuse, say, stop } from './wire.ts'
import { toAgent, toClient, type Line } from './wire.ts'

const answers = { yes: allow, no: refuse, dismissed: dismiss } as const
const question = fc.record({
  call: fc.constantFrom('c', 'd'),
  status: fc.constantFrom(undefined, 'pending'),
  answer: fc.constantFrom('yes', 'no', 'dismissed', 'not offered', 'error', 'none' as const),
  at: fc.nat(20),
  takes: fc.nat(20),
})
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never

const answerOf = ({ answer }: Question, id: number): Line[] => {
  if (answer === 'none') return []
  if (answer === 'error') return [toAgent(failure(id, -32603))]
  return [toAgent(answer === 'not offered' ? allow(id, 'other') : answers[answer](id))]
}

/** Each question asked at its time, and answered so much later. */
function exchange(questions: readonly Question[]): Line[] {
  const timed = questions.flatMap((one, index) => {
    const id = 100 + index
    const asked = toClient(ask(id, one.call, one.status === undefined ? {} : { status: 'pending' }))
    return [
      { at: one.at, line: asked },
      ...answerOf(one, id).map((line) => ({ at: one.at + one.takes, line })),
    ]
  })
  return timed.toSorted((a, b) => a.at - b.at).map(({ line }) => line)
}

const isNo = ({ answer }: Question): boolean => answer === 'no' || answer === 'dismissed'
const judge = (lines: readonly Line[]): string[] =>
  claimsOf(envelopesOf(createAdapter({ run: 'p' }), lines, {}))

it('is checking when each question was answered with no, and unknown otherwise', () => {
  fc.assert(
    fc.property(fc.array(question, { maxLength: 5 }), (questions) => {
      const lines = [toAgent(prompt(1)), ...exchange(questions)]
      const claims = judge([...lines, toClient(say('a')), toClient(stop(1))])
      expect(claims).toEqual([questions.every(isNo) ? 'checking "a"' : 'unknown'])
    }),
    { numRuns: 300 },
  )
})

it('is never checking when the agent ended its turn before an answer', () => {
  fc.assert(
    fc.property(fc.array(question, { minLength: 1, maxLength: 3 }), fc.nat(40), (questions, at) => {
      const lines = exchange(questions)
      const isAnswer = ({ dir }: Line): boolean => dir === '>'
      const end = Math.min(at, lines.length)
      const all = [
        toAgent(prompt(1), 0),
        ...lines.slice(0, end).map((line) => ({ ...line, t: 10 })),
        toClient(stop(1), 20),
        ...lines.slice(end).map((line) => ({ ...line, t: 30 })),
      ]
      fc.pre(lines.slice(end).some(isAnswer))
      expect(judge(all)).toEqual(['unknown'])
    }),
    { numRuns: 200 },
  )
})
