/**
 * The stable form of session logs (format 0, `session.jsonl`): the same for the
 * fixture and for the log of a replayed run. Each side is normalised in its own
 * context; where the context names no folder the header's `cwd` is it.
 *
 * Numbers stay numbers: times and durations become 0, `seq` stays. The system
 * prompt and the tool list become `{{system}}` and `{{tools}}`: one scenario of a
 * header class pins their text.
 */
import { isRecord, type Message } from '../transcript/line.ts'
import type { NormaliseContext } from './context.ts'
import type { Profile } from './profile.ts'
import { createRewriter } from './rewrite.ts'

const isHeader = (event: Message): boolean => event['type'] === 'session'
const isEvent = (event: Message): boolean => !isHeader(event)
const hasType =
  (...types: string[]) =>
  (event: Message): boolean =>
    types.some((type) => event['type'] === type)

const modelTypes = ['assistant/chunk', 'assistant/message', 'user/message', 'steering/message']

const sessionProfile: Profile = {
  fields: [
    { path: 'id', token: 'session:n', when: isHeader },
    { path: 'parentSession', token: 'session:n', when: isHeader },
    { path: 'createdAt', constant: 0, when: isHeader },
    { path: 'time', constant: 0, when: isEvent },
    { path: 'time0', constant: 0, when: isEvent },
    { path: 'data.dt[*]', constant: 0 },
    { path: 'data.stream[*].time', constant: 0 },
    { path: 'data.durationMs', constant: 0 },
    { path: 'data.header.system', token: 'system' },
    { path: 'data.header.tools', token: 'tools' },
    { path: 'data.header.messagePrefix', token: 'messagePrefix' },
    { path: 'data.system.insert[*]', token: 'system', when: hasType('request/header-delta') },
    { path: 'data.id', token: 'approval:n', when: hasType('approval/asked', 'approval/decided') },
    { path: 'data.message.id', token: 'message:n' },
  ],
  zones: [
    { path: 'data', zone: 'model', when: hasType(...modelTypes) },
    { path: 'data.arguments', zone: 'model', when: hasType('tool/call') },
    { path: 'data.content', zone: 'content' },
    { path: 'data.message', zone: 'content' },
    { path: 'data.meta', zone: 'content' },
  ],
  keptKeys: ['callId'],
  factOf: () => null,
  chunkOf: () => null,
  mergeOf: () => null,
}

/** One log; see `normaliseSessionLogs`. */
export function normaliseSessionLog(lines: readonly string[], context: NormaliseContext): string[] {
  return normaliseSessionLogs([lines], context)[0] ?? []
}

/**
 * The logs of one run, the first session's first: ids keep their identity from log
 * to log, so a child that names the wrong parent shows. A line that is no JSON
 * object is kept as text.
 */
export function normaliseSessionLogs(
  logs: readonly (readonly string[])[],
  context: NormaliseContext,
): string[][] {
  const parsed = logs.map((lines) => lines.map(parseLine))
  const events = parsed.flat().filter((line) => typeof line !== 'string')
  const rewriter = createRewriter(sessionProfile, events, withHeaderFolder(events, context))
  return parsed.map((lines) =>
    lines.map((line) =>
      typeof line === 'string' ? rewriter.text(line) : JSON.stringify(rewriter.message(line)),
    ),
  )
}

function parseLine(line: string): Message | string {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : line
  } catch {
    return line
  }
}

function withHeaderFolder(events: readonly Message[], context: NormaliseContext): NormaliseContext {
  if (context.cwd !== undefined) return context
  const folders = events
    .filter(isHeader)
    .flatMap(({ cwd }) => (typeof cwd === 'string' ? [cwd] : []))
  return { ...context, cwd: folders }
}
