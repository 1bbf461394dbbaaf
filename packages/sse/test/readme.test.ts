import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

it('the first example of the README prints what it says', () => {
  const [, code = ''] = /^```ts\n([^]*?)^```/m.exec(readme) ?? []
  const [, output] = /^```text\n([^]*?)^```/m.exec(readme) ?? []
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', code],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(stdout).toBe(output)
})
