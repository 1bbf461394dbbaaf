/**
 * Two witnesses of one run: the agent's stdout and its own log, each judged by
 * itself, over scenario folders that another project recorded.
 */
import { createAdapter as createAcpAdapter } from '@runproof/progress/acp'
import { createAdapter } from '@runproof/progress/session'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { envelopesOf, hasShared, linesOf, shared, sharedSuite, tasksOf } from '../acp/judge.ts'

const root = shared('recordings/deepseek-harness')

// The agent's side alone: an error that follows no update could answer any request.
const unseen = new Set(['error-finish'])

describe.skipIf(!hasShared)(sharedSuite('recorded scenarios'), () => {
  it.each(hasShared ? readdirSync(root) : [])('%s', (folder) => {
    const seen = tasksOf(
      envelopesOf(
        createAcpAdapter({ run: 'x' }),
        linesOf(`${root}/${folder}/stdout.golden.jsonl`),
        {},
      ),
    )
    const logged = tasksOf(
      envelopesOf(createAdapter({ run: 'x' }), linesOf(`${root}/${folder}/session.jsonl`), {}),
    )
    const story = (tasks: typeof seen): unknown[] =>
      tasks.map(({ status, runs, current }) => ({
        status,
        runs: runs.length,
        finalText: current.finalText,
        tools: current.tools,
      }))
    if (unseen.has(folder)) expect(seen).toEqual([])
    else expect(story(seen)).toEqual(story(logged))
  })
})
