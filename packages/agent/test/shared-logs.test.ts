/**
 * Real logs of another project, the DeepSeek Harness, replay through this
 * agent without a key, and the editor sees what its goldens say.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { behaviourOf, normaliseLog } from './normalise.ts'
import { runScenario } from './scenario.ts'

const shared = fileURLToPath(
  new URL('../../../../shared/recordings/deepseek-harness/', import.meta.url),
)
const isThere = existsSync(shared)

const scenarios = [
  'handshake',
  'text-turn',
  'tool-call-turn',
  'fs-read',
  'fs-edit',
  'todo-plan',
  'cancel',
  'error-finish',
]

describe.skipIf(!isThere)(
  `logs of the DeepSeek Harness${isThere ? '' : ' (../shared is not there)'}`,
  () => {
    it.each(scenarios)('%s: same updates, same answers, same log', async (name) => {
      const folder = join(shared, name)
      const read = (file: string): string[] =>
        readFileSync(join(folder, file), 'utf8').trim().split('\n')
      // `prompt` would do for a log that another harness recorded; this is stronger.
      const outcome = await runScenario(folder, { RUNPROOF_REPLAY_LEVEL: 'strict' })

      expect(behaviourOf(outcome.lines, outcome.cwd)).toEqual(
        behaviourOf(read('stdout.golden.jsonl'), '{{cwd}}'),
      )
      const recorded = normaliseLog(read('session.jsonl'))
      // A session without a turn leaves no file; its recording is a header only.
      expect(normaliseLog(outcome.log)).toEqual(recorded.length === 1 ? [] : recorded)
      expect(outcome.report).toMatchObject({ unused: 0, misses: [] })
    })

    it('reject-extra-dirs: refuses with the same code', async () => {
      const outcome = await runScenario(join(shared, 'reject-extra-dirs'))
      expect(JSON.parse(outcome.lines.at(-1) ?? '')).toMatchObject({
        id: 2,
        error: { code: -32602 },
      })
    })
  },
)
