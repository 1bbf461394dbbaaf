/** `runproof test` as a command: what it writes, what it keeps, what it refuses, and that jobs change nothing. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPendingStore } from '../../src/pending/store.ts'
import type { TestOptions } from '../../src/run/command.ts'
import { configFor, createProject, resultsOf, script, type Project } from '../project.ts'

const say = (text: string, ...accept: object[]) => ({ op: 'prompt', text, accept })

const files = {
  'runproof.yml': configFor(['talks', 'writes', 'calculator'], {
    calculator: { protocol: 'jsonl' },
  }),
  'scenarios/talks/hello/input.json': script(say('hello', { equals: 'hello' })),
  'scenarios/talks/twice/input.json': script(say('one'), say('two')),
  'scenarios/writes/file/input.json': script(say('write a.txt 1', { workspace: true })),
  'scenarios/writes/file/workspace/kept.txt': 'kept\n',
  'scenarios/writes/file/workspace.expected/kept.txt': 'kept\n',
  'scenarios/writes/file/workspace.expected/a.txt': '1\n',
  'scenarios/calculator/sum/input.json': {
    version: 1,
    steps: [
      { op: 'waitFor', message: { ready: true } },
      { op: 'send', message: { add: [1, 2] }, until: { sum: 3 } },
      { op: 'send', message: { add: [0.5, -4] } },
    ],
  },
}

function project(env?: Record<string, string>): Project {
  const made = createProject(files, env)
  return made
}

async function accepted(made: Project = project()): Promise<Project> {
  await made.test()
  const store = createPendingStore(made.root)
  for (const { key } of (await store.list()).pending) {
    expect(await store.accept(key)).toMatchObject({ accepted: true })
  }
  return made
}

const goldens = ({ root }: Project): string[] =>
  readdirSync(join(root, 'scenarios'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.golden.'))
    .toSorted()

describe('runproof test', () => {
  it('writes no golden, but what it would be, to be accepted; then it passes', async () => {
    const made = project()
    expect((await made.test()).code).toBe(1)
    expect(goldens(made)).toEqual([])
    const { pending } = await createPendingStore(made.root).list()
    expect(pending.map(({ key }) => key)).toEqual([
      'file/progress.golden.txt',
      'file/stdout.golden.jsonl',
      'hello/progress.golden.txt',
      'hello/stdout.golden.jsonl',
      'sum/stdout.golden.jsonl',
      'twice/progress.golden.txt',
      'twice/stdout.golden.jsonl',
    ])
    for (const { key } of pending) await createPendingStore(made.root).accept(key)
    const { code, stdout } = await made.test()
    expect(stdout).toContain('4 scenarios: all passed')
    expect(code).toBe(0)
    expect((await createPendingStore(made.root).list()).pending).toEqual([])
  })

  it('knows a program that is no agent: the same launch, script, normalising and review', async () => {
    const made = await accepted()
    const golden = join(made.root, 'scenarios', 'calculator', 'sum', 'stdout.golden.jsonl')
    expect(readFileSync(golden, 'utf8')).toBe(
      '{"ready":true,"cwd":"{{cwd}}"}\n{"sum":3}\n{"sum":-3.5}\n',
    )
    expect(goldens(made)).not.toContain(join('calculator', 'sum', 'progress.golden.txt'))
  })

  it('knows which steps a program takes', async () => {
    const made = createProject({
      ...files,
      'scenarios/calculator/sum/input.json': { version: 1, steps: [{ op: 'initialize' }] },
    })
    expect((await made.test(['sum'])).stdout).toContain(
      'step 1 (initialize): the step "initialize" is not one of protocol jsonl',
    )
  })

  it('gives the same for any number of jobs', async () => {
    const made = await accepted()
    const run = async (jobs: string) => {
      const { stdout } = await made.test([], { jobs, json: true, out: `out-${jobs}` })
      const kept = readdirSync(join(made.root, `out-${jobs}`), {
        recursive: true,
        encoding: 'utf8',
      })
      const outputs = kept
        .filter((name) => name.includes('.actual.'))
        .toSorted()
        .map((name) => [name, readFileSync(join(made.root, `out-${jobs}`, name), 'utf8')])
      return {
        outputs,
        lines: stdout.replaceAll(/"durationMs":\d+/g, '').replace(/"jobs":\d+/, ''),
      }
    }
    const one = await run('1')
    expect(one.outputs).toHaveLength(7)
    expect(await run('4')).toEqual(one)
  })

  it('divides the scenarios among shards', async () => {
    const made = await accepted()
    const parts = await Promise.all(
      ['1/2', '2/2'].map((shard) => made.test([], { shard, json: true })),
    )
    const names = parts.flatMap(({ stdout }) => resultsOf(stdout).map(({ scenario }) => scenario))
    expect(names.toSorted()).toEqual(['file', 'hello', 'sum', 'twice'])
  })

  it('shows a golden that is older than a rule as a difference, to be accepted', async () => {
    const made = await accepted()
    const normalise = [{ path: 'params.update.content.text', token: 'text' }]
    const config = configFor(['talks', 'writes', 'calculator'], {
      talks: { normalise },
      calculator: { protocol: 'jsonl' },
    })
    writeFileSync(join(made.root, 'runproof.yml'), config)
    const { stdout } = await made.test(['hello'], { json: true })
    expect(resultsOf(stdout)[0]?.failures.map(({ code }) => code)).toEqual(['difference'])
    await accepted(made)
    expect((await made.test(['hello'])).code).toBe(0)
  })

  it('leaves nothing to accept for a scenario that is another one since', async () => {
    const made = project()
    await made.test(['hello', 'sum'])
    made.write('scenarios/talks/hello/input.json', script(say('goodbye')))
    const store = createPendingStore(made.root)
    expect(await store.accept('hello/stdout.golden.jsonl')).toMatchObject({
      accepted: false,
      reason: expect.stringMatching(/^input\.json has changed since the run/),
    })
    expect(await store.accept('sum/stdout.golden.jsonl')).toMatchObject({ accepted: true })
  })

  it('keeps what a scenario produced', async () => {
    const made = project()
    await made.test(['hello'], { out: 'kept' })
    expect(readdirSync(join(made.root, 'kept', 'hello')).toSorted()).toEqual([
      'progress.actual.txt',
      'stderr.txt',
      'stdout.actual.jsonl',
      'transcript.jsonl',
    ])
  })

  it.each([
    [
      'a file is where the folder of a scenario belongs',
      'kept/twice',
      /twice cannot be used: it is no folder$/,
    ],
    [
      'a folder is where a file of it belongs',
      'kept/twice/stderr.txt/a',
      /stderr\.txt cannot be used: /,
    ],
  ])('starts nothing when %s', async (_what, path, message) => {
    const made = project()
    made.write(path, '')
    const refused = made.test([], { out: 'kept' })
    await expect(refused).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    })
    expect((await createPendingStore(made.root).list()).pending).toEqual([])
  })

  it.each([
    ['junit', /^<\?xml version="1\.0".*<testsuite name="talks" tests="2" failures="0">/s],
    ['github', /✓ hello .*4 scenarios: all passed/s],
    ['pretty', /✓ hello .*4 scenarios: all passed/s],
  ])('reports as %s', async (reporter, shape) => {
    expect((await (await accepted()).test([], { reporter })).stdout).toMatch(shape)
  })

  it('looks at all scenarios together when it runs all of them', async () => {
    const made = createProject({
      'runproof.yml': configFor(['talks']),
      'scenarios/talks/Hello/input.json': script(say('hello')),
      'scenarios/talks/hello/input.json': script(say('hello')),
    })
    const { stdout } = await made.test([], { json: true })
    const codes = resultsOf(stdout).map(({ failures }) => failures.map(({ code }) => code))
    expect(codes.flat()).toContain('guard')
    const { stdout: one } = await made.test(['hello'], { json: true })
    expect(resultsOf(one)[0]?.failures.map(({ code }) => code)).not.toContain('guard')
  })

  it('only reads with CI set', async () => {
    const made = project({ CI: 'true' })
    expect((await made.test()).code).toBe(1)
    expect(existsSync(join(made.root, '.runproof'))).toBe(false)
  })

  it('compares the workspace with workspace.expected, whatever was accepted', async () => {
    const made = createProject({
      ...files,
      'scenarios/writes/file/input.json': script(say('write b.txt 2')),
    })
    const { stdout } = await made.test(['file'])
    expect(stdout).toMatch(/workspace\.expected\/a\.txt/)
    expect(stdout).toMatch(/workspace\.expected\/b\.txt/)
  })

  it.each<[string, TestOptions, string[], RegExp]>([
    ['a shard', { shard: '3/2' }, [], /--shard takes I\/N/],
    ['jobs', { jobs: '0' }, [], /--jobs takes a whole number/],
    [
      'a reporter',
      { reporter: 'tap' },
      [],
      /--reporter tap is not known; choose one of: pretty, junit/,
    ],
    ['a scenario', {}, ['helo'], /no scenario helo/],
    ['an agent', { agent: 'x' }, [], /no agent x; it has: talks, writes/],
  ])('refuses %s that is none', async (_what, options, wanted, message) => {
    await expect(project().test(wanted, options)).rejects.toThrow(message)
    await expect(project().test(wanted, options)).rejects.toMatchObject({ exitCode: 2 })
  })

  it.each([
    [
      'whose program is not there',
      { command: ['/no/such/agent'] },
      /\/no\/such\/agent: there is no such program/,
    ],
    ['whose folder is not there', { cwd: '{root}/gone' }, /gone: there is no such folder/],
  ])(
    'says with exit code 3 of an agent %s, and runs the others',
    async (_what, change, message) => {
      const made = createProject({
        ...files,
        'runproof.yml': configFor(['talks', 'calculator'], {
          talks: change,
          calculator: { protocol: 'jsonl' },
        }),
      })
      const { code, stdout } = await made.test(['hello', 'sum'], { json: true })
      const [hello, sum] = resultsOf(stdout)
      expect(code).toBe(3)
      expect(hello?.failures).toMatchObject([
        { code: 'environment', message: expect.stringMatching(message) },
      ])
      expect(sum?.failures).toMatchObject([{ code: 'missing-golden' }])
    },
  )

  it.each([
    ['workspace', 'a file', /workspace is a file and must be a folder/],
    ['progress.golden.txt/in', 'it', /progress\.golden\.txt is a folder and must be a file/],
  ])('refuses %s of the wrong kind', async (path, content, message) => {
    const made = createProject({ ...files, [`scenarios/talks/hello/${path}`]: content })
    const { code, stdout } = await made.test(['hello'], { json: true })
    expect(code).toBe(1)
    const [result] = resultsOf(stdout)
    expect(result?.failures).toMatchObject([
      { code: 'bad-scenario', details: [expect.stringMatching(message)] },
    ])
  })
})
