/**
 * OpenAI Responses, writing: the events of a response that decodes to the
 * given chunks. Items come from the replay state when there is one, else each
 * block is an item of its own.
 */
import type { BlockOutline, StreamOutline } from '../assemble.ts'
import type { FinishReason, StreamChunk, Usage } from '../chunk.ts'
import { formOfError } from '../error-finish.ts'
import { writeBlocks } from '../faithful.ts'
import type { JsonObject } from '../json.ts'
import { readReplayState, type ReplayItem } from '../replay-state.ts'
import type { EncodeOptions, SseEvent } from '../wire.ts'
import { streamErrorCode } from './error.ts'
import { callField, itemParts, restoreItem, type ItemPart } from './items.ts'

type Send = (type: string, fields: JsonObject) => void

export function writeOpenAiResponse(
  chunks: readonly StreamChunk[],
  outline: StreamOutline,
  { model = 'runproof', responseId = 'resp_runproof' }: EncodeOptions,
): SseEvent[] {
  const events: SseEvent[] = []
  const send: Send = (type, fields) => {
    const data = JSON.stringify({ type, sequence_number: events.length, ...fields })
    events.push({ event: type, data, id: '' })
  }
  const { finish, usage, blocks } = outline
  const items = layOut(outline)
  const output = items.map(({ raw, blocks: own = [] }) =>
    restoreItem(
      raw,
      own.flatMap((index) => blocks.find((block) => block.index === index) ?? []),
    ),
  )
  const response = { id: responseId, object: 'response', created_at: 0, model }

  send('response.created', { response: { ...response, status: 'in_progress', output: [] } })
  const writer = createItemWriter(send, items, output)
  writeBlocks(chunks, outline, writer)

  if (!finish) return events
  const form = finish.kind === 'error' ? formOfError(finish) : undefined
  if (form === 'cut') return events
  writer.sendKept(items.length)
  const end = form === 'object' ? failed(finish) : ended(finish, form)
  send(`response.${end.status}`, {
    response: { ...response, output, ...end, usage: usage ? writeUsage(usage) : null },
  })
  return events
}

/** The items of the response, with a refusal as one more unless the state has it already. */
function layOut({ blocks, replayState, finish }: StreamOutline): ReplayItem[] {
  const indexes = blocks.map(({ index }) => index)
  const state = readReplayState('openai-responses', replayState, indexes)
  if (state) return state.items
  const refusal = finish?.kind === 'refusal' ? finish.message : undefined
  return [
    ...blocks.map((block) => ({ raw: itemOf(block), blocks: [block.index] })),
    ...(refusal === undefined ? [] : [{ raw: refusalItem(blocks.length, refusal) }]),
  ]
}

function itemOf({ type, index }: BlockOutline): JsonObject {
  if (type === 'tool-call') return { type: 'function_call', id: `fc_${index}`, status: 'completed' }
  if (type === 'reasoning') {
    return { type: 'reasoning', id: `rs_${index}`, summary: [{ type: 'summary_text' }] }
  }
  return message(index, { type: 'output_text' })
}

function refusalItem(index: number, refusal: string): JsonObject {
  return message(index, { type: 'refusal', refusal })
}

function message(index: number, part: JsonObject): JsonObject {
  const role = 'assistant'
  return { type: 'message', id: `msg_${index}`, status: 'completed', role, content: [part] }
}

function createItemWriter(
  send: Send,
  items: readonly ReplayItem[],
  output: readonly JsonObject[],
): {
  start(block: BlockOutline): void
  delta(block: BlockOutline, text: string): void
  end(block: BlockOutline): void
  /** Items without blocks before `end` that are still to come. */
  sendKept(end: number): void
} {
  let sent = 0
  const open = new Set<number>()
  const at = (block: BlockOutline): number =>
    items.findIndex((item) => item.blocks?.includes(block.index))
  const partOf = (block: BlockOutline): ItemPart | undefined => {
    const { raw, blocks } = items[at(block)] ?? { raw: {} }
    return itemParts(raw)[blocks?.indexOf(block.index) ?? 0]
  }
  const writer = {
    sendKept(end: number) {
      for (; sent < end; sent += 1) {
        if (items[sent]?.blocks) continue
        send('response.output_item.added', { output_index: sent, item: output[sent] })
        send('response.output_item.done', { output_index: sent, item: output[sent] })
      }
    },
    start(block: BlockOutline) {
      const index = at(block)
      writer.sendKept(index)
      if (!open.has(index)) {
        open.add(index)
        const item = emptied(items[index]?.raw ?? {}, block)
        send('response.output_item.added', { output_index: index, item })
      }
      const name = partName(partOf(block))
      if (name) send(`response.${name.part}.added`, { ...name.at(index), part: name.empty })
    },
    delta(block: BlockOutline, delta: string) {
      const index = at(block)
      const name = partName(partOf(block))
      const call = callEvent(items[index]?.raw)
      if (name) send(`response.${name.text}.delta`, { ...name.at(index), delta })
      else if (call && delta !== '') send(`${call.event}.delta`, { output_index: index, delta })
    },
    end(block: BlockOutline) {
      const index = at(block)
      const { text } = block
      const name = partName(partOf(block))
      const call = callEvent(items[index]?.raw)
      if (name) {
        send(`response.${name.text}.done`, { ...name.at(index), text })
        send(`response.${name.part}.done`, { ...name.at(index), part: { ...name.empty, text } })
      } else if (call) send(`${call.event}.done`, { output_index: index, [call.field]: text })
      if (items[index]?.blocks?.at(-1) === block.index) {
        send('response.output_item.done', { output_index: index, item: output[index] })
      }
    },
  }
  return writer
}

