/**
 * Scenario folders of the DeepSeek Harness, unchanged, against our agent. What
 * differs is what really is different: how the agents name themselves and their
 * modes, and the tools that only one of them has.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventChange } from '../src/compare/difference.ts'
import { readConfig } from '../src/config/read.ts'
import type { ScenarioResult } from '../src/run/scenario.ts'
import { runSuite } from '../src/run/suite.ts'
import { selectScenarios } from '../src/scenario/select.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const recordings = join(repository, '..', 'shared', 'recordings', 'deepseek-harness')
const isThere = existsSync(recordings)

let results: Map<string, ScenarioResult>

beforeAll(async () => {
  if (!isThere) return
  const config = await readConfig(repository)
  const scenarios = await selectScenarios(config, {
    scenarios: [recordings],
    agent: 'runproof-agent',
  })
  const all = await runSuite(scenarios, {
    config,
    env: process.env,
    pins: new Map(),
    pending: null,
    outFolder: null,
    jobs: 2,
  })
  results = new Map(all.map((result) => [result.scenario, result]))
}, 120_000)

/** Where an event differs: its line in the golden, or in the output for an extra one. */
const place = (change: EventChange): string =>
  change.kind === 'extra'
    ? `extra ${change.event}`
    : `${change.kind} line ${change.line} ${change.event}`

function differences(scenario: string): Record<string, string[]> {
  const { failures } = results.get(scenario) ?? { failures: [] }
  return Object.fromEntries(
    failures.map(({ code, difference }) => [
      difference?.file ?? code,
      difference?.changes.filter(({ kind }) => kind !== 'renumbered').map(place) ?? [],
    ]),
  )
}

const handshake = ['changed line 1 response', 'changed line 2 response']

describe.runIf(isThere)(
  isThere
    ? 'folders of the DeepSeek Harness'
    : 'skipped: no ../shared/recordings beside the checkout',
  () => {
    it.each<[string, string, Record<string, string[]>]>([
      ['handshake', '', { 'stdout.golden.jsonl': handshake }],
      ['text-turn', 'checking', { 'stdout.golden.jsonl': handshake }],
      ['tool-call-turn', 'checking', { 'stdout.golden.jsonl': handshake }],
      ['fs-read', 'checking', { 'stdout.golden.jsonl': handshake }],
      ['fs-edit', 'checking', { 'stdout.golden.jsonl': handshake }],
      ['todo-plan', 'checking', { 'stdout.golden.jsonl': handshake }],
      ['cancel', 'cancelled', { 'stdout.golden.jsonl': handshake }],
    ])('%s ends in "%s" and differs only in the handshake', (scenario, claim, expected) => {
      expect(differences(scenario)).toEqual(expected)
      expect(results.get(scenario)?.claim ?? '').toBe(claim)
    })

    it('a provider error carries its code too', () => {
      expect(differences('error-finish')).toEqual({
        'stdout.golden.jsonl': [...handshake, 'changed line 3 error response'],
      })
      expect(results.get('error-finish')?.claim).toBe('failed')
    })

    it('an escalation is announced pending before it is asked for', () => {
      const found = differences('escalation-approved')
      expect(found['stdout.golden.jsonl']).toEqual(
        expect.arrayContaining(['changed line 32 tool_call', 'extra tool_call_update']),
      )
      expect(results.get('escalation-approved')?.claim).toBe('checking')
    })

    it.each([
      [
        'hook-cc-promptsubmit-block',
        'replay-exhausted',
        'it has hooks: the prompt never reached a model',
      ],
      [
        'subagent-spawn',
        'replay-unused',
        'it has sub-agents: the call fails here, the child stays unused',
      ],
    ])('%s: %s, because %s', (scenario, code) => {
      expect(results.get(scenario)?.failures.map((failure) => failure.code)).toEqual([code])
    })
  },
)
