import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { judgeAcceptance, type Judgement } from '../../src/run/accept.ts'
import type { Accept } from '../../src/scenario/step.ts'

function judge(finalText: string, ...conditions: Accept[]): Promise<Judgement> {
  const cwd = mkdtempSync(join(tmpdir(), 'accept-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'left.txt'), 'behind\n')
  const env = { PATH: process.env['PATH'] ?? '' }
  return judgeAcceptance(conditions, {
    finalText,
    cwd,
    workspaceExpected: null,
    env,
    limitMs: 1_000,
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
      'all of several',
      'a',
      [{ equals: 'a' }, { matches: 'b' }, { equals: 'c' }],
      ['the final text "a" does not match b', 'the final text is "a", not "c"'],
    ],
    [
      'one after the other: the second sees what the first has left',
      '',
      [
        node(`setTimeout(() => require('fs').writeFileSync('made.txt', ''), 100)`),
        node(`require('fs').readFileSync('made.txt')`),
      ],
      [],
    ],
  ])('%s', async (_what, text, conditions, problems) => {
    expect(await judge(text, ...conditions)).toEqual({
      rejections: problems.map((one) =>
        typeof one === 'string' ? one : expect.stringMatching(one),
      ),
    })
  })

  it.each<[string, Accept, RegExp]>([
    ['no such command', { command: ['/no/such'], exitCode: 0 }, /\/no\/such cannot be started/],
    ['a workspace without expectation', { workspace: true }, /no workspace\.expected/],
    ['no schema', { jsonSchema: { type: 'strnig' } }, /no usable schema/],
    ['a command that never ends', node('setInterval(() => {}, 1000)'), /within 1000 ms/],
  ])('is neither way with %s', async (_what, condition, message) => {
    expect(await judge('{}', condition, { equals: '{}' })).toEqual({
      problem: { code: 'not-judged', message: expect.stringMatching(message), details: [] },
    })
  })

  it.runIf(process.platform !== 'win32')('waits for no child of a command', async () => {
    const command = ['sh', '-c', 'sleep 5 & echo started; exit 1']
    const startedAt = performance.now()
    expect(await judge('', { command, exitCode: 0 })).toMatchObject({
      rejections: [expect.stringMatching(/exited with 1/), 'started'],
    })
    expect(performance.now() - startedAt).toBeLessThan(4000)
  })
})
