import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runDoctor, type DoctorOptions } from '../../src/guard/command.ts'
import { checkEnvironment, checkNode } from '../../src/guard/environment.ts'
import { sound, without, writeFiles, type Files } from './folder.ts'

const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))

const config = (command: string[]): string =>
  JSON.stringify({ version: 1, agents: { demo: { command } } })

async function doctor(root: string, wanted: string[] = [], options: DoctorOptions = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const env = { PATH: process.env['PATH'] }
  const code = await runDoctor(wanted, options, { stdin, stdout, stderr, env }, root)
  return { code, stdout: String(stdout.read() ?? '') }
}

describe('runproof doctor', () => {
  it('says that all holds', async () => {
    const root = await writeFiles({
      'runproof.yml': config(['{node}', '{root}/agent.js']),
      'agent.js': '',
      ...below('scenarios/demo/one', sound),
    })
    const { code, stdout } = await doctor(root)
    expect(stdout.split('\n')).toEqual([
      `ok Node.js: ${process.versions.node}`,
      expect.stringContaining(`ok temporary folder: ${tmpdir()}`),
      `ok agent demo: ${process.execPath} ${root}/agent.js`,
      '1 scenario looked over, nothing found',
      '',
    ])
    expect(code).toBe(0)
  })

  it('names each finding with its file and line, orphans too', async () => {
    const root = await writeFiles({
      'runproof.yml': config(['node']),
      ...below('scenarios/demo/one', { ...sound, 'stdout.golden.jsonl': 'x\n' }),
      ...below('scenarios/demo/dead', without(sound, 'input.json')),
    })
    const { code, stdout } = await doctor(root)
    expect(code).toBe(1)
    expect(stdout.split('\n').slice(3)).toEqual([
      'found scenarios/demo/one/stdout.golden.jsonl:1: is not one JSON object; goldens are written by runproof review, not by hand',
      expect.stringMatching(
        /^found scenarios\/demo\/dead: has session\.jsonl, .* and no input\.json/,
      ),
      '1 scenario looked over, 2 found',
      '',
    ])
  })

  it('lacks a program or a script, and exits 3 whatever the guards found', async () => {
    const root = await writeFiles({
      'runproof.yml': config(['{node}', '{root}/dist/main.js']),
      ...below('scenarios/demo/one', without(sound, 'session.jsonl')),
    })
    const { code, stdout } = await doctor(root, [], { json: true })
    expect(code).toBe(3)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(rows).toMatchObject([
      { check: 'Node.js', ok: true },
      { check: 'temporary folder', ok: true },
      {
        check: 'agent demo',
        ok: false,
        message: `${root}/dist/main.js is not there; build the agent, or correct "command" in runproof.yml`,
      },
      { code: 'missing-file', scenario: 'one', line: null },
      { end: true, scenarios: 1, findings: 1, environment: 'lacking' },
    ])
  })

  it('looks at folders without a configuration', async () => {
    const root = await writeFiles(below('one', sound))
    expect(await doctor(root, [join(root, 'one')])).toMatchObject({ code: 0 })
    await expect(doctor(root, [join(root, 'two')])).rejects.toMatchObject({ code: 'unreadable' })
    await expect(doctor(root)).rejects.toThrow('no runproof.yml in')
  })

  it('tells folders that no test reads where no scenario is left', async () => {
    const root = await writeFiles({
      'runproof.yml': config(['node']),
      ...below('scenarios/demo/dead', without(sound, 'input.json')),
    })
    expect(await doctor(root)).toMatchObject({ code: 1 })
    await rm(join(root, 'scenarios'), { recursive: true })
    await expect(doctor(root)).rejects.toMatchObject({ code: 'unreadable' })
  })
})

describe('checkEnvironment', () => {
  it.each([
    ['22.12.0', true],
    ['24.1.0', true],
    ['22.11.9', false],
    ['20.20.2', false],
  ])('Node.js %s: %s', (version, ok) => {
    expect(checkNode(version).ok).toBe(ok)
  })

  it.each<[command: string[], message: string | null]>([
    [['node', 'any'], null],
    [['./bin/agent'], null],
    [
      ['bin/none'],
      'cannot start bin/none: there is no such program; install it, or correct "command" in runproof.yml',
    ],
    [
      ['no-such-agent-anywhere'],
      'cannot start no-such-agent-anywhere: it is not on the PATH; install it, or correct "command" in runproof.yml',
    ],
  ])('%j', async (command, message) => {
    const root = await writeFiles({ 'bin/agent': '' })
    await import('node:fs/promises').then(({ chmod }) => chmod(join(root, 'bin/agent'), 0o755))
    const agent = { name: 'demo', command, program: null, optional: false }
    const checks = await checkEnvironment({ root, agents: { demo: agent } }, process.env)
    expect(checks[2]?.ok).toBe(message === null)
    if (message !== null) expect(checks[2]?.message).toBe(message)
  })
})

const recordings = new URL('../../../../../shared/recordings/deepseek-harness/', import.meta.url)
const isThere = existsSync(recordings)

describe.skipIf(!isThere)(
  `folders of the DeepSeek Harness${isThere ? '' : ' (no ../shared here)'}`,
  () => {
    it('are sound by their own rules', async () => {
      const folders = readdirSync(recordings)
        .map((name) => fileURLToPath(new URL(`${name}/`, recordings)))
        .filter((folder) => existsSync(join(folder, 'input.json')))
      expect(folders.length).toBeGreaterThan(10)
      const { code, stdout } = await doctor('/', folders)
      expect(stdout.split('\n').slice(2)).toEqual([
        `${folders.length} scenarios looked over, nothing found`,
        '',
      ])
      expect(code).toBe(0)
    })
  },
)
