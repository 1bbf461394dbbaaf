import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesPattern } from '../../src/drive/match.ts'

describe('matchesPattern', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: 2 }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, false],
    [{ a: { b: [1, { c: 2, d: 3 }] } }, { a: { b: [1, { c: 2 }] } }, true],
    [[1, 2, 3], [1, 2], false],
    [{ a: null }, { a: {} }, false],
    [null, {}, false],
    ['text', 'text', true],
    [1, '1', false],
    [{}, { constructor: {} }, false],
  ])('%j against %j: %s', (value, pattern, expected) => {
    expect(matchesPattern(value, pattern)).toBe(expected)
  })

  it('a value matches itself and whatever is left when keys are taken away', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, index) => {
        expect(matchesPattern(value, value)).toBe(true)
        const kept = Object.entries(value).filter((_, at) => at !== index % 3)
        expect(matchesPattern(value, Object.fromEntries(kept))).toBe(true)
      }),
    )
  })
})
