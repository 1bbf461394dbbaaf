import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignEvents } from '../../src/compare/align.ts'
import { compareLines } from '../../src/compare/compare.ts'
import { readEvents } from '../../src/compare/event.ts'

const event = fc.record(
  {
    type: fc.constantFrom('a', 'b', 'c'),
    seq: fc.nat(3),
    data: fc.record({ callId: fc.constantFrom('x', 'y'), text: fc.constantFrom('', 'p', 'q') }),
  },
  { requiredKeys: ['type'] },
)
const line = fc.oneof(
  event.map((value) => JSON.stringify(value)),
  fc.constantFrom('text', '{', '[1]', ''),
)
const output = fc.array(line, { maxLength: 12 })

const compare = (expected: string[], actual: string[]): ReturnType<typeof compareLines> =>
  compareLines({ scenario: 's', file: 'f', expected, actual })

const said = (lines: string[]): string[] => readEvents(lines).map(({ content }) => content)

describe('comparing', () => {
  it('uses every event of both sides once, in order', () => {
    fc.assert(
      fc.property(output, output, (left, right) => {
        const pairs = alignEvents(readEvents(left), readEvents(right))
        const texts = (side: 'expected' | 'actual'): string[] =>
          pairs.flatMap((pair) => (pair[side] === null ? [] : [pair[side].text]))
        expect(texts('expected')).toEqual(left)
        expect(texts('actual')).toEqual(right)
        for (const { expected, actual } of pairs) {
          if (expected !== null && actual !== null) expect(actual.label).toBe(expected.label)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('finds nothing exactly where the lines say the same', () => {
    fc.assert(
      fc.property(output, output, (left, right) => {
        expect(compare(left, left)).toBeNull()
        const isSame = JSON.stringify(said(left)) === JSON.stringify(said(right))
        expect(compare(left, right) === null).toBe(isSame)
      }),
    )
  })

  it('accounts for every line', () => {
    fc.assert(
      fc.property(output, output, (left, right) => {
        const changes = compare(left, right)?.changes ?? []
        const count = (kind: string): number => changes.filter((one) => one.kind === kind).length
        expect(right.length - count('extra')).toBe(left.length - count('missing'))
      }),
    )
  })

  it('reports every single deletion, edit, swap and truncation', () => {
    const base = Array.from({ length: 8 }, (_, index) =>
      JSON.stringify({
        type: index % 2 === 0 ? 'a' : 'b',
        seq: index,
        data: { text: `t${index}` },
      }),
    )
    const at = fc.nat(7)
    const broken = fc.oneof(
      at.map((index) => base.toSpliced(index, 1)),
      at.map((index) => base.slice(0, index)),
      at.map((index) => base.with(index, (base[index] ?? '').replace('"t', '"u'))),
      at.map((index) => base.with(index, (base[index] ?? '').slice(0, -3))),
      at.map((index) => base.toSpliced(index, 0, base[index] ?? '')),
      fc
        .tuple(at, at)
        .filter(([one, other]) => one !== other)
        .map(([one, other]) => base.with(one, base[other] ?? '').with(other, base[one] ?? '')),
    )
    fc.assert(
      fc.property(broken, (actual) => {
        const difference = compare(base, actual)
        expect(difference).not.toBeNull()
        expect(difference?.summary).toMatch(/^(?:line \d+|extra) /)
        expect(difference?.summary).not.toContain('\n')
      }),
    )
  })
})
