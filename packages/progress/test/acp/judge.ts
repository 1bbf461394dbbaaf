/** Transcripts and logs through an adapter into tasks, as a reader of a file does it. */
import { createTask, type Adapter, type Envelope, type Task } from '@runproof/progress'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const fixture = (path: string): string =>
  fileURLToPath(new URL(`../../../../fixtures/${path}`, import.meta.url))

const sharedRoot = fileURLToPath(new URL('../../../../../shared', import.meta.url))
export const hasShared: boolean = existsSync(sharedRoot)
export const shared = (path: string): string => `${sharedRoot}/${path}`

/** The name of a suite over shared data says why it is skipped. */
export const sharedSuite = (name: string): string =>
  hasShared ? name : `${name} (skipped: no folder ../shared beside the checkout)`

/** Parsed lines; what is not JSON is undefined. */
export function linesOf(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => {
      try {
        return JSON.parse(line)
      } catch {
        return undefined
      }
    })
}

/** Every envelope of the lines, the end of the input included. */
export function envelopesOf<O>(
  adapter: Adapter<O>,
  lines: readonly unknown[],
  observation: O,
): Envelope[] {
  return [...lines.flatMap((line) => adapter.push(line)), ...adapter.finish(observation)]
}

export const taskNameOf = ({ run }: Envelope): string => run.slice(0, run.lastIndexOf('/'))

/** The tasks of the envelopes in order, their input ended. */
export function tasksOf(envelopes: readonly Envelope[]): Task[] {
  const tasks = new Map<string, Task>()
  for (const envelope of envelopes) {
    const name = taskNameOf(envelope)
    const task = tasks.get(name) ?? createTask({ task: name })
    tasks.set(name, task)
    task.feed(envelope)
  }
  for (const task of tasks.values()) task.end()
  return [...tasks.values()]
}

/** Each task as `status "final text"`, the text only where there is a candidate. */
export function claimsOf(envelopes: readonly Envelope[]): string[] {
  return tasksOf(envelopes).map(({ status, current }) =>
    current.finalText === null ? status : `${status} ${JSON.stringify(current.finalText)}`,
  )
}

/** Kinds with what tells one event of a kind from another, each run headed by its name. */
export function storyOf(envelopes: readonly Envelope[]): string[] {
  let run = ''
  return envelopes.flatMap(({ run: of, kind, data }) => {
    const detail = data['call_id'] ?? data['outcome'] ?? data['text'] ?? data['response_id']
    const text = typeof detail === 'string' ? `${kind} ${detail}`.trim() : kind
    const head = of === run ? [] : [`[${of}]`]
    run = of
    return [...head, text]
  })
}
