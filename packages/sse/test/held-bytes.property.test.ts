import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeldBytes } from '../src/held-bytes.ts'

describe('held bytes', () => {
  it('are a queue, whatever is appended and consumed', () => {
    const step = fc.record({
      count: fc.integer({ min: 0, max: 9000 }),
      keep: fc.nat({ max: 9000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const held = new HeldBytes()
        let model: number[] = []
        let next = 0
        for (const { count, keep } of steps) {
          const chunk = Uint8Array.from({ length: count }, () => next++ % 251)
          held.append(chunk)
          model.push(...chunk)
          model = model.slice(Math.max(0, model.length - keep))
          held.consume(held.end - model.length)
          expect(held.end - held.start).toBe(model.length)
          expect(held.bytes.subarray(held.start, held.end)).toEqual(Uint8Array.from(model))
          // Two chunks of 9000 at most are held at once: four times that is room enough.
          expect(held.bytes.length).toBeLessThanOrEqual(36_000)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('let go of a large buffer once they are empty', () => {
    const held = new HeldBytes()
    held.append(new Uint8Array(4_000_000))
    held.consume(held.end - 1)
    expect(held.bytes.length).toBeGreaterThanOrEqual(4_000_000)
    held.consume(held.end)
    expect(held.bytes.length).toBe(0)
    held.append(new Uint8Array(100))
    held.consume(held.end)
    expect(held.bytes.length).toBeGreaterThan(0)
  })
})
