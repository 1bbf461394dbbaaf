/** The README's example runs and says what it says. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parseSessionLog } from '@runproof/session-log'
import { makeFolder } from './node/folder.ts'

const readme = new URL('../README.md', import.meta.url)
const root = fileURLToPath(new URL('../../..', import.meta.url))

it('the example writes a log and derives its history', () => {
  const file = join(makeFolder(), 'tea', 'session.jsonl')
  const [, code = ''] = /^```ts\n([^]*?)^```/m.exec(readFileSync(readme, 'utf8')) ?? []
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=@runproof/source',
      '--input-type=module-typescript',
      '--eval',
      code.replace('tea/session.jsonl', file),
    ],
    { cwd: root, encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(stdout).toBe("[ { role: 'user', content: [ [Object] ] } ]\n")
  expect(parseSessionLog(readFileSync(file, 'utf8'))).toMatchObject({ issue: null, eventCount: 2 })
})
