/**
 * The example of the README runs as it stands there, and prints what it says.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const room = join(import.meta.dirname, '..')

it('the example of the README prints what its comments say', () => {
  const example =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(room, 'README.md'), 'utf8'))?.[1] ?? ''
  const printed = [...example.matchAll(/^\/\/ ?(.*)$/gm)].map(([, line]) => line).join('\n')
  const output = execFileSync(
    process.execPath,
    ['--conditions=@runproof/source', '--input-type=module-typescript', '--eval', example],
    { cwd: room, encoding: 'utf8' },
  )
  expect(printed).not.toBe('')
  expect(output.trim()).toBe(printed)
})
