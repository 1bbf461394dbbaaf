/**
 * The tool calls of one answer: approval, execution, results.
 *
 * Calls run in groups. Neighbouring calls that only read run together, and so
 * do neighbouring commands; a call that writes files runs alone, because two
 * edits of one file would lose one. Announcements, questions and results come
 * in the order of the calls, whichever finishes first, so that a run and its
 * replay have the same log.
 *
 * Invariant: every call of the answer gets exactly one result, also when the
 * turn is cancelled, since no provider accepts a call without one.
 */
import type { Block } from '@runproof/llm'
import { toolNotStarted, type EventDraft } from '@runproof/session-log'
import { messageOf } from '../error.ts'
import type { ToolCall, ToolResult } from '../tools/tool.ts'
import type { ApprovalOutcome, LoopParts, Turn } from './parts.ts'

type CallBlock = Extract<Block, { type: 'tool-call' }>
type Group = 'read' | 'execute' | 'write'
type Opened = CallBlock & { call: ToolCall | null; problem: string; group: Group }
type Started = Opened & { seq: number | null; result: Promise<LoggedResult> }
type LoggedResult = ToolResult & { error?: { name: string; code: string } }

const refusals: Record<Exclude<ApprovalOutcome, 'allowed-once'>, string> = {
  rejected: 'The user did not allow this call.',
  cancelled: 'The question whether this call may run was cancelled; it did not run.',
  unavailable: 'This call needs approval and nobody could be asked; it did not run.',
}

/** Runs the calls and logs everything about them. An abort stops what runs and starts nothing more. */
export async function runTools(
  parts: LoopParts,
  turn: Turn,
  step: number,
  blocks: readonly Block[],
): Promise<void> {
  const calls = blocks.filter((block) => block.type === 'tool-call')
  for (const group of splitGroups(calls.map((call) => openCall(parts, call)))) {
    const started: Started[] = []
    for (const call of group) started.push(await startCall(parts, turn, step, call))
    for (const call of started) await logResult(parts, turn, step, call)
  }
}

function openCall({ tools }: LoopParts, block: CallBlock): Opened {
  const tool = tools.get(block.name)
  const opened = tool?.open(block.arguments)
  if (opened !== undefined && !('problem' in opened)) {
    return { ...block, call: opened, problem: '', group: groupOf(opened) }
  }
  const offered = tools.list().map(({ name }) => name)
  const problem =
    opened?.problem ?? `There is no tool "${block.name}". There are: ${offered.join(', ')}.`
  return { ...block, call: null, problem, group: 'read' }
}

function groupOf({ accesses }: ToolCall): Group {
  if (accesses.every(({ kind }) => kind === 'read')) return 'read'
  return accesses.every(({ kind }) => kind === 'execute') ? 'execute' : 'write'
}

function splitGroups(calls: readonly Opened[]): Opened[][] {
  const groups: Opened[][] = []
  for (const call of calls) {
    const last = groups.at(-1)
    const joins = call.group !== 'write' && last?.[0]?.group === call.group
    if (joins) last.push(call)
    else groups.push([call])
  }
  return groups
}

/** Announces the call, asks if it must, and starts it. */
async function startCall(
  parts: LoopParts,
  turn: Turn,
  step: number,
  opened: Opened,
): Promise<Started> {
  const { session, signal } = turn
  if (signal.aborted) return { ...opened, seq: null, result: Promise.resolve(notStarted) }
  const reason = opened.call && (await findReason(parts, turn, opened.call))
  const approvalId = reason === null ? null : parts.createId()
  const { id: callId, name, arguments: text } = opened
  const drafts: EventDraft[] = [
    { type: 'tool/call', data: { turn: turn.turn, step, callId, name, arguments: text } },
  ]
  if (approvalId !== null && reason !== null) {
    drafts.push({
      type: 'approval/asked',
      data: { id: approvalId, toolName: name, callId, reason },
    })
  }
  const [logged] = await session.append(drafts)
  const started = (result: Promise<LoggedResult>): Started => {
    // Awaited in its turn; until then a failure must not count as unheard.
    result.catch(() => undefined)
    return { ...opened, seq: logged?.seq ?? null, result }
  }
  if (approvalId !== null) {
    const outcome = await turn.ask(callId)
    await session.append([{ type: 'approval/decided', data: { id: approvalId, outcome } }])
    if (outcome !== 'allowed-once') {
      return started(Promise.resolve({ text: refusals[outcome], isError: true }))
    }
  }
  await session.checkpoint()
  return started(execute(parts, turn, opened))
}

function findReason(
  { permissions }: LoopParts,
  { session }: Turn,
  call: ToolCall,
): Promise<string | null> {
  return permissions.findReason(session.mode, call.accesses, session.cwd)
}

/** What goes wrong in a tool is a result for the model; rejects only when the log cannot be written. */
async function execute(
  { backend, warn }: LoopParts,
  { session, signal }: Turn,
  { call, name, problem }: Opened,
): Promise<LoggedResult> {
  if (call === null) {
    return { text: problem, isError: true, error: { name: 'ToolCallError', code: 'INVALID_CALL' } }
  }
  if (signal.aborted) return notStarted
  const recorded: Promise<unknown>[] = []
  try {
    return await call.run({
      cwd: session.cwd,
      signal,
      backend,
      record: (type, data) => void recorded.push(session.append([{ type, data }])),
    })
  } catch (error) {
    warn(`the tool ${name} threw: ${messageOf(error)}`)
    return { text: messageOf(error), isError: true }
  } finally {
    await Promise.all(recorded)
  }
}

const notStarted: LoggedResult = {
  text: 'Not run: the turn was cancelled before this call began.',
  isError: true,
  error: { name: 'ToolNotStartedError', code: toolNotStarted },
}

/** A file or a command may show the agent's own key: neither log nor model nor screen gets it. */
async function logResult(
  { redact }: LoopParts,
  { session, turn }: Turn,
  step: number,
  { id: callId, seq, result }: Started,
): Promise<void> {
  const clean: LoggedResult = JSON.parse(redact(JSON.stringify(await result)))
  const { text, isError, meta, error } = clean
  await session.append([
    {
      type: 'tool/result',
      data: {
        turn,
        step,
        callId,
        content: [{ type: 'text', text }],
        isError,
        ...(error !== undefined && { error }),
        ...(meta !== undefined && { meta }),
      },
      ...(seq !== null && { sourceEventSeqs: [seq] }),
      surfaceOp: 'append',
    },
  ])
}
