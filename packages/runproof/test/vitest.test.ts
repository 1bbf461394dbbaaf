/** `runproof/vitest` in a vitest of its own: one test a scenario, `-t`, `-u`, and the text of a failure. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { configFor, script } from './project.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs')
let root = ''

const files: Record<string, string> = {
  'runproof.yml': configFor(['talks', 'crashes']),
  'all.test.ts': `import { defineScenarios } from 'runproof/vitest'\nawait defineScenarios()\n`,
  'vitest.config.ts': `export default { test: { reporters: ['json'] } }\n`,
  'scenarios/talks/hello/input.json': JSON.stringify(script({ op: 'prompt', text: 'hello' })),
  'scenarios/talks/other/input.json': JSON.stringify(script({ op: 'prompt', text: 'other' })),
  'scenarios/crashes/crash/input.json': JSON.stringify(script({ op: 'prompt', text: 'x' })),
}

beforeAll(() => {
  // Inside the repository, so that packages are found by name.
  const cache = join(repository, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  root = mkdtempSync(join(cache, 'vitest-face-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function run(...args: string[]): Map<string, { status: string; text: string }> {
  const { CI: _ci, ...env } = process.env
  const report = join(root, 'report.json')
  spawnSync(process.execPath, [vitest, 'run', '--outputFile', report, ...args], { cwd: root, env })
  const [file] = JSON.parse(readFileSync(report, 'utf8')).testResults
  return new Map(
    file.assertionResults.map(
      (one: { fullName: string; status: string; failureMessages: string[] }) => [
        one.fullName,
        { status: one.status, text: one.failureMessages.join('\n') },
      ],
    ),
  )
}

const goldens = (): string[] =>
  readdirSync(join(root, 'scenarios'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.golden.'))
    .toSorted()

it('is one test a scenario, whose failure tells the whole story', () => {
  const tests = run()
  expect([...tests.keys()].toSorted()).toEqual(['crashes crash', 'talks hello', 'talks other'])
  expect(tests.get('crashes crash')?.text).toContain(
    'step 3 (prompt): the agent exited with code 7 while the script waited for the answer',
  )
  expect(tests.get('talks hello')?.text).toContain('there is no stdout.golden.jsonl yet')
  expect(goldens()).toEqual([])
})

it('writes the goldens of the chosen tests with -u, and only goldens', () => {
  const tests = run('-u', '-t', 'hello')
  expect(tests.get('talks hello')?.status).toBe('passed')
  expect(tests.get('talks other')?.status).toBe('skipped')
  expect(goldens()).toEqual([
    join('talks', 'hello', 'progress.golden.txt'),
    join('talks', 'hello', 'stdout.golden.jsonl'),
  ])
  const golden = readFileSync(join(root, 'scenarios', goldens()[1] ?? ''), 'utf8')
  expect(golden).toContain('"text":"hel"')
  expect(run('-t', 'hello').get('talks hello')?.status).toBe('passed')
})
