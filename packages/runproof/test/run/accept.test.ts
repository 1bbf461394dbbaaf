import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { judgeAcceptance } from '../../src/run/accept.ts'
import type { Accept } from '../../src/scenario/step.ts'

function judge(finalText: string, ...conditions: Accept[]): Promise<string[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'accept-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'left.txt'), 'behind\n')
  const env = { PATH: process.env['PATH'] ?? '' }
  return judgeAcceptance(conditions, {
    finalText,
    cwd,
    workspaceExpected: null,
    env,
    limitMs: 5_000,
  })
}

const node = (code: string, exitCode = 0): Accept => ({
  command: [process.execPath, '-e', code],
  exitCode,
})

describe('acceptance', () => {
  it.each<[string, string, Accept[], (string | RegExp)[]]>([
    ['the exact text', 'yes', [{ equals: 'yes' }], []],
    ['another text', 'yes ', [{ equals: 'yes' }], ['the final text is "yes ", not "yes"']],
    ['a pattern', 'say yes', [{ matches: 'y.s$' }], []],
    [
      'a pattern that does not fit',
      'no',
      [{ matches: '^y' }],
      ['the final text "no" does not match ^y'],
    ],
    ['JSON of the shape', '{"a":1}', [{ jsonSchema: { required: ['a'] } }], []],
    [
      'JSON of another shape',
      '{"b":"x"}',
      [{ jsonSchema: { required: ['a'], properties: { b: { type: 'number' } } } }],
      ["the final text's value must have required property 'a'"],
    ],
    ['text that is no JSON', 'hm', [{ jsonSchema: true }], ['the final text is not JSON: "hm"']],
    ['a command in the workspace', '', [node(`require('fs').readFileSync('left.txt')`)], []],
    ['a command that shall fail', '', [node('process.exit(3)', 3)], []],
    [
      'a command that fails',
      '',
      [node(`console.error('two tests are red'); process.exit(1)`)],
      [/exited with 1, expected 0$/, 'two tests are red'],
    ],
    [
      'no such command',
      '',
      [{ command: ['/no/such'], exitCode: 0 }],
      [/^\/no\/such: cannot be started/],
    ],
    ['a workspace without expectation', '', [{ workspace: true }], [/no workspace\.expected/]],
    [
      'all of several',
      'a',
      [{ equals: 'a' }, { matches: 'b' }, { equals: 'c' }],
      ['the final text "a" does not match b', 'the final text is "a", not "c"'],
    ],
  ])('%s', async (_what, text, conditions, problems) => {
    expect(await judge(text, ...conditions)).toEqual(
      problems.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
    )
  })

  it('a command that does not end is ended', async () => {
    const cwd = tmpdir()
    const env = { PATH: process.env['PATH'] ?? '' }
    const context = { finalText: '', cwd, workspaceExpected: null, env, limitMs: 200 }
    const [problem] = await judgeAcceptance([node('setInterval(() => {}, 1000)')], context)
    expect(problem).toMatch(/was ended by SIGKILL, expected 0$/)
  })
})
