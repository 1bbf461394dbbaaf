import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMatcher } from '../../src/match/matcher.ts'

const items = fc
  .array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), isOptional: fc.boolean() }), {
    maxLength: 9,
  })
  .map((list) => list.map((item, index) => ({ ...item, index })))

describe('a matcher', () => {
  it('gives out what was recorded for the key, first come first served, each once', () => {
    fc.assert(
      fc.property(
        items,
        fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 }),
        (recorded, asked) => {
          const matcher = createMatcher(recorded)
          const given: number[] = []
          for (const key of asked) {
            const same = recorded.filter((item) => item.key === key)
            const next = same.find(({ index }) => !given.includes(index))
            const taken = matcher.take(key)
            if (next === undefined) {
              expect(taken.kind).toBe(same.length === 0 ? 'unknown' : 'exhausted')
            } else {
              expect(taken).toEqual({ kind: 'found', item: next })
              given.push(next.index)
            }
          }
          const unused = recorded.filter(
            ({ index, isOptional }) => !isOptional && !given.includes(index),
          )
          expect(matcher.unused()).toEqual(unused)
          expect(recorded.filter((item) => matcher.isUsed(item)).map(({ index }) => index)).toEqual(
            given.toSorted((a, b) => a - b),
          )
        },
      ),
    )
  })

  it('begins again when it may repeat', () => {
    const [one, two] = ['a', 'a'].map((key, index) => ({ key, isOptional: false, index }))
    const matcher = createMatcher(
      [one, two].filter((item) => item !== undefined),
      { repeat: true },
    )
    const given = Array.from({ length: 5 }, () => {
      const taken = matcher.take('a')
      return taken.kind === 'found' ? taken.item.index : taken.kind
    })
    expect(given).toEqual([0, 1, 0, 1, 0])
    expect(matcher.take('b').kind).toBe('unknown')
  })

  it('gives what was put back next, and counts it as used', () => {
    const list = [0, 1].map((index) => ({ key: 'a', isOptional: false, index }))
    const matcher = createMatcher(list)
    const first = matcher.take('a')
    if (first.kind !== 'found') throw new Error('nothing found')
    matcher.putBack(first.item)
    expect(matcher.unused().map(({ index }) => index)).toEqual([1])
    expect(matcher.take('a')).toEqual(first)
  })
})
