import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visible, visibleJson } from '../src/visible.ts'

describe('visible', () => {
  it.each([
    ['plain text, 中文, 🙂', 'plain text, 中文, 🙂'],
    ['\u001b[31mred', '\\x1b[31mred'],
    ['a\r\nb\tc', 'a\\x0d\\x0ab\\x09c'],
    ['\u009b2J', '\\x9b2J'],
    ['abc\u202edone', 'abc\\u202edone'],
    ['one\u2028two', 'one\\u2028two'],
  ])('shows %j as %j', (text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  it('never lets a control character or a line end through, in text or in JSON', () => {
    const control = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(control)
        const json = visibleJson({ text })
        expect(json).not.toMatch(control)
        expect(JSON.parse(json)).toEqual({ text })
      }),
    )
  })
})
