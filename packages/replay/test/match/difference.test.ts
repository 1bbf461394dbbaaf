import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffFields, renderDifferences } from '../../src/match/difference.ts'
import { findNearest } from '../../src/match/explain.ts'
import { requestKey } from '@runproof/replay'
import { requestOf, said } from './requests.ts'
import type { Said } from './requests.ts'

describe('fields that differ', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['a value', { a: { b: 1 } }, { a: { b: 2 } }, ['a.b']],
    ['a member more', { a: 1 }, { a: 1, b: 2 }, ['b']],
    ['a member less', { a: 1, b: 2 }, { a: 1 }, ['b']],
    ['a member of a list more, in its middle', [1, 2, 3], [1, 9, 2, 3], ['[1]']],
    ['a member of a list less, at its end', [1, 2, 3], [1, 2], ['[2]']],
    ['a member of a list', [1, { a: 2 }, 3], [1, { a: 4 }, 3], ['[1].a']],
    ['another kind', { a: [1] }, { a: { 0: 1 } }, ['a']],
    ['nothing', { a: [{ b: null }] }, { a: [{ b: null }] }, []],
  ])('%s', (_name, recorded, sent, paths) => {
    expect(diffFields(recorded, sent).map(({ path }) => path)).toEqual(paths)
  })

  it('there are none between equal values, and some between others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(diffFields(a, structuredClone(a))).toEqual([])
        const isSame = JSON.stringify(a) === JSON.stringify(b)
        fc.pre(!isSame)
        expect(diffFields({ v: a }, { v: JSON.parse(JSON.stringify(b)) }).length === 0).toBe(
          diffFields({ v: b }, { v: a }).length === 0,
        )
      }),
    )
  })

  it('are shown where they begin, and not all of very many', () => {
    const before = 'word '.repeat(100)
    const [long = ''] = renderDifferences([
      {
        path: 'body.system',
        recorded: `${before}carrots${before}`,
        sent: `${before}beans${before}`,
      },
    ]).split('\n  body')
    expect(long).toContain('carrots')
    expect(long).toContain('beans')
    expect(long.length).toBeLessThan(400)
    const many = Array.from({ length: 20 }, (_, i) => ({ path: `[${i}]`, sent: i }))
    expect(renderDifferences(many)).toMatch(
      /\[11\]\n {4}recorded: \(nothing\)\n.*\n {2}… 8 more fields$/,
    )
  })
})

const candidate = (change: Partial<Said>, isServed = false, wire = 'openai-chat' as const) => ({
  canonical: requestKey(wire, requestOf(wire, { ...said, ...change })).canonical,
  isServed,
  change,
})
const sent = (change: Partial<Said>) => candidate(change).canonical

describe('the nearest recorded request', () => {
  it('is the one with the fewest differences', () => {
    const candidates = [
      candidate({ prompt: 'Who are you?', result: 'nobody' }),
      candidate({ prompt: 'When were the beans sown?' }),
    ]
    const nearest = findNearest(sent({}), candidates)
    expect(nearest?.candidate).toBe(candidates[1])
    expect(nearest?.differences.map(({ path }) => path)).toEqual(['body.messages[1].content'])
  })

  it('is of the same lane, though another is nearer', () => {
    const title = candidate({ system: 'Name this conversation.' })
    const main = candidate({ prompt: 'Other words.', result: 'others' })
    expect(findNearest(sent({}), [title, main])?.candidate).toBe(main)
  })

  it('is one that was not served yet, of equals', () => {
    const [served, free] = [candidate({ prompt: 'a' }, true), candidate({ prompt: 'b' })]
    expect(findNearest(sent({}), [served, free])?.candidate).toBe(free)
    expect(findNearest(sent({}), [free, served])?.candidate).toBe(free)
  })

  it('is of the same endpoint, if there is one', () => {
    const gemini = {
      canonical: requestKey('gemini', requestOf('gemini', said)).canonical,
      isServed: false,
    }
    const chat = candidate({ prompt: 'x', result: 'y', thought: 'z' })
    expect(findNearest(sent({}), [gemini, chat])?.candidate).toBe(chat)
    expect(findNearest(sent({}), [gemini])?.differences[0]?.path).toBe('body.contents')
    expect(findNearest(sent({}), [])).toBeNull()
  })

  it.each(['openai-responses', 'anthropic', 'gemini', 'deepseek'] as const)(
    'knows the lanes of %s',
    (wire) => {
      const of = (what: Partial<Said>) => ({
        canonical: requestKey(wire, requestOf(wire, { ...said, ...what })).canonical,
        isServed: false,
      })
      const title = of({ system: 'Name this conversation.' })
      const main = of({ prompt: 'Other words.', result: 'others' })
      expect(findNearest(of({}).canonical, [title, main])?.candidate).toBe(main)
    },
  )
})
