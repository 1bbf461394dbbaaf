import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeAbove, findAbove } from '../../src/launch/above.ts'
import { createProject } from '../project.ts'

it('what agents would find above their working folder is told, the nearest first', () => {
  const { root } = createProject({})
  const runs = join(root, 'a', 'b')
  mkdirSync(runs, { recursive: true })
  // The machine that this runs on may have some above.
  const before = findAbove(runs)
  mkdirSync(join(root, '.git'))
  writeFileSync(join(root, 'a', 'AGENTS.md'), '')
  writeFileSync(join(root, 'a', 'notes.md'), '')
  const there = [join(root, 'a', 'AGENTS.md'), join(root, '.git')]
  expect(findAbove(runs)).toEqual([...there, ...before])
  expect(describeAbove(there)).toContain(`there is ${there.join(', ')}; set TMPDIR`)
  expect(describeAbove([])).toBeNull()
})
