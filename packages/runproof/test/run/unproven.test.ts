/** What must never pass: something that was not run, not compared, or left in a way that proves nothing. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configFor, createProject, resultsOf, script, type Project } from '../project.ts'

const say = (text: string, ...accept: object[]) => ({ op: 'prompt', text, accept })

/** What is wrong, beside goldens that are still to be accepted. */
async function codes(project: Project): Promise<string[]> {
  const { stdout } = await project.test([], { json: true })
  const [result] = resultsOf(stdout)
  return (result?.failures ?? [])
    .map(({ code }) => code)
    .filter((code) => code !== 'missing-golden')
}

describe('a condition of acceptance', () => {
  const one = (steps: object[], expectation: object = {}): Project =>
    createProject({
      'runproof.yml': configFor(['talks']),
      'scenarios/talks/one/input.json': { ...script(...steps), ...expectation },
    })
  const rejected = { expect: { status: 'rejected' } }

  it.each<[string, object[], object, string[]]>([
    ['that holds', [say('a', { equals: 'a' })], {}, []],
    ['that does not hold', [say('a', { equals: 'b' })], {}, ['claim']],
    ['of a prompt before the last', [say('a', { equals: 'b' }), say('c')], {}, ['claim']],
    ['that does not hold, as expected', [say('a', { equals: 'b' })], rejected, []],
    [
      'that cannot be judged is no rejection',
      [say('a', { command: ['/no/such'] })],
      rejected,
      ['not-judged'],
    ],
  ])('%s', async (_what, steps, expectation, expected) => {
    expect(await codes(one(steps, expectation))).toEqual(expected)
  })
})

describe('a folder that holds a secret', () => {
  it('fails, says nothing of it, claims nothing and leaves nothing to accept', async () => {
    const secret = `sk-proj-${'4f9Kq2Xw7Rz1Lm8Bv3Nc'.repeat(2)}`
    const project = createProject({
      'runproof.yml': configFor(['talks']),
      'scenarios/talks/one/input.json': {
        ...script(say('a', { equals: 'a' })),
        description: `Uses ${secret}.`,
      },
    })
    const { stdout, stderr } = await project.test([], { json: true, out: 'out' })
    expect(resultsOf(stdout)).toMatchObject([
      { passed: false, claim: null, failures: [{ code: 'guard' }] },
    ])
    expect(stdout).toContain('input.json:1: holds a secret (sk-key)')
    expect(stdout + stderr).not.toContain(secret)
    expect(existsSync(join(project.root, '.runproof'))).toBe(false)
    expect(readdirSync(join(project.root, 'out', 'one'))).toEqual([])
  })
})

describe('a replay in the agent', () => {
  const restart = [say('Hi'), { op: 'loadSession', restart: true }]
  const replayed = async (
    env: Record<string, string>,
    steps: object[] = [say('Hi')],
  ): Promise<string[]> => {
    const input = script(...steps)
    const project = createProject({
      'runproof.yml': configFor(['logs'], { logs: { record: { passEnv: ['MODEL_ANSWER'] } } }),
      'scenarios/logs/one/input.json': input,
    })
    const { code, stdout } = await project.record([], {}, { MODEL_ANSWER: 'forty-two' })
    expect(code, stdout).toBe(0)
    project.write('scenarios/logs/one/input.json', { ...input, env })
    return codes(project)
  }

  it.each<[string, Record<string, string>, string[]]>([
    ['that reports', {}, []],
    ['without a report', { SILENT: '1' }, ['replay-unreported']],
    [
      'without a report, with a log that has spaces',
      { SILENT: '1', SPACED: '1' },
      ['replay-unreported'],
    ],
    ['with a report that says nothing', { REPORT: '{}' }, ['replay-unreported']],
    ['with half a report', { REPORT: '{"served":1,"unus' }, ['replay-unreported']],
    ['with a log that is torn', { TORN: '1' }, ['difference']],
  ])('%s', async (_what, env, expected) => {
    expect(await replayed(env)).toEqual(expected)
  })

  it.each([
    ['reports twice', {}, []],
    ['reports for the first process only', { SILENT: 'later' }, ['replay-unreported']],
    ['reports for the second process only', { SILENT: 'first' }, ['replay-unreported']],
  ])('%s, restarted', async (_what, env, expected) => {
    expect(await replayed(env, restart)).toEqual(expected)
  })
})

describe('an agent that leaves badly', () => {
  it.each<[string, object, Record<string, string>, object[], string[]]>([
    [
      'before a restart',
      {},
      { FIRST_CODE: '3' },
      [{ op: 'loadSession', restart: true }],
      ['bad-exit'],
    ],
    [
      'by itself, where a signal should end it',
      { endsBy: 'signal' },
      { OWN_CODE: '3' },
      [],
      ['bad-exit'],
    ],
    ['by the signal', { endsBy: 'signal' }, {}, [], []],
  ])('%s', async (_what, config, env, steps, expected) => {
    const project = createProject({
      'runproof.yml': configFor(['leaves'], { leaves: { quietMs: 300, ...config } }),
      'scenarios/leaves/one/input.json': { ...script(say('a'), ...steps), env },
    })
    expect(await codes(project)).toEqual(expected)
  })
})
