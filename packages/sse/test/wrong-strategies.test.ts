import { describe, expect, it } from 'vitest'
import { encodeSse, type SseEvent } from '@runproof/sse'
import { readFixtures } from './fixtures.ts'
import { concat, everyPartition } from './inputs.ts'
import { fails, wrongStrategies } from './wrong-strategies.ts'

const fixtures = new Map(readFixtures().map((fixture) => [fixture.name, fixture]))

const ordinary: SseEvent[] = ['{"n":1}', '{"n":2}'].map((data) => ({
  event: 'message',
  data,
  id: '',
}))

describe.each(wrongStrategies)('a decoder that $name', (strategy) => {
  it('works on an ordinary stream', () => {
    expect(fails(strategy, everyPartition(concat(ordinary.map(encodeSse))), ordinary)).toBe(false)
  })

  it(`fails on ${strategy.caughtBy.fixture}`, () => {
    const fixture = fixtures.get(strategy.caughtBy.fixture)
    if (fixture === undefined) throw new Error('no such fixture')
    expect(fails(strategy, everyPartition(fixture.stream), fixture.events)).toBe(true)
  })
})
