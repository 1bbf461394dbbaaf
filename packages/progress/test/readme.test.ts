/** The first example of the README runs and prints what its comments say; its tables are complete. */
import { issueCodes, messages, statuses } from '@runproof/progress'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', folder), 'utf8')
const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(readme) ?? []

test('the example prints what it says', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@runproof/source', '--input-type=module-typescript', '--eval', example],
    { cwd: folder, encoding: 'utf8' },
  )
  const expected = [...example.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, said]) => said)
  expect(expected).toHaveLength(3)
  expect({ printed: stdout.trim().split('\n'), stderr }).toEqual({ printed: expected, stderr: '' })
})

test('it names every status with its message, and every issue', () => {
  // The formatter pads the cells of a table.
  const cells = readme.replaceAll(/ +/g, ' ')
  const rows = statuses.map((status) => `| \`${status}\` | ${messages.en[status]} |`)
  expect(rows.filter((row) => !cells.includes(row))).toEqual([])
  expect(issueCodes.filter((code) => !cells.includes(`\`${code}\` |`))).toEqual([])
})