/** The item as it is announced: what it is, but nothing said yet. */
function emptied(raw: JsonObject, { id, name }: BlockOutline): JsonObject {
  const field = callField(raw)
  if (field) return { ...raw, status: 'in_progress', call_id: id, name, [field]: '' }
  if (raw.type === 'message') return { ...raw, status: 'in_progress', content: [] }
  if (raw.type === 'reasoning') return { ...raw, summary: [] }
  return { ...raw, status: 'in_progress', call_id: id }
}

type PartEvents = {
  /** Stem of the part's events, and of its text's. */
  part: string
  text: string
  empty: JsonObject
  at(outputIndex: number): JsonObject
}

function partName(part: ItemPart | undefined): PartEvents | undefined {
  const [list, number] = part?.key.split('/') ?? []
  if (!part || number === undefined) return undefined
  const isSummary = list === 'summary'
  const index = isSummary ? 'summary_index' : 'content_index'
  const at = (outputIndex: number): JsonObject => ({
    output_index: outputIndex,
    [index]: Number(number),
  })
  if (isSummary) {
    const empty = { type: 'summary_text', text: '' }
    return { part: 'reasoning_summary_part', text: 'reasoning_summary_text', empty, at }
  }
  return part.type === 'text'
    ? {
        part: 'content_part',
        text: 'output_text',
        empty: { type: 'output_text', text: '', annotations: [] },
        at,
      }
    : {
        part: 'content_part',
        text: 'reasoning_text',
        empty: { type: 'reasoning_text', text: '' },
        at,
      }
}

function callEvent(raw: JsonObject = {}): { event: string; field: string } | undefined {
  const field = callField(raw)
  if (field === undefined) return undefined
  const event = raw.type === 'function_call' ? 'function_call_arguments' : 'custom_tool_call_input'
  return { event: `response.${event}`, field }
}

type End = { status: string; error?: JsonObject; incomplete_details?: JsonObject }

function failed(finish: FinishReason): End {
  const { message: text = '', code = 'UNKNOWN', status } = finish.kind === 'error' ? finish : {}
  return { status: 'failed', error: { code: status ?? streamErrorCode(code), message: text } }
}

function incomplete(reason: string): End {
  return { status: 'incomplete', incomplete_details: { reason } }
}

function ended(finish: FinishReason, form: 'empty' | 'word' | undefined): End {
  switch (finish.kind) {
    case 'max-tokens':
      return incomplete(finish.detail ?? 'max_output_tokens')
    case 'content-filter':
      return incomplete('content_filter')
    case 'pause':
      return finish.detail === 'steered' ? incomplete('steered') : { status: 'completed' }
    case 'error':
      return form === 'word'
        ? incomplete((finish.code ?? '').toLowerCase())
        : { status: 'completed' }
    case 'aborted':
      // No word for it: whatever is written is read back as something else, and refused.
      return incomplete(finish.kind)
    default:
      return { status: 'completed' }
  }
}

function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const input = inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const hasCache = cacheReadTokens !== undefined || cacheWriteTokens !== undefined
  return {
    input_tokens: input,
    output_tokens: outputTokens,
    total_tokens: input + outputTokens,
    // A field without a value is left out of the JSON text.
    ...(hasCache && {
      input_tokens_details: {
        cached_tokens: cacheReadTokens,
        cache_write_tokens: cacheWriteTokens,
      },
    }),
    ...(reasoningTokens !== undefined && {
      output_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  }
}
