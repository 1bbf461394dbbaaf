/**
 * Is this the request that was recorded? The one place where a live request
 * and a session log are compared.
 *
 * Compared are the texts that came from outside the model: user messages and
 * tool results, in order, with the call they answer and whether they failed.
 * What the model said is not: it came from the replay. Folder, ids and times
 * are normalised first, each side with its own (`normalise.ts`).
 *
 * Limits: pictures count as `[image]`; the system prompt, tools and model are
 * not compared, since logs hold placeholders for them.
 */
import { deriveHistory, deriveView } from '@runproof/session-log'
import { isObject } from './object.ts'
import type { ReplayScript } from './load.ts'
import { cwdToken, findFolder, flatIdToken, normaliseText } from './normalise.ts'
import type { RecordedCall } from './script.ts'

/**
 * `strict`: user texts, plugin texts in the user's role, tool results.
 * `prompt`: what the user typed, for logs that another harness recorded.
 */
export type CompareLevel = 'strict' | 'prompt'

export type CompareOptions = {
  level: CompareLevel
  /** Working folder of the live run; by default found by holding the texts beside each other. */
  cwd?: string | undefined
}

/** Both requests as normalised text, one message after the other. */
export type Difference = { recorded: string; sent: string }

/** null when the messages are those of the recorded call. */
export function compareRequest(
  script: Pick<ReplayScript, 'header' | 'events'>,
  call: RecordedCall,
  messages: readonly unknown[],
  { level, cwd }: CompareOptions,
): Difference | null {
  const before = script.events.slice(0, call.eventCount)
  const recordedMessages =
    level === 'strict'
      ? deriveHistory(before)
      : deriveView(before).flatMap((event) => {
          const isPrompt = event.type === 'user/message' && event.data.source.kind === 'user'
          return isPrompt ? [{ role: 'user', content: event.data.content }] : []
        })
  const recordedText = renderMessages(recordedMessages, level)
  const sentText = renderMessages(messages, level)
  if (recordedText === sentText) return null
  const oneId = recordedText.includes(flatIdToken)
  const recorded = normaliseText(recordedText, { cwd: script.header.cwd, oneId })
  const folder = cwd ?? (recorded.includes(cwdToken) ? findFolder(recorded, sentText) : undefined)
  const sent = normaliseText(sentText, { cwd: folder, oneId })
  return recorded === sent ? null : { recorded, sent }
}

/** Further lines of a text are indented, so that none of them looks like a message of its own. */
function renderMessages(messages: readonly unknown[], level: CompareLevel): string {
  return messages
    .flatMap((message) => renderMessage(message))
    .filter((line) => level === 'strict' || line.role === 'user')
    .map(({ label, text }) => `${`${label}: ${text}`.replaceAll('\n', '\n  ')}\n`)
    .join('')
}

type Line = { role: 'user' | 'tool'; label: string; text: string }

/**
 * A message of any host: `LlmMessage`s, and those of the DeepSeek Harness,
 * where a tool result is a block of a user message.
 */
function renderMessage(message: unknown): Line[] {
  if (!isObject(message)) return []
  const { role, content } = message
  if (role === 'tool') return [renderResult(message)]
  if (role !== 'user') return []
  if (!Array.isArray(content)) return [{ role, label: 'user', text: String(content) }]
  const blocks = content.filter((block) => isObject(block))
  const results = blocks.filter((block) => block.type === 'tool-result')
  if (results.length > 0) return results.map((block) => renderResult(block))
  return [{ role, label: 'user', text: renderBlocks(content) }]
}

function renderResult(result: Record<string, unknown>): Line {
  const id = result.callId ?? result.toolCallId
  const label = `result of ${String(id)}${result.isError === true ? ' (error)' : ''}`
  const text = Array.isArray(result.content) ? renderBlocks(result.content) : String(result.content)
  return { role: 'tool', label, text }
}

function renderBlocks(blocks: readonly unknown[]): string {
  return blocks
    .map((block) => {
      if (!isObject(block)) return ''
      return block.type === 'text' ? String(block.text) : `[${String(block.type)}]`
    })
    .join('')
}

const diffLinesMax = 60
/** Texts further apart than this are shown without a diff: computing it would take too long. */
const editLengthMax = 2000

/** A unified diff for people, recorded to sent. Imports its library now, since most runs need none. */
export async function formatDifference({ recorded, sent }: Difference): Promise<string> {
  const { createTwoFilesPatch } = await import('diff')
  const limits = { context: 2, maxEditLength: editLengthMax }
  const patch = createTwoFilesPatch('recorded', 'sent', recorded, sent, '', '', limits)
  if (patch === undefined) return `${recorded.length} characters recorded, ${sent.length} sent`
  const lines = patch.trimEnd().split('\n').slice(1)
  const rest = lines.length - diffLinesMax
  if (rest <= 0) return lines.join('\n')
  return [...lines.slice(0, diffLinesMax), `… ${rest} more lines`].join('\n')
}
