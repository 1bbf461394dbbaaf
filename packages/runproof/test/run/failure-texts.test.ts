/**
 * Each way to fail has a text of its own: which scenario, which step, what was
 * expected, what is nearest, what the agent said, and how to run just this
 * again. The texts are files under `failures/`, with paths made stable.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPendingStore } from '../../src/pending/store.ts'
import { ownConfig, ownScenarios } from '../own.ts'
import { configFor, createProject, script, type Project } from '../project.ts'

const stable = (text: string, { root }: Project): string =>
  text
    .replaceAll(root, '{project}')
    .replaceAll(process.execPath, '{node}')
    .replaceAll(/^(.*?) +\d+ ms {2}/gm, '$1  {ms}  ')
    .replaceAll(/in \d+\.\d s with \d+ jobs?/g, 'in {s} with {jobs}')
    .replaceAll(/hangs: \d+ ms/g, 'hangs: {ms}')
    .replaceAll(/^( +)\d+: (?={node})/gm, '$1{pid}: ')
    .replaceAll(/runproof-[A-Za-z0-9]{6}\b/g, 'runproof-{run}')

async function expectText(name: string, project: Project): Promise<void> {
  const { code, stdout, stderr } = await project.test()
  expect(code).toBe(1)
  expect(stderr).toBe('')
  await expect(stable(stdout, project)).toMatchFileSnapshot(join('failures', `${name}.txt`))
}

const prompt = { op: 'prompt', text: 'Say something.' }

function little(agent: string, steps: object[], extra: object = {}, config = {}): Project {
  return createProject({
    'runproof.yml': configFor([agent], { [agent]: config }),
    [`scenarios/${agent}/one/input.json`]: { ...script(...steps), ...extra },
  })
}

describe('the text of', () => {
  it.each<[string, () => Project]>([
    ['an agent that hangs', () => little('hangs', [prompt], {}, { limits: { stepMs: 1500 } })],
    ['an agent that crashes', () => little('crashes', [prompt])],
    ['stdout that is no protocol', () => little('chatters', [prompt])],
    ['an agent that stays', () => little('stays', [prompt], {}, { limits: { exitMs: 100 } })],
    ['a process left behind', () => little('leaves-child', [prompt])],
    [
      'a permission that was not offered',
      () => little('asks', [prompt], { permissionAnswers: [{ kind: 'allow_always' }] }),
    ],
    [
      'an answer nobody asked for',
      () => little('talks', [prompt], { permissionAnswers: [{ kind: 'allow_once' }] }),
    ],
    [
      'a permission that nobody answered',
      () => little('asks', [{ ...prompt, accept: [{ matches: 'yes' }] }]),
    ],
    ['an error that was not expected', () => little('talks', [setOption('bad')])],
    ['a result that was not expected', () => little('talks', [expectError('good')])],
    ['a scenario that says nothing usable', () => little('talks', [{ op: 'promt' }])],
    ['no golden yet', () => little('talks', [prompt])],
    [
      'a claim that was not expected',
      () =>
        little(
          'talks',
          [{ ...prompt, accept: [{ equals: 'Something else.' }, { matches: '^\\d+$' }] }],
          { expect: { status: 'done' } },
        ),
    ],
  ])('%s', async (name, create) => {
    await expectText(name.replaceAll(' ', '-'), create())
  })

  it('a broken rule', async () => {
    const project = little('asks', [prompt])
    await project.test()
    const store = createPendingStore(project.root)
    for (const { key } of (await store.list()).pending) await store.accept(key)
    await expectText('a-broken-rule', project)
  })
})

const setOption = (value: string) => ({ op: 'setConfigOption', configId: 'a', value })
const expectError = (value: string) => ({ op: 'setConfigOptionExpectError', configId: 'a', value })

/** One of our own scenarios in a project of its own, with a file changed or added. */
function changed(
  scenario: string,
  change: (value: { steps: object[]; overridden?: true }) => void,
  edits: Record<string, (text: string) => string> = {},
): Project {
  const project = createProject({ 'runproof.yml': ownConfig })
  const folder = join(project.root, 'scenarios', 'runproof-agent', scenario)
  cpSync(join(ownScenarios, scenario), folder, { recursive: true })
  for (const pin of ['system-prompt.golden.md', 'tool-schemas.golden.json']) {
    rmSync(join(folder, pin), { force: true })
  }
  const input = join(folder, 'input.json')
  // The class is pinned by another scenario, which is not in this project.
  const { headerClass: _pinned, ...value } = JSON.parse(readFileSync(input, 'utf8'))
  change(value)
  writeFileSync(input, JSON.stringify(value))
  for (const [name, edit] of Object.entries(edits)) {
    const path = join(folder, name)
    writeFileSync(path, edit(existsSync(path) ? readFileSync(path, 'utf8') : ''))
  }
  return project
}

const firstCallOnly = JSON.stringify([
  {
    kind: 'chunks',
    chunks: [
      { type: 'block-start', index: 0, blockType: 'tool-call' },
      {
        type: 'block-end',
        index: 0,
        block: {
          type: 'tool-call',
          id: 'c1',
          name: 'bash',
          arguments: '{"command":"echo SNAPSHOT"}',
        },
      },
      { type: 'finish', reason: { kind: 'tool-calls' } },
    ],
  },
])

describe('the text of a replay', () => {
  it.each<[string, () => Project]>([
    [
      'whose prompt was changed',
      () =>
        changed('text', ({ steps }) => {
          Object.assign(steps[2] ?? {}, { text: 'Say exactly: steady' })
        }),
    ],
    [
      'that is exhausted',
      () =>
        changed('tool-bash', (value) => void (value.overridden = true), {
          'replay.override.json': () => firstCallOnly,
        }),
    ],
    ['with calls left over', () => changed('multi-turn', ({ steps }) => void steps.splice(3))],
    [
      'whose output differs',
      () =>
        changed('tool-edit', () => {}, {
          'stdout.golden.jsonl': (text) => text.replace('"title":"Edit', '"title":"Change'),
        }),
    ],
  ])('%s', async (name, create) => {
    await expectText(`replay-${name.replaceAll(' ', '-')}`, create())
  })
})
