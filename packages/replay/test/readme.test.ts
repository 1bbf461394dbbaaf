/** The README's example runs and says what it says. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const readme = new URL('../README.md', import.meta.url)
const root = fileURLToPath(new URL('../../..', import.meta.url))

it('the example replays the kitchen', () => {
  const [, code = ''] = /^```ts\n([^]*?)^```/m.exec(readFileSync(readme, 'utf8')) ?? []
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@runproof/source', '--input-type=module-typescript', '--eval', code],
    { cwd: root, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /^block-start\ntool-call-delta\nblock-end\nusage\nfinish\n\{[^]*served: 1,[^]*unused: 2,/,
  )
})
