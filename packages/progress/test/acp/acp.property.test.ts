/** Laws of the ACP adapter, whatever the input. */
import { isEnvelope, type Envelope } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/acp'
import fc from 'fast-check'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { claimsOf, envelopesOf, fixture, linesOf, tasksOf } from './judge.ts'
import {
  allow,
  ask,
  call,
  callUpdate,
  cancel,
  failure,
  prompt,
  say,
  stop,
  toAgent,
  toClient,
  update,
} from './wire.ts'

const ids = fc.constantFrom<unknown>(1, 2, '1', null)
const calls = fc.constantFrom('a', 'b')
const statuses = fc.constantFrom('pending', 'in_progress', 'completed', 'failed', 'odd')

/** Messages that nearly make sense, in any order. */
const message = fc.oneof(
  ids.map((id) => prompt(id)),
  ids.map((id) => stop(id)),
  ids.map((id) => failure(id, -32603)),
  fc.string().map((text) => say(text)),
  fc.tuple(calls, statuses).map(([id, status]) => call(id, status)),
  fc.tuple(calls, statuses).map(([id, status]) => callUpdate(id, status)),
  fc.tuple(ids, calls).map(([id, of]) => ask(id, of)),
  ids.map((id) => allow(id)),
  fc.constant(cancel()),
  fc.constantFrom('plan', 'usage_update', 'user_message_chunk').map((kind) => update(kind)),
)
const line = fc
  .tuple(message, fc.boolean(), fc.option(fc.nat(1000), { nil: undefined }))
  .map(([m, isClients, t]) => (isClients ? toAgent(m, t) : toClient(m, t)))
const anyLine = fc.oneof(
  { weight: 8, arbitrary: line },
  { weight: 2, arbitrary: message },
  { weight: 1, arbitrary: fc.jsonValue() },
)

const numberedFrom1 = (envelopes: readonly Envelope[]): boolean => {
  const next = new Map<string, number>()
  return envelopes.every(({ run, seq }) => {
    const expected = next.get(run) ?? 1
    next.set(run, expected + 1)
    return seq === expected
  })
}

describe('the ACP adapter', () => {
  it('never throws, and emits well-formed envelopes numbered without gaps', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 60 }), fc.boolean(), (lines, runtimeFailed) => {
        const envelopes = envelopesOf(createAdapter({ run: 'p' }), lines, { runtimeFailed })
        expect(envelopes.every(isEnvelope)).toBe(true)
        expect(numberedFrom1(envelopes)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('never gives a verdict and never claims done', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 60 }), (lines) => {
        const envelopes = envelopesOf(createAdapter({ run: 'p' }), lines, {})
        expect(envelopes.map(({ kind }) => kind)).not.toContain('app.checked')
        expect(tasksOf(envelopes).map(({ status }) => status)).not.toContain('done')
      }),
      { numRuns: 300 },
    )
  })

  it('claims a success only of a prompt that was answered with end_turn', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
        const ends = lines.filter(({ m }) => JSON.stringify(m).includes('end_turn')).length
        const claims = claimsOf(envelopesOf(createAdapter({ run: 'p' }), lines, {}))
        expect(claims.filter((claim) => claim.startsWith('checking')).length).toBeLessThanOrEqual(
          ends,
        )
      }),
      { numRuns: 300 },
    )
  })

  const files = readdirSync(fixture('acp/authored'))

  it.each(files)(
    '%s: each cut is told as far as it goes, and never as a success of an open prompt',
    (name) => {
      const lines = linesOf(fixture(`acp/authored/${name}`))
      const whole = lines.flatMap((one, at) => createUpTo(lines, at).push(one))
      for (let cut = 0; cut <= lines.length; cut++) {
        const adapter = createAdapter({ run: 'p' })
        const told = lines.slice(0, cut).flatMap((one) => adapter.push(one))
        expect(told).toEqual(whole.slice(0, told.length))
        const answered = lines
          .slice(0, cut)
          .filter((one) => JSON.stringify(one).includes('stopReason'))
        const successes = claimsOf([...told, ...adapter.finish({})]).filter((claim) =>
          claim.startsWith('checking'),
        )
        expect(successes.length).toBeLessThanOrEqual(answered.length)
      }
    },
  )
})

/** An adapter that has taken the lines before `at`. */
function createUpTo(lines: readonly unknown[], at: number): ReturnType<typeof createAdapter> {
  const adapter = createAdapter({ run: 'p' })
  for (const one of lines.slice(0, at)) adapter.push(one)
  return adapter
}
