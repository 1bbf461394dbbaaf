/**
 * Every log of up to five events over an alphabet of ten: nothing is done
 * without proof, and no single fault of the transport makes it look so.
 */
import { createProducer, createProgress, reduceProgress, verdictFor } from '@runproof/progress'
import type { Envelope, JsonObject } from '@runproof/progress'
import { describe, expect, test } from 'vitest'
import { digestOf } from './arbitrary.ts'
import { provesDone } from './proof.ts'

const run = 'r'
const lengthMax = 5

const alphabet: readonly (readonly [kind: string, data: JsonObject])[] = [
  ['text.delta', { text: 'a' }],
  ['tool.requested', { call_id: 'c' }],
  ['tool.finished', { call_id: 'c' }],
  ['approval.wait', {}],
  ['cancel.requested', {}],
  ['run.ended', { outcome: 'succeeded', final_text: 'a' }],
  ['run.ended', { outcome: 'paused', final_text: null }],
  ['app.checked', { digest: digestOf('a'), ok: true }],
  ['app.checked', { digest: digestOf('b'), ok: true }],
  ['future.kind', {}],
]

/** All sequences of letters up to `lengthMax`, as logs of a producer. */
function* allLogs(): Generator<Envelope[]> {
  const letters: number[] = []
  for (;;) {
    const { emit } = createProducer(run)
    yield letters.map((letter) => emit(...(alphabet[letter] ?? ['', {}])))
    let last = letters.length - 1
    while (last >= 0 && letters[last] === alphabet.length - 1) letters[last--] = 0
    if (last >= 0) letters[last] = (letters[last] ?? 0) + 1
    else if (letters.length < lengthMax) letters.push(0)
    else return
  }
}

/** Every log that one deletion, repetition, swap or foreign event makes of this one. */
function* singleFaults(log: readonly Envelope[]): Generator<Envelope[]> {
  for (const [index, event] of log.entries()) {
    yield log.toSpliced(index, 1)
    yield log.toSpliced(index, 0, { ...event, run: 'other' })
    for (let to = 0; to <= log.length; to++) yield log.toSpliced(to, 0, event)
    for (let to = index + 1; to < log.length; to++) {
      const other = log[to]
      if (other !== undefined) yield log.with(index, other).with(to, event)
    }
  }
}

const statusOf = (log: readonly Envelope[]): string => {
  const progress = reduceProgress(log, { run })
  progress.end()
  return progress.status
}

test('exhaustively: done needs proof, and one fault of the transport never gives it', () => {
  const count = { logs: 0, done: 0, issueFree: 0, faulty: 0 }
  const unproven: Envelope[][] = []
  const broken: { log: Envelope[]; faulty: Envelope[] }[] = []
  for (const log of allLogs()) {
    count.logs++
    const progress = reduceProgress(log, { run })
    const issueFree = progress.issues.length === 0
    progress.end()
    if (progress.status === 'done') {
      count.done++
      if (!provesDone(log) || progress.issues.length > 0) unproven.push(log)
    } else if (issueFree) {
      count.issueFree++
      for (const faulty of singleFaults(log)) {
        count.faulty++
        if (statusOf(faulty) === 'done') broken.push({ log, faulty })
      }
    }
  }
  expect(unproven).toEqual([])
  expect(broken).toEqual([])
  expect(count.logs).toBe(111_111)
  // Before the end and its check: up to three texts, or a settled call with a text in any place.
  expect(count.done).toBe(4 + 1 + 3)
  expect(count.issueFree).toBeGreaterThan(1000)
  expect(count.faulty).toBeGreaterThan(50_000)
})

describe('the two limits', () => {
  const { emit } = createProducer(run)
  const ended = emit('run.ended', { outcome: 'succeeded', final_text: 'a' })
  const progress = createProgress({ run })
  progress.feed(ended)
  const verdict = emit('app.checked', verdictFor(progress, true))
  const late = emit('tool.requested', { call_id: 'c' })

  test('a lost tail cannot be seen from inside', () => {
    expect(statusOf([ended, verdict, late])).toBe('unknown')
    expect(statusOf([ended, verdict])).toBe('done')
  })

  test('the digest binds a verdict to a text and does not say who gave it', () => {
    const forged = { ...verdict, data: { digest: digestOf('a'), ok: true } }
    expect(statusOf([ended, forged])).toBe('done')
    const stale = { ...verdict, data: { digest: digestOf('b'), ok: true } }
    expect(statusOf([ended, stale])).toBe('unknown')
  })
})
