/** The laws of the house, on generated logs. fast-check prints the seed of a failure. */
import { createProgress, reduceProgress, restoreProgress } from '@runproof/progress'
import type { Progress, ProgressOptions } from '@runproof/progress'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyLog, faultyOnce, ownLog, run } from './arbitrary.ts'
import { provesDone } from './proof.ts'

/** All that can be seen of a progress; `duplicates` apart. */
function view(progress: Progress): object {
  const { status, issues, foreign, tools, text, terminal, verdict, finalText } = progress
  const { lastSeq, closed, window } = progress
  return {
    status,
    issues,
    foreign,
    tools,
    text,
    terminal,
    verdict,
    finalText,
    lastSeq,
    closed,
    window,
  }
}

const whole = (progress: Progress): object => ({
  ...view(progress),
  duplicates: progress.duplicates,
})

const isDone = (log: Iterable<unknown>, options: ProgressOptions = { run }): boolean =>
  reduceProgress(log, options).status === 'done'

/** Any combination of the options beyond the seed. */
const options: fc.Arbitrary<ProgressOptions> = fc
  .record({
    window: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    reorderEventsMax: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    ignoreKinds: fc.option(fc.constant(['future.kind']), { nil: undefined }),
  })
  .map((some) => ({
    run,
    ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)),
  }))

test('a prefix, a snapshot as JSON text, then the suffix equals the whole', () => {
  fc.assert(
    fc.property(anyLog, fc.nat(), fc.nat(1), options, (log, draw, ends, own) => {
      const cut = draw % (log.length + 1)
      const first = reduceProgress(log.slice(0, cut), own)
      const restored = restoreProgress(JSON.parse(JSON.stringify(first.snapshot())))
      const direct = reduceProgress(log.slice(0, cut), own)
      expect(whole(restored)).toEqual(whole(direct))
      for (const event of log.slice(cut)) restored.feed(event)
      const all = reduceProgress(log, own)
      if (ends === 1) {
        restored.end()
        all.end()
      }
      expect(whole(restored)).toEqual(whole(all))
      expect(restored.snapshot()).toEqual(all.snapshot())
    }),
    { numRuns: 1500 },
  )
})

test('a replayed envelope of the log changes nothing but duplicates', () => {
  fc.assert(
    fc.property(ownLog, fc.nat(), fc.boolean(), (log, draw, ended) => {
      const progress = reduceProgress(log, { run })
      if (ended) progress.end()
      const before = view(progress)
      const event = log[draw % Math.max(1, log.length)]
      if (event !== undefined) {
        progress.feed(structuredClone(event))
        expect(progress.duplicates).toBe(1)
      }
      expect(view(progress)).toEqual(before)
    }),
  )
})

test('one deletion, repetition, swap or foreign event never makes an issue-free log done', () => {
  fc.assert(
    fc.property(faultyOnce, ({ log, faulty }) => {
      const progress = reduceProgress(log, { run })
      if (progress.issues.length > 0 || progress.status === 'done') return
      expect(isDone(faulty)).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

test('done needs an end, a verdict on this text, settled tools, no wait, no cancel', () => {
  fc.assert(
    fc.property(ownLog, (log) => {
      const progress = reduceProgress(log, { run })
      if (progress.status === 'done') expect(provesDone(log)).toBe(true)
      if (progress.issues.length > 0) expect(progress.status).toBe('unknown')
    }),
    { numRuns: 2000 },
  )
})

test('the end of the input signs nothing', () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const progress = reduceProgress(log, { run })
      const { terminal, verdict, finalText, status } = progress
      progress.end()
      progress.end()
      expect([progress.terminal, progress.verdict, progress.finalText]).toEqual([
        terminal,
        verdict,
        finalText,
      ])
      const wasOpen = status === 'running' || status === 'cancelling'
      expect(progress.status).toBe(wasOpen ? 'unknown' : status)
    }),
  )
})

describe('whatever a program feeds', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  })
  const wrapped = fc.oneof(
    anything,
    anything.map((data) => ({ run, id: `${run}:1`, seq: 1, kind: 'text.delta', data })),
    anything.map((text) => ({ run, id: `${run}:1`, seq: 1, kind: 'text.delta', data: { text } })),
    anything.map((more) => ({ run, id: 'x', seq: 1, kind: 'future.kind', data: { more } })),
  )

  test('it never throws, is judged alike twice, and its snapshot goes on', () => {
    fc.assert(
      fc.property(fc.array(wrapped, { maxLength: 4 }), options, (log, own) => {
        const progress = reduceProgress(log, own)
        expect(whole(reduceProgress(log, own))).toEqual(whole(progress))
        const restored = restoreProgress(JSON.parse(JSON.stringify(progress.snapshot())))
        expect(whole(restored)).toEqual(whole(progress))
      }),
      { numRuns: 1500 },
    )
  })
})

describe('options beyond the seed', () => {
  test('change nothing of a log that has no use for them', () => {
    fc.assert(
      fc.property(ownLog, (log) => {
        const large = { run, window: 1000, reorderEventsMax: 100, ignoreKinds: ['never.seen'] }
        const { window, ...seen } = { window: null, ...whole(reduceProgress(log, large)) }
        expect({ ...seen, window: null }).toEqual(whole(reduceProgress(log, { run })))
        expect(window).toEqual({ events: 1000, forgotten: 0, textDropped: 0 })
      }),
    )
  })

  test('a reorder buffer of n judges a log whose events are up to n late as if in order', () => {
    fc.assert(
      fc.property(
        ownLog,
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(fc.nat(1000)),
        (log, n, draws) => {
          const shuffled = log
            .map((event, index) => ({
              event,
              place: index + (Number(draws.next().value) % (n + 1)),
            }))
            .toSorted((a, b) => a.place - b.place)
            .map(({ event }) => event)
          const progress = reduceProgress(shuffled, { run, reorderEventsMax: n })
          expect(whole(progress)).toEqual(whole(reduceProgress(log, { run })))
        },
      ),
    )
  })

  test('a window keeps the claim of a good log, and makes no log done that is not', () => {
    fc.assert(
      fc.property(faultyOnce, fc.integer({ min: 1, max: 6 }), ({ log, faulty }, window) => {
        const good = reduceProgress(log, { run })
        expect(reduceProgress(log, { run, window }).status).toBe(good.status)
        if (isDone(faulty, { run, window })) expect(isDone(faulty)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('a reorder buffer makes nothing done that the sorted log is not', () => {
    fc.assert(
      fc.property(faultyOnce, fc.integer({ min: 1, max: 4 }), ({ faulty }, reorderEventsMax) => {
        const sorted = faulty.toSorted((a, b) => a.seq - b.seq)
        if (isDone(faulty, { run, reorderEventsMax })) expect(isDone(sorted)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('an ignorable kind alone is passed over', () => {
    const log = [{ run, id: 'a', seq: 1, kind: 'future.kind', data: { deep: [1] } }]
    expect(reduceProgress(log, { run, ignoreKinds: ['future.kind'] }).issues).toEqual([])
    expect(createProgress({ run, ignoreKinds: ['other.kind'] }).status).toBe('running')
    expect(reduceProgress(log, { run, ignoreKinds: ['other.kind'] }).issues).toEqual([
      'unknown_event',
    ])
  })
})
