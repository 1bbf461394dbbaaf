import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/read.ts'
import { selectScenarios, type Selection } from '../../src/scenario/select.ts'
import { configFor, createProject } from '../project.ts'
import { join } from 'node:path'

const input = { version: 1, steps: [{ op: 'initialize' }] }
const foreign = { steps: [{ op: 'initialize' }] }

const files = {
  'runproof.yml': configFor(['talks', 'asks']),
  'scenarios/talks/alpha/input.json': input,
  'scenarios/talks/beta/input.json': input,
  'scenarios/asks/alpha/input.json': input,
  'scenarios/asks/gamma/input.json': input,
  'scenarios/asks/gamma/workspace/input.json': { not: 'a scenario' },
  'scenarios/elsewhere/named/input.json': { ...input, agent: 'asks' },
  'elsewhere/foreign/input.json': foreign,
  'elsewhere/beta/input.json': foreign,
}

async function select(selection: Selection): Promise<string[]> {
  const project = createProject(files)
  const config = await readConfig(project.root)
  const scenarios = selection.scenarios?.map((one) =>
    one.startsWith('elsewhere') ? join(project.root, one) : one,
  )
  const chosen = await selectScenarios(config, { ...selection, ...(scenarios && { scenarios }) })
  return chosen.map((one) =>
    'agent' in one ? `${one.name} of ${one.agent}` : `${one.name}: broken`,
  )
}

describe('choosing scenarios', () => {
  it('takes all of the configuration, by name; a name that two have is qualified', async () => {
    expect(await select({})).toEqual([
      'asks/alpha of asks',
      'beta of talks',
      'gamma of asks',
      'named of asks',
      'talks/alpha of talks',
    ])
  })

  it.each<[string, Selection, string[]]>([
    ['an agent', { agent: 'talks' }, ['beta of talks', 'talks/alpha of talks']],
    ['a filter', { filter: 'alpha' }, ['asks/alpha of asks', 'talks/alpha of talks']],
    ['a name', { scenarios: ['gamma'] }, ['gamma of asks']],
    [
      'a name that two have',
      { scenarios: ['alpha'] },
      ['asks/alpha of asks', 'talks/alpha of talks'],
    ],
    ['a qualified name', { scenarios: ['talks/alpha'] }, ['talks/alpha of talks']],
    [
      'a folder elsewhere',
      { scenarios: ['elsewhere/foreign'], agent: 'talks' },
      ['foreign of talks'],
    ],
    [
      'a folder of folders',
      { scenarios: ['elsewhere'], agent: 'talks' },
      ['beta of talks', 'foreign of talks'],
    ],
    ['no agent to choose', { scenarios: ['elsewhere/foreign'] }, ['foreign: broken']],
    [
      'shard 1 of 2',
      { shard: { index: 1, count: 2 } },
      ['asks/alpha of asks', 'gamma of asks', 'talks/alpha of talks'],
    ],
    ['shard 2 of 2', { shard: { index: 2, count: 2 } }, ['beta of talks', 'named of asks']],
    ['a filter by agent and name', { filter: 'talks/al' }, ['talks/alpha of talks']],
    ['a filter by the folder of an agent', { filter: 'asks/g' }, ['gamma of asks']],
  ])('takes %s', async (_what, selection, expected) => {
    expect(await select(selection)).toEqual(expected)
  })

  it.each<[string, Selection, RegExp]>([
    ['an unknown agent', { agent: 'nobody' }, /no agent nobody; it has: talks, asks/],
    ['an unknown name', { scenarios: ['gam'] }, /no scenario gam: .* did you mean gamma\?/],
    [
      'a shard beyond the end',
      { shard: { index: 7, count: 9 } },
      /part 7 of 9 is empty: there are 5/,
    ],
    ['a filter that nothing fits', { filter: 'zzz' }, /no scenario whose name has "zzz"/],
  ])('refuses %s', async (_what, selection, message) => {
    await expect(select(selection)).rejects.toThrow(message)
  })

  it('refuses a configuration whose folder is gone, unless the scenario is named', async () => {
    const project = createProject({
      ...files,
      'runproof.yml': configFor(['talks'], {}, ['scenarios', 'gone']),
    })
    const config = await readConfig(project.root)
    await expect(selectScenarios(config, {})).rejects.toThrow(
      /no folder .*gone, which runproof\.yml/,
    )
    expect(await selectScenarios(config, { scenarios: ['gamma'] })).toHaveLength(1)
  })

  it('takes what has lost its script for broken, where all are wanted', async () => {
    const project = createProject({ ...files, 'scenarios/talks/lost/stdout.golden.jsonl': '{}\n' })
    const config = await readConfig(project.root)
    const all = await selectScenarios(config, { orphans: true })
    expect(all.flatMap((one) => ('problems' in one ? [one.name] : []))).toEqual(['lost'])
    expect(await selectScenarios(config, { orphans: true, agent: 'talks' })).toHaveLength(2)
  })
})
