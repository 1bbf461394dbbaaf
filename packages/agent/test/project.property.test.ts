/**
 * The editor's view is a projection of the log: events in, updates out, the
 * same live and on load.
 */
import { parseSessionLog, type SessionEvent } from '@runproof/session-log'
import fc from 'fast-check'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProjector } from '../src/acp/project.ts'
import { bash } from '../src/tools/bash.ts'
import { edit, read, write } from '../src/tools/files.ts'
import { todoWrite } from '../src/tools/todo.ts'

const tools = new Map([bash, read, write, edit, todoWrite].map((tool) => [tool.name, tool]))
const findTool = (name: string) => tools.get(name)
const project = (batches: SessionEvent[][]) => {
  const projector = createProjector(findTool, { prompts: false })
  return batches.flatMap((batch) => projector.project(batch))
}

const fixtures = new URL('../../../fixtures/agent/', import.meta.url).pathname
const logs = globSync('*/session.jsonl', { cwd: fixtures }).map((name) => ({
  name,
  events: parseSessionLog(readFileSync(join(fixtures, name), 'utf8')).events,
}))

describe('the projection of a log', () => {
  it.each(logs)(
    '$name is the same under every cut that keeps a call with its question',
    ({ events }) => {
      const whole = project([events])
      expect(whole.length).toBeGreaterThan(0)
      fc.assert(
        fc.property(
          fc.array(fc.boolean(), { minLength: events.length, maxLength: events.length }),
          (cuts) => {
            const batches: SessionEvent[][] = [[]]
            for (const [i, event] of events.entries()) {
              const joins = event.type === 'approval/asked' || cuts[i] === false
              if (joins) batches.at(-1)?.push(event)
              else batches.push([event])
            }
            expect(project(batches)).toEqual(whole)
          },
        ),
        { numRuns: 50 },
      )
    },
  )

  it.each(logs)('$name announces each call before it updates it, and closes it', ({ events }) => {
    const open = new Set<string>()
    for (const update of project([events])) {
      if (update.sessionUpdate === 'tool_call') open.add(update.toolCallId)
      if (update.sessionUpdate !== 'tool_call_update') continue
      expect(open).toContain(update.toolCallId)
      if (update.status === 'completed' || update.status === 'failed')
        open.delete(update.toolCallId)
    }
    expect([...open]).toEqual([])
  })
})
