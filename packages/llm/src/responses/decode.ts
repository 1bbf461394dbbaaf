/**
 * OpenAI Responses, reading: typed events from `response.created` to
 * `response.completed`, `.incomplete`, `.failed` or `error`.
 *
 * Follows https://platform.openai.com/docs/api-reference/responses-streaming;
 * items and their parts are in `items.ts`.
 *
 * - Texts come as deltas and whole at their `done`. The whole has the last
 *   word: what the deltas left out is added, a contradiction is
 *   MALFORMED_RESPONSE. A stream without item events is read from the
 *   `output` of its terminal event.
 * - The status of the response object outranks the name of the event.
 * - A completed response ends with: `refusal` if it holds one; `tool-calls` if a
 *   call waits for the caller; `pause` if an MCP approval does; else `stop`.
 * - Progress of server tools, annotations, keepalives and unknown events give
 *   no chunk; the items themselves are kept in the replay state.
 */
import type { FinishReason, Usage } from '../chunk.ts'
import type { WireReader } from '../decoder.ts'
import { malformed } from '../error.ts'
import { unknownFinish } from '../error-finish.ts'
import { countOf, isObject, objectOf, objectsOf, textOf, type JsonObject } from '../json.ts'
import { readStreamError } from '../provider-error.ts'
import type { ReplayItem, ReplayState } from '../replay-state.ts'
import type { Response, ResponseBlock } from '../response.ts'
import { usageOf } from '../usage.ts'
import { responsesErrors } from './error.ts'
import {
  callersCallArguments,
  callersCallName,
  isCallersCall,
  isPlainItem,
  itemParts,
  itemRefusal,
  stripItem,
  type ItemPart,
} from './items.ts'

type Output = {
  response: Response
  /** Items by output index: as added, then as done. */
  items: Map<number, JsonObject>
  done: Set<number>
  /** Blocks by output index and part key. */
  blocks: Map<string, ResponseBlock>
}

export function readOpenAiResponse(response: Response): WireReader {
  const output: Output = { response, items: new Map(), done: new Set(), blocks: new Map() }
  return { read: (payload) => readEvent(payload, output) }
}

type PartName = { type: ItemPart['type']; list: string; index: 'content_index' | 'summary_index' }

const textPart: PartName = { type: 'text', list: 'content', index: 'content_index' }
const summaryPart: PartName = { type: 'reasoning', list: 'summary', index: 'summary_index' }
const reasoningPart: PartName = { type: 'reasoning', list: 'content', index: 'content_index' }

/** Events that carry a delta, or the whole, of one part. */
const partEvents: Readonly<Record<string, PartName>> = {
  'response.output_text.delta': textPart,
  'response.output_text.done': textPart,
  'response.reasoning_summary_text.delta': summaryPart,
  'response.reasoning_summary_text.done': summaryPart,
  'response.reasoning_text.delta': reasoningPart,
  'response.reasoning_text.done': reasoningPart,
}

const callEvents: Readonly<Record<string, string>> = {
  'response.function_call_arguments.delta': 'delta',
  'response.function_call_arguments.done': 'arguments',
  'response.custom_tool_call_input.delta': 'delta',
  'response.custom_tool_call_input.done': 'input',
}

function readEvent(payload: JsonObject, output: Output): void {
  const type = textOf(payload.type)
  const at = countOf(payload.output_index) ?? 0
  const part = Object.hasOwn(partEvents, type) ? partEvents[type] : undefined
  if (part) {
    const key = `${part.list}/${countOf(payload[part.index]) ?? 0}`
    const block = partBlock(at, part.type, key, output)
    if (type.endsWith('.delta')) output.response.append(block, textOf(payload.delta))
    else completeBlock(block, textOf(payload.text), output)
    return
  }
  const field = Object.hasOwn(callEvents, type) ? callEvents[type] : undefined
  if (field) {
    const block = output.blocks.get(`${at}/call`)
    const text = textOf(payload[field])
    if (!block) output.response.fail(malformed(`${type} without its item`))
    else if (field !== 'delta') completeBlock(block, text, output)
    else if (text !== '') output.response.append(block, text)
    return
  }
  switch (type) {
    case 'response.output_item.added':
      addItem(at, objectOf(payload.item), output)
      return
    case 'response.content_part.added':
      if (objectOf(payload.part).type === 'output_text') {
        partBlock(at, 'text', `content/${countOf(payload.content_index) ?? 0}`, output)
      }
      return
    case 'response.reasoning_summary_part.added':
      partBlock(at, 'reasoning', `summary/${countOf(payload.summary_index) ?? 0}`, output)
      return
    case 'response.output_item.done':
      completeItem(at, objectOf(payload.item), output)
      return
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      readTerminal(type.slice('response.'.length), objectOf(payload.response), output)
      return
    case 'error':
      output.response.fail(readStreamError(responsesErrors, payload))
  }
}

function partBlock(at: number, type: ItemPart['type'], key: string, output: Output): ResponseBlock {
  const { blocks, response } = output
  const known = blocks.get(`${at}/${key}`)
  if (known) return known
  const block = type === 'reasoning' ? response.start('reasoning') : response.start('text')
  blocks.set(`${at}/${key}`, block)
  return block
}

