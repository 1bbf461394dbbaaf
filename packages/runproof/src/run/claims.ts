/**
 * What a screen would have claimed while a scenario ran: the transcript as
 * envelopes (one prompt, one task; contract "From ACP to runs"), reduced event
 * by event, and written down as the lines of `progress.golden.txt`
 * (docs/formats/scenario.md, "Progress golden").
 *
 * Only the verdict comes from here: a prompt's acceptance, once its turn is
 * over. Everything else is derived from what crossed the wire.
 */
import { createTask, verdictFor, type Envelope, type Status, type Task } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/acp'
import type { AgentConfig } from '../config/config.ts'
import { isRecord, type TranscriptLine } from '../transcript/line.ts'

export type Claims = {
  /** Takes each line of both directions as it crosses. */
  push(line: TranscriptLine): void
  /** The turn is over: signs its end. @returns the text to accept, or null when there is no candidate. */
  endTurn(): string | null
  /** The verdict on the last prompt's final text; only after `endTurn` gave one. */
  judge(accepted: boolean): void
  /** The input is over. `runtimeFailed`: the agent is dead. */
  finish(observation: { runtimeFailed: boolean }): void
  /** The claim of the last prompt, or null before the first one. */
  readonly claim: Status | null
  /** The claims of all prompts, in order. */
  readonly prompts: readonly PromptClaim[]
  /** The golden's lines so far. */
  lines(): string[]
}

export type PromptClaim = {
  sessionId: string
  status: Status
  /** Codes of what makes the claim `unknown`. */
  issues: string[]
  /** The candidate of a run that succeeded. */
  finalText: string | null
}

/** The name of a scenario's first task is `prompt-1`. */
const taskPrefix = 'prompt'

type Block = { run: string; lines: { text: string; count: number }[] }

/** @param agent `joinChunks`: into how many pieces a text came is not told, for it differs from run to run. */
export function createClaims({
  quietMs,
  joinChunks,
}: Pick<AgentConfig, 'quietMs' | 'joinChunks'>): Claims {
  // The harness waits out the quiet period itself and then signs; until then nothing is late.
  const adapter = createAdapter({ run: taskPrefix, drainMs: quietMs })
  const tasks = new Map<string, Task>()
  const blocks: Block[] = []
  const calls = new Map<string, number>()
  const sessions: string[] = []
  let last: { task: Task; envelope: Envelope } | null = null

  const taskOf = ({ run }: Envelope): Task => {
    const name = run.slice(0, run.lastIndexOf('/'))
    const known = tasks.get(name)
    if (known !== undefined) return known
    const task = createTask({ task: name })
    tasks.set(name, task)
    return task
  }
  const write = (run: string, text: string): void => {
    let block = blocks.find((one) => one.run === run)
    if (block === undefined) blocks.push((block = { run, lines: [] }))
    const { lines } = block
    if (joinChunks && continuesText(lines, text)) return
    const previous = lines.at(-1)
    if (previous?.text === text) previous.count++
    else lines.push({ text, count: 1 })
  }
  const take = (envelope: Envelope): void => {
    const task = taskOf(envelope)
    task.feed(envelope)
    last = { task, envelope }
    const event = describeEvent(envelope, calls)
    write(envelope.run, `${event} => ${task.status} | ${task.message()}`)
  }

  return {
    push(line) {
      const sessionId = promptedSession(line)
      if (sessionId !== null) sessions.push(sessionId)
      adapter.push(line).forEach(take)
    },
    endTurn() {
      adapter.finish({}).forEach(take)
      const run = last?.task.current
      return run?.terminal === 'succeeded' ? run.finalText : null
    },
    judge(accepted) {
      if (last === null) return
      const { task, envelope } = last
      const { run } = envelope
      const seq = envelope.seq + 1
      const data = verdictFor(task.current, accepted)
      take({ run, id: `${run}:${seq}`, seq, kind: 'app.checked', data })
    },
    finish(observation) {
      adapter.finish(observation).forEach(take)
      for (const task of tasks.values()) {
        task.end()
        const { run } = task.current
        write(run, `EOF => ${task.status} | ${task.message()}`)
        write(run, `issues=${allIssues(task).join(',')}`)
      }
    },
    get claim() {
      return [...tasks.values()].at(-1)?.status ?? null
    },
    get prompts() {
      return [...tasks.values()].map((task, index) => ({
        sessionId: sessions[index] ?? '',
        status: task.status,
        issues: allIssues(task),
        finalText: task.current.finalText,
      }))
    },
    lines: () => blocks.flatMap((block, index) => renderBlock(block, index === 0)),
  }
}

/**
 * Whether a line tells nothing but that a text goes on. A cancel that comes into
 * the middle of one divides it where it happens to be.
 */
function continuesText(lines: Block['lines'], text: string): boolean {
  if (!text.startsWith('text.delta ')) return false
  const [before, previous] = [lines.at(-2)?.text, lines.at(-1)?.text]
  if (previous === text) return true
  const isDivided = before?.startsWith('text.delta ') === true
  return isDivided && previous === text.replace('text.delta', 'cancel.requested')
}

const allIssues = (task: Task): string[] => [
  ...new Set([...task.issues, ...task.runs.flatMap(({ issues }) => issues)]),
]

/** The session of a prompt that the client sends, or null. */
function promptedSession(line: TranscriptLine): string | null {
  if (line.dir !== '>' || !('m' in line) || line.m['method'] !== 'session/prompt') return null
  const { params } = line.m
  return isRecord(params) ? String(params['sessionId']) : null
}

function renderBlock({ run, lines }: Block, isFirst: boolean): string[] {
  const folded = lines.map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`))
  return [...(isFirst ? [] : ['']), `[${run}]`, ...folded]
}

/** The kind and what tells one event of it from another; calls are numbered by first sight. */
function describeEvent({ kind, data }: Envelope, calls: Map<string, number>): string {
  const { call_id: call, outcome, ok } = data as Record<string, unknown>
  if (typeof call === 'string') {
    const number = calls.get(call) ?? calls.size + 1
    calls.set(call, number)
    return `${kind} {{call:${number}}}`
  }
  if (kind === 'run.ended') return `${kind} ${String(outcome)}`
  if (kind === 'app.checked') return `${kind} ${ok === true ? 'accepted' : 'rejected'}`
  return kind
}
