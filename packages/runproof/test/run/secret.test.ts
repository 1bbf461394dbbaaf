/** What `test` tells and keeps when an agent says a secret of the machine or of the configuration. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configFor, createProject, resultsOf, script, type Project } from '../project.ts'

const token = 'crew-of-the-dory'

/** With the goldens of an agent that did not get the variable. */
async function project(name: string, env: Record<string, string>, verb = 'env'): Promise<Project> {
  const made = createProject(
    {
      'runproof.yml': configFor(['writes']),
      'scenarios/writes/one/input.json': script({ op: 'prompt', text: `${verb} ${name}` }),
    },
    { DORY_TOKEN: token },
  )
  await made.record()
  made.write('scenarios/writes/one/progress.golden.txt', 'of another script\n')
  made.write('runproof.yml', configFor(['writes'], { writes: { env } }))
  return made
}

const textsBelow = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}: ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n')

// The agent gets it under a name that says nothing; the environment of `test` knows it.
const saying = { CREW: token }

it.each(['pretty', 'junit', 'github'])('the reporter %s shows no secret', async (reporter) => {
  const { stdout, stderr, code } = await (await project('CREW', saying)).test([], { reporter })
  expect(code).toBe(1)
  expect(stdout).toContain('{{secret:1}}')
  expect(stdout).toContain('no golden may hold')
  expect(stdout + stderr).not.toContain(token)
})

it('--json and --out show none', async () => {
  const made = await project('CREW', saying)
  const { stdout } = await made.test([], { json: true, out: 'out' })
  const kept = textsBelow(join(made.root, 'out'))
  expect(stdout).toContain('{{secret:1}}')
  expect(kept).toContain('stdout.actual.jsonl')
  expect(kept).toContain('{{secret:1}}')
  expect(stdout + kept).not.toContain(token)
})

it('leaves an output with a secret for nobody to accept, and others as they are', async () => {
  const made = await project('CREW', saying)
  await made.test()
  const pending = textsBelow(join(made.root, '.runproof'))
  expect(pending).toContain('progress.golden.txt')
  expect(pending).not.toContain('stdout.golden.jsonl')
  expect(pending).not.toContain(token)
})

it('knows what the configuration gives the agent', async () => {
  const made = await project('OTHER_TOKEN', { OTHER_TOKEN: 'oars-of-the-dory' })
  const { stdout } = await made.test()
  expect(stdout).toContain('{{secret:1}}')
  expect(stdout).not.toContain('oars-of-the-dory')
})

it('shows none that an agent spells, a letter a line', async () => {
  const made = await project('CREW', saying, 'spell')
  const { stdout } = await made.test([], { json: true })
  const told = resultsOf(stdout).flatMap(({ failures }) =>
    failures.flatMap(({ difference }) => difference?.changes ?? []),
  )
  const actual = told.flatMap((change) => {
    if (change.kind === 'extra') return [change.actual]
    return change.kind === 'changed' ? change.fields.map((field) => String(field.actual)) : []
  })
  const said = actual.map((text) => /"text":"([^"]*)"/.exec(text)?.[1] ?? text).join('')
  expect(said).toContain('{{secret:1}}')
  expect(said).not.toContain('-of-the-')
})

it('changes nothing where there is none', async () => {
  const made = await project('CREW', { CREW: 'none of it' })
  const { stdout } = await made.test([], { out: 'out' })
  expect(stdout).not.toContain('{{secret')
  expect(stdout).not.toContain('no golden may hold')
  expect(existsSync(join(made.root, '.runproof', 'pending'))).toBe(true)
  expect(textsBelow(join(made.root, 'out'))).toContain('none of it')
})
