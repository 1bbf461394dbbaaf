/**
 * Two witnesses, one story: each session log is judged by itself, and what it
 * supports must be what the transcript supported for the prompts of that
 * session. The verdict is left aside: it is the harness's own.
 */
import { createTask, type Status, type Task } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/session'
import type { Problem } from '../drive/problem.ts'
import { visible } from '../visible.ts'
import type { PromptClaim } from './claims.ts'
import { isSessionLog, type SessionLog } from './harvest.ts'

/** What one witness says about a turn. */
type Story = { status: Status; finalText: string | null }

/** @returns a problem for each session whose log and transcript differ. */
export function compareWitnesses(
  prompts: readonly PromptClaim[],
  logs: readonly SessionLog[],
): Problem[] {
  return logs.flatMap((log) => {
    const id = log.header?.['id']
    if (!isSessionLog(log) || typeof id !== 'string') return []
    const seen = prompts.filter(({ sessionId }) => sessionId === id).map(storyOfPrompt)
    const problem = compareStories(seen, judgeLog(log))
    return problem === null ? [] : [problem]
  })
}

function storyOfPrompt({ status, finalText }: PromptClaim): Story {
  return { status: status === 'done' || status === 'rejected' ? 'checking' : status, finalText }
}

function judgeLog(log: SessionLog): Story[] {
  const adapter = createAdapter({ run: 'turn' })
  const tasks = new Map<string, Task>()
  for (const line of log.lines) {
    for (const envelope of adapter.push(parseLine(line))) {
      const name = envelope.run.slice(0, envelope.run.lastIndexOf('/'))
      const task = tasks.get(name) ?? createTask({ task: name })
      tasks.set(name, task)
      task.feed(envelope)
    }
  }
  return [...tasks.values()].map(({ status, current }) => ({
    status,
    finalText: current.finalText,
  }))
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** A prompt that was refused at the door failed on the wire and is no turn of the log. */
function compareStories(seen: readonly Story[], logged: readonly Story[]): Problem | null {
  let turn = 0
  for (const [index, story] of seen.entries()) {
    const other = logged[turn]
    if (other !== undefined && isSame(story, other)) turn++
    else if (story.status !== 'failed') return disagree(index + 1, story, other)
  }
  const extra = logged[turn]
  return extra === undefined ? null : disagree(seen.length + 1, undefined, extra)
}

const isSame = (one: Story, other: Story): boolean =>
  one.status === other.status && one.finalText === other.finalText

function disagree(prompt: number, seen: Story | undefined, logged: Story | undefined): Problem {
  return {
    code: 'log-disagrees',
    message: `prompt ${prompt}: the transcript supports ${describe(seen)}, the session log ${describe(logged)}`,
    details: ['an editor and the log would tell a person different things about this turn'],
  }
}

function describe(story: Story | undefined): string {
  if (story === undefined) return 'no turn at all'
  if (story.finalText === null) return `"${story.status}"`
  return `"${story.status}" with the final text ${visible(JSON.stringify(story.finalText))}`
}
