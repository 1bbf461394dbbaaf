/** Bodies that JavaScript would make one of, and that must not have one key. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestKey } from '@runproof/replay'
import { parseBody } from '../../src/body.ts'

const keyOf = (text: string): string =>
  requestKey('gemini', { method: 'POST', path: '/x', body: parseBody(text) }).key

describe('different requests have different keys', () => {
  it.each([
    ['{"id":9007199254740993}', '{"id":9007199254740992}'],
    ['{"id":12345678901234567890}', '{"id":12345678901234567891}'],
    ['{"id":12345678901234567890}', '{"id":"12345678901234567890"}'],
    ['{"x":1e400}', '{"x":1e401}'],
    ['{"x":1e400}', '{"x":null}'],
    [String.raw`{"x":"\ud800"}`, String.raw`{"x":"\ud801"}`],
    [String.raw`{"x":"\ud800"}`, '{"x":"\uFFFD"}'],
    [String.raw`{"\ud800":1,"\ud801":2}`, String.raw`{"\ud801":2}`],
    ['{"x":"é"}', '{"x":"e\u0301"}'],
    ['{"__proto__":{"a":1}}', '{}'],
    ['{"x":[]}', '{"x":{}}'],
    ['{"x":1}', '{"x":"1"}'],
    ['', 'null '.trim() + ' x'],
    ['[[1],2]', '[1,[2]]'],
    [`${'['.repeat(1e5)}1`, `${'['.repeat(1e5)}2`],
    [`${'['.repeat(1e5)}1${']'.repeat(1e5)}`, `${'['.repeat(1e5)}2${']'.repeat(1e5)}`],
  ])('%.40s and %.40s', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other))
  })
})

describe('one request has one key, however it is spelled', () => {
  it.each([
    ['{"x":1}', '{"x":1.0}'],
    ['{"x":1}', '{ "x" : 1e0 }'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    [String.raw`{"x":"\u00e9"}`, '{"x":"é"}'],
    ['{"x":-0}', '{"x":0}'],
  ])('%s and %s', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other))
  })
})

it('any JSON is read as the JSON it is, in any spelling of its numbers that are exact', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      const read = JSON.stringify(parseBody(text))
      fc.pre(!/\d{16}/.test(text))
      expect(read).toBe(text)
    }),
  )
})

it('whole numbers have equal keys exactly when they are equal', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 70n), 2n ** 70n), fc.bigInt(0n, 3n), (number, step) => {
      const isSame = keyOf(`[${number}]`) === keyOf(`[${number + step}]`)
      expect(isSame).toBe(step === 0n)
    }),
  )
})
