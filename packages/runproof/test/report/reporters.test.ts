/** What the reporters print, over the same results. */
import { describe, expect, it } from 'vitest'
import { renderFailures } from '../../src/report/failure-text.ts'
import { createGithubReporter, type GithubOptions } from '../../src/report/github.ts'
import { createJsonReporter } from '../../src/report/json.ts'
import { createJunitReporter } from '../../src/report/junit.ts'
import { createLiveReporter } from '../../src/report/live.ts'
import { createPrettyReporter } from '../../src/report/pretty.ts'
import { orderResults, type Reporter } from '../../src/report/reporter.ts'
import type { Scenario } from '../../src/scenario/scenario.ts'
import type { ScenarioResult } from '../../src/run/scenario.ts'
import { PassThrough } from 'node:stream'

const base: ScenarioResult = {
  scenario: 'good',
  agent: 'mine',
  folder: '/project/scenarios/mine/good',
  description: null,
  passed: true,
  failures: [],
  claim: 'done',
  claims: ['done'],
  stepCount: 3,
  durationMs: 120,
  stderrTail: [],
}

const running: Scenario = {
  name: 'good',
  agent: 'mine',
  folder: base.folder,
  isForeign: false,
  files: {},
  childLogs: [],
  input: {
    description: null,
    agent: null,
    overridden: false,
    recorded: null,
    headerClass: null,
    env: {},
    expect: null,
    permissionAnswers: [],
    steps: [],
  },
}

const bad: ScenarioResult = {
  ...base,
  scenario: 'bad<&"\u001b[31m',
  folder: '/project/scenarios/mine/bad',
  passed: false,
  claim: 'unknown',
  claims: ['checking', 'unknown'],
  durationMs: 3210,
  failures: [
    {
      code: 'difference',
      step: null,
      message: 'stdout.golden.jsonl: line 4 is "50%"',
      details: ['if the change is meant: runproof review'],
      difference: {
        scenario: 'bad',
        file: 'stdout.golden.jsonl',
        kind: 'changed',
        summary: 'line 4 is "50%"',
        cause: 'c',
        changes: [{ kind: 'missing', event: 'plan', line: 4, expected: '{"a":1}' }],
        changeCount: 1,
      },
    },
    {
      code: 'step-timeout',
      step: { number: 3, op: 'prompt' },
      message: 'the agent hangs',
      details: [],
      showsStderr: true,
    },
  ],
  stderrTail: ['\u001b]0;title\u0007 died'],
}

const results = [base, bad]

async function report(create: (write: (line: string) => void) => Reporter): Promise<string> {
  const lines: string[] = []
  const reporter = create((line) => lines.push(line))
  reporter.begin?.(
    results.map(({ scenario, folder }) => ({ name: scenario, folder, problems: [] })),
  )
  for (const result of results) reporter.result?.(result)
  await reporter.finish({ results, leftOut: 3, durationMs: 4000, jobs: 2 })
  return `${lines.join('\n')}\n`
}

const pretty = (write: (line: string) => void): Reporter =>
  createPrettyReporter({ write, colours: false, from: '/project' })

const github =
  ({ writePage = null }: Partial<GithubOptions>) =>
  (write: (line: string) => void): Reporter =>
    createGithubReporter({
      write,
      from: '/project',
      inner: pretty(write),
      token: 'end-of-quotes',
      writePage,
    })

describe('reporters', () => {
  it.each<[string, (write: (line: string) => void) => Reporter]>([
    ['pretty.txt', pretty],
    ['junit.xml', (write) => createJunitReporter(write, '/project')],
    ['github.txt', github({})],
    ['github-page.txt', (write) => github({ writePage: async (page) => write(page) })(() => {})],
    ['results.jsonl', createJsonReporter],
  ])('%s', async (name, create) => {
    const text = await report(create)
    await expect(text).toMatchFileSnapshot(`reports/${name}`)
    // oxlint-disable-next-line no-control-regex -- control characters are what must not get through
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/)
  })

  it('the command to run again is one word, safe to print and to paste', () => {
    const again = (name: string): string | undefined =>
      renderFailures({ ...bad, folder: `/project/${name}` }, { colours: false, from: '/project' })
        .split('\n')
        .at(-1)
    expect(again('a/b')).toMatch(/ test a\/b --out/)
    expect(again(`it's`)).toContain(String.raw` test 'it'\''s' --out`)
    expect(again(`it's\u001b[31m\\`)).toContain(String.raw` test $'it\'s\x1b[31m\\' --out`)
  })

  it('the live view shows steps and claims, then leaves the lines of the other', async () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 20 })
    const lines: string[] = []
    const reporter = createLiveReporter({
      stream,
      write: (line) => lines.push(line),
      createInner: pretty,
    })
    reporter.begin?.([running])
    reporter.progress?.(running, { step: 3, stepCount: 3, op: 'prompt', claim: 'checking' })
    reporter.result?.(base)
    await reporter.finish({ results: [base], leftOut: 0, durationMs: 10, jobs: 1 })
    expect(lines.join('\n')).toContain('1 scenario: all passed')
    expect(String(stream.read())).toContain('✓ good')
  })
})

it('results reach a reporter in the order of the scenarios, whatever ends first', () => {
  const names = ['a', 'b', 'c', 'd']
  const seen: string[] = []
  const events = orderResults(
    names.map((name) => ({ name, folder: `/${name}`, problems: [] })),
    { result: ({ scenario }) => seen.push(scenario), finish: () => Promise.resolve() },
  )
  const end = (name: string): void =>
    events.onEnd?.({ ...base, scenario: name, folder: `/${name}` })
  end('c')
  end('b')
  expect(seen).toEqual([])
  end('a')
  expect(seen).toEqual(['a', 'b', 'c'])
  end('d')
  expect(seen).toEqual(names)
})