/** Ends a block with its whole text; none given means that the deltas were all. */
function completeBlock(block: ResponseBlock, whole: string, { response }: Output): void {
  if (whole !== '' && !whole.startsWith(block.text)) {
    response.fail(malformed(`block ${block.index} is not what its deltas said`))
    return
  }
  const rest = whole.slice(block.text.length)
  if (rest !== '') response.append(block, rest)
  response.end(block)
}

function addItem(at: number, item: JsonObject, output: Output): void {
  const { items, blocks, response } = output
  if (items.has(at)) return
  items.set(at, item)
  if (itemParts(item)[0]?.type !== 'tool-call') return
  const block = response.startCall(textOf(item.call_id) || textOf(item.id), textOf(item.name))
  blocks.set(`${at}/call`, block)
  // Names the call as soon as it is known.
  response.append(block, '')
}

function completeItem(at: number, item: JsonObject, output: Output): void {
  addItem(at, item, output)
  output.items.set(at, item)
  output.done.add(at)
  for (const { type, key, text } of itemParts(item)) {
    const block =
      type === 'tool-call' ? output.blocks.get(`${at}/call`) : partBlock(at, type, key, output)
    if (block) completeBlock(block, text, output)
  }
}

function readTerminal(event: string, terminal: JsonObject, output: Output): void {
  const { response } = output
  const status = textOf(terminal.status) || event
  const usage = isObject(terminal.usage) ? readUsage(terminal.usage) : undefined
  if (status === 'failed') {
    const failure = readStreamError(responsesErrors, terminal)
    response.finish({ kind: 'error', ...failure }, { usage })
    return
  }
  completeItems(objectsOf(terminal.output), output)
  const replayItems = endItems(output)
  response.endAll()
  response.finish(finishReason(status, terminal, output), {
    usage,
    replayState: replayState(replayItems),
  })
}

/** Takes from the terminal event the items that were announced only, or all when none was. */
function completeItems(all: JsonObject[], output: Output): void {
  const { items, done } = output
  const announced = [...items]
  for (const [position, item] of all.entries()) {
    if (announced.length === 0) completeItem(position, item, output)
    const [at] = announced.find(([, { id }]) => textOf(id) !== '' && id === item.id) ?? []
    if (at !== undefined && !done.has(at)) completeItem(at, item, output)
  }
}

/** Gives the calls that wait for the caller their blocks, and takes every item apart. */
function endItems({ response, items, blocks }: Output): ReplayItem[] {
  const ordered = [...items.entries()].toSorted(([a], [b]) => a - b)
  const answered = new Set(
    ordered
      .filter(([, item]) => textOf(item.type).endsWith('_output'))
      .map(([, item]) => item.call_id),
  )
  return ordered.map(([at, item]) => {
    const isCall = isCallersCall(item, answered)
    if (isCall) {
      const block = response.startCall(textOf(item.call_id), callersCallName(item))
      response.append(block, callersCallArguments(item))
      return { raw: stripItem(item, true), blocks: [block.index] }
    }
    const own = itemParts(item).flatMap(({ key }) => blocks.get(`${at}/${key}`)?.index ?? [])
    return { raw: stripItem(item, false), ...(own.length > 0 && { blocks: own }) }
  })
}

function replayState(items: ReplayItem[]): ReplayState | undefined {
  if (items.every(({ raw }) => isPlainItem(raw))) return undefined
  return { wire: 'openai-responses', items }
}

function finishReason(
  status: string,
  terminal: JsonObject,
  { response, items }: Output,
): FinishReason {
  if (status === 'incomplete') {
    return incompleteReason(textOf(objectOf(terminal.incomplete_details).reason))
  }
  if (status !== 'completed') return unknownFinish(status)
  const all = [...items.values()]
  const refusal = all.map(itemRefusal).join('')
  if (refusal !== '') return { kind: 'refusal', message: refusal }
  if (response.blocks.some((block) => block.type === 'tool-call')) return { kind: 'tool-calls' }
  const approval = 'mcp_approval_request'
  return all.some((item) => item.type === approval)
    ? { kind: 'pause', detail: approval }
    : { kind: 'stop' }
}

function incompleteReason(reason: string): FinishReason {
  switch (reason) {
    case 'max_output_tokens':
      return { kind: 'max-tokens' }
    case 'max_messages':
      return { kind: 'max-tokens', detail: reason }
    case 'content_filter':
      return { kind: 'content-filter' }
    case 'steered':
      return { kind: 'pause', detail: reason }
    default:
      return unknownFinish(reason || 'incomplete')
  }
}

function readUsage(usage: JsonObject): Usage {
  const input = countOf(usage.input_tokens) ?? 0
  const details = objectOf(usage.input_tokens_details)
  const cacheRead = countOf(details.cached_tokens)
  const cacheWrite = countOf(details.cache_write_tokens)
  return usageOf({
    input: input - (cacheRead ?? 0) - (cacheWrite ?? 0),
    output: countOf(usage.output_tokens) ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: countOf(objectOf(usage.output_tokens_details).reasoning_tokens),
  })
}
