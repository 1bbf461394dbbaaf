/**
 * One line of the agent's bridge broken on purpose: the scenarios that the line
 * is about fail, with a text that names it, and no other.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configOf, ownScenarios, repository } from './own.ts'
import { createProject } from './project.ts'

/** A copy of the built agent with a text of one of its files replaced. */
function breakAgent(file: string, from: string, to: string): string {
  const cache = join(repository, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const copy = mkdtempSync(join(cache, 'broken-agent-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const agent = join(repository, 'packages', 'agent')
  for (const part of ['bin', 'dist', 'package.json', 'cordis.yml', 'cordis.snapshot.yml']) {
    cpSync(join(agent, part), join(copy, part), { recursive: true })
  }
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  expect(text.split(from)).toHaveLength(2)
  writeFileSync(path, text.replace(from, to))
  return copy
}

async function run(
  agent: string,
  scenarios: string[],
): Promise<{ failed: string[]; text: string }> {
  const project = createProject({ 'runproof.yml': configOf(agent) })
  for (const name of [...scenarios, 'text']) {
    cpSync(join(ownScenarios, name), join(project.root, 'scenarios', 'runproof-agent', name), {
      recursive: true,
    })
  }
  const { stdout } = await project.test(scenarios)
  const failed = [...stdout.matchAll(/^✗ ([\w-]+) +\d+ ms/gm)].map(([, name]) => name ?? '')
  return { failed, text: stdout }
}

describe('one broken line of the bridge', () => {
  it.each<[string, string, string, string, string, RegExp]>([
    [
      'thoughts are told as answers',
      `sessionUpdate: 'agent_thought_chunk'`,
      `sessionUpdate: 'agent_message_chunk'`,
      'parallel-tools',
      'structured-answer',
      /line 3 agent_thought_chunk is missing/,
    ],
    [
      'a failed call is told as completed',
      `isError ? 'failed' : 'completed'`,
      `'completed'`,
      'tool-bash-fails',
      'tool-bash',
      /tool_call_update: params\.update\.status "failed" → "completed"/,
    ],
    [
      'a question is asked about a call that already runs',
      `approvalId === null ? 'in_progress' : 'pending'`,
      `'in_progress'`,
      'permission-allow',
      'tool-bash',
      /R5, line \d+ of the transcript \(session\/request_permission\)/,
    ],
    [
      'a plan never moves',
      `status: known ?? 'pending'`,
      `status: 'pending'`,
      'todo-plan',
      'text-around-tools',
      /plan: params\.update\.entries\[0\]\.status "in_progress" → "pending"/,
    ],
  ])('%s', async (_what, from, to, wrong, right, named) => {
    const agent = breakAgent('dist/acp/project.js', from, to)
    const { failed, text } = await run(agent, [wrong, right])
    expect(failed).toEqual([wrong])
    expect(text).toMatch(named)
  })
})
