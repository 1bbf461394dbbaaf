import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findingText } from '../../src/guard/finding.ts'
import { findOrphans } from '../../src/guard/name.ts'
import { createSecretFinder } from '../../src/guard/secret.ts'
import { runGuards } from '../../src/guard/suite.ts'
import { readScenarioFolder } from '../../src/scenario/scenario.ts'
import { createFolder } from '../pending/folder.ts'
import { foreign, input, json, sound, without, writeFiles, type Files } from './folder.ts'

const pins = ['system-prompt.golden.md', 'tool-schemas.golden.json']
const unpinned = without(sound, ...pins)
const classed = (headerClass: string | undefined, files: Files = sound): Files => ({
  ...files,
  'input.json': json({ ...input, headerClass }),
})

async function guard(folders: Record<string, Files>): Promise<string[]> {
  const root = await createFolder()
  const scenarios = await Promise.all(
    Object.entries(folders).map(async ([path, files]) => {
      const folder = await writeFiles(files, join(root, path))
      const content = await readScenarioFolder(folder)
      const name = relative(root, folder)
      return 'problems' in content
        ? { name, folder, problems: content.problems }
        : { name, agent: 'demo', ...content }
    }),
  )
  const findings = await runGuards(scenarios, {}, await createSecretFinder({}))
  return findings.map((finding) =>
    `${finding.code} ${findingText(finding, root)}`.replaceAll(root, ''),
  )
}

describe('guards over several scenarios', () => {
  it.each<[what: string, folders: Record<string, Files>, found: string[]]>([
    ['one pin a class', { 'a/one': sound, 'a/two': unpinned, 'a/three': classed('other') }, []],
    ['foreign folders without a pin', { 'a/one': foreign, 'a/two': foreign }, []],
    ['folders of no class', { 'a/one': classed(undefined, unpinned) }, []],
    [
      'two pins of a class',
      { 'a/one': sound, 'a/two': sound },
      [
        'pin a/two/system-prompt.golden.md: header class "main" is pinned by a/one already; remove this pin, or name another class',
      ],
    ],
    [
      'a class without a pin',
      { 'a/one': unpinned, 'a/two': unpinned },
      ['pin a/one: no scenario pins header class "main"; run: runproof record a/one'],
    ],
    [
      'a pin of no class',
      { 'a/one': classed(undefined) },
      [
        'pin a/one/system-prompt.golden.md: pins a header, so input.json must name its "headerClass"; name it, or remove the file',
      ],
    ],
    [
      'half a pin',
      { 'a/one': without(sound, 'tool-schemas.golden.json') },
      [
        'pin a/one/tool-schemas.golden.json: is missing beside the other half of the pin; record the scenario again',
      ],
    ],
    [
      'a pin that is no JSON',
      { 'a/one': { ...sound, 'tool-schemas.golden.json': '[\n' } },
      ['pin a/one/tool-schemas.golden.json: is not JSON; record the scenario again'],
    ],
    [
      'two names that differ in case only',
      { 'a/one': sound, 'a/One': unpinned },
      [
        'duplicate-name a/One: has the name of /a/one (case aside), so reports and goldens would be mixed up; rename one',
      ],
    ],
    [
      'an input that says nothing usable',
      { 'a/one': { 'input.json': '{"version":1,"steps":[]}' } },
      ['bad-input a/one/input.json: steps: Too small: expected array to have >=1 items'],
    ],
  ])('%s', async (_, folders, found) => {
    expect(await guard(folders)).toEqual(found)
  })
})

describe('findOrphans', () => {
  it('names folders with scenario files and no input', async () => {
    const root = await writeFiles({
      'a/one/input.json': '{}',
      'a/one/workspace/session.jsonl': '',
      'a/dead/session.jsonl': '',
      'a/dead/stdout.golden.jsonl': '',
      'notes/x.md': '',
      '.git/session.jsonl': '',
    })
    const found = (await findOrphans(root)).map((finding) => findingText(finding, root))
    expect(found).toEqual([
      'a/dead: has session.jsonl, stdout.golden.jsonl and no input.json, so no test reads it; write the script, or remove the folder',
    ])
    expect(await findOrphans(join(root, 'nowhere'))).toEqual([])
  })
})
