/** The README's examples run and say what they say. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const root = fileURLToPath(new URL('../../..', import.meta.url))

const examples = [...readme.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code)

it.each([
  [
    'replays the kitchen',
    'createReplay',
    /^block-start\ntool-call-delta\nblock-end\nusage\nfinish\n\{[^]*served: 1,[^]*unused: 2,/,
  ],
  ['tosses a coin', 'createEmulator', /^true\n\[\] \[\n?[^]*exchange: 2,/],
])('an example %s', (_what, name, printed) => {
  const code = examples.find((example) => example.includes(name))
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@runproof/source', '--input-type=module-typescript', '--eval', code ?? ''],
    { cwd: root, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(printed)
})
