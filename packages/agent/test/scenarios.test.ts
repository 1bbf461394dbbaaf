/** Our own scenarios replay to the letter: transcript, log, and effects on the workspace. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseObject } from './json.ts'
import { normaliseLine, normaliseLog } from './normalise.ts'
import { runScenario } from './scenario.ts'

const fixtures = new URL('../../../fixtures/agent/', import.meta.url).pathname
const names = globSync('*/input.json', { cwd: fixtures }).map((file) => file.split('/')[0] ?? '')

describe('our scenarios', () => {
  it('are there', () => {
    expect(names.toSorted()).toEqual([
      'approvals',
      'busy-provider',
      'edit-files',
      'refusal',
      'text',
    ])
  })

  it.each(names)('%s', async (name) => {
    const folder = join(fixtures, name)
    const read = (file: string): string[] =>
      readFileSync(join(folder, file), 'utf8').trim().split('\n')
    const { lines, log, cwd, report } = await runScenario(folder)

    const stdout = lines.map((line) => parseObject(normaliseLine(line, cwd)))
    expect(stdout).toEqual(read('stdout.golden.jsonl').map(parseObject))
    expect(normaliseLog(log)).toEqual(normaliseLog(read('session.jsonl')))
    expect(report).toMatchObject({ unused: 0, misses: [] })
    if (name === 'edit-files') {
      expect(readFileSync(join(cwd, 'menu.txt'), 'utf8')).toBe('soup\nbread\nfruit\n')
      expect(readFileSync(join(cwd, 'notes/changes.txt'), 'utf8')).toBe('cake -> fruit\n')
    }
  })

  it('tell the editor when the replay does not fit, instead of a stale answer', async () => {
    const { driver, report } = await runScenario(join(fixtures, 'text'), {
      RUNPROOF_SESSION_FILE: join(fixtures, 'refusal/session.jsonl'),
    })
    const answer = driver.messages.at(-1)
    expect(answer?.error).toMatchObject({ code: -32603, data: { code: 'request-mismatch' } })
    expect(answer?.error?.message).toContain('Help me.')
    expect(report).toMatchObject({ served: 0, unused: 1, misses: [{ code: 'request-mismatch' }] })
  })
})
