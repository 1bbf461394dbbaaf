/**
 * Chat completions, writing: the events of a response that decodes to the
 * given chunks. One event a delta; `created` is 0, since there is no clock.
 */
import type { StreamOutline } from '../assemble.ts'
import type { FinishReason, StreamChunk } from '../chunk.ts'
import { formOfError } from '../error-finish.ts'
import { writeBlocks } from '../faithful.ts'
import type { JsonObject } from '../json.ts'
import type { ErrorFormat } from '../provider-error.ts'
import { doneData, type EncodeOptions, type SseEvent } from '../wire.ts'
import { writeUsage } from './usage.ts'

export function writeChatCompletion(
  chunks: readonly StreamChunk[],
  outline: StreamOutline,
  errors: ErrorFormat,
  { model = 'runproof', responseId = 'chatcmpl-runproof' }: EncodeOptions,
): SseEvent[] {
  const events: SseEvent[] = []
  const sendData = (data: string): void => void events.push({ event: 'message', data, id: '' })
  const send = (choices: JsonObject[], fields: JsonObject = {}): void =>
    sendData(
      JSON.stringify({
        id: responseId,
        object: 'chat.completion.chunk',
        created: 0,
        model,
        choices,
        ...fields,
      }),
    )
  const sendDelta = (delta: JsonObject, finishWord: string | null = null): void =>
    send([{ index: 0, delta, finish_reason: finishWord }])

  sendDelta({ role: 'assistant' })
  let calls = 0
  const callIndex = new Map<number, number>()
  writeBlocks(chunks, outline, {
    start(block) {
      if (block.type === 'tool-call') callIndex.set(block.index, calls++)
    },
    delta({ index, type, id, name }, text, isFirst) {
      if (type === 'text') sendDelta({ content: text })
      else if (type === 'reasoning') sendDelta({ reasoning_content: text })
      else {
        const call = isFirst
          ? { id, type: 'function', function: { name, arguments: text } }
          : { function: { arguments: text } }
        sendDelta({ tool_calls: [{ index: callIndex.get(index), ...call }] })
      }
    },
    end() {},
  })

  const { finish, usage } = outline
  if (!finish) return events
  if (finish.kind === 'error') {
    const form = formOfError(finish)
    if (form === 'cut') return events
    if (form === 'object') {
      sendData(JSON.stringify(errors.write({ code: 'UNKNOWN', ...finish }, undefined)))
      return events
    }
  }
  if (finish.kind === 'refusal') sendDelta({ refusal: finish.message ?? '' })
  sendDelta({}, finishWordOf(finish))
  if (usage) send([], { usage: writeUsage(usage) })
  sendData(doneData)
  return events
}

function finishWordOf(reason: FinishReason): string {
  switch (reason.kind) {
    case 'stop':
    case 'refusal':
      return 'stop'
    case 'tool-calls':
      return 'tool_calls'
    case 'max-tokens':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'error':
      return formOfError(reason) === 'word' ? (reason.code ?? '').toLowerCase() : 'stop'
    default:
      // No word for it: whatever is written is read back as something else, and refused.
      return reason.kind
  }
}
