/**
 * Anthropic Messages, reading: named events from `message_start` to
 * `message_stop`, or an `error`.
 *
 * Follows https://docs.claude.com/en/docs/build-with-claude/streaming.
 *
 * - `text`, `thinking` and `tool_use` become blocks. Every other block
 *   (redacted thinking, server tools and their results, MCP, compaction …) is
 *   kept whole in the replay state and gives no chunk.
 * - A `message_start` that repeats the id of the running message is ignored,
 *   one with another id is MALFORMED_RESPONSE. Content and a stop reason that
 *   `message_start` already holds count like streamed ones.
 * - Deltas of a kind unknown to their block are ignored on blocks of ours and
 *   merged field by field into kept ones. Unknown events are ignored.
 * - A block that `message_stop` finds open is ended by it; a text or thinking
 *   delta for a block that never started starts it. A delta after the end of
 *   its block, a second start, and arguments without a call are contradictions:
 *   MALFORMED_RESPONSE, as is `message_stop` without a stop reason.
 * - Counts of `message_delta` are cumulative and replace those of `message_start`.
 */
import type { FinishReason, Usage } from '../chunk.ts'
import type { WireReader } from '../decoder.ts'
import { malformed } from '../error.ts'
import { unknownFinish } from '../error-finish.ts'
import {
  countOf,
  isObject,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
  without,
  type JsonObject,
} from '../json.ts'
import { readStreamError } from '../provider-error.ts'
import type { ReplayItem, ReplayState } from '../replay-state.ts'
import type { Response, ResponseBlock } from '../response.ts'
import { usageOf } from '../usage.ts'
import { anthropicErrors } from './error.ts'

/** A content block in progress; `raw` is what the provider's own block is so far. */
type Slot = { raw: JsonObject; block: ResponseBlock | undefined; json: string; stopped: boolean }

type Message = {
  response: Response
  slots: Map<number, Slot>
  id: string | undefined
  usage: JsonObject
  stopReason: string
  stopDetails: JsonObject
  container: string
}

export function readAnthropicMessage(response: Response): WireReader {
  const message: Message = {
    response,
    slots: new Map(),
    id: undefined,
    usage: {},
    stopReason: '',
    stopDetails: {},
    container: '',
  }
  return {
    read(payload) {
      switch (payload.type) {
        case 'message_start':
          startMessage(objectOf(payload.message), message)
          return
        case 'content_block_start':
          startBlock(countOf(payload.index) ?? 0, objectOf(payload.content_block), message)
          return
        case 'content_block_delta':
          readDelta(countOf(payload.index) ?? 0, objectOf(payload.delta), message)
          return
        case 'content_block_stop':
          stopBlock(countOf(payload.index) ?? 0, message)
          return
        case 'message_delta':
          readMessageDelta(objectOf(payload.delta), payload.usage, message)
          return
        case 'message_stop':
          stopMessage(message)
          return
        case 'error':
          response.fail(readStreamError(anthropicErrors, payload))
      }
    },
  }
}

function startMessage(start: JsonObject, message: Message): void {
  const id = textOf(start.id)
  if (message.id !== undefined) {
    if (message.id !== id) message.response.fail(malformed('a second message in one response'))
    return
  }
  message.id = id
  readMessageDelta(start, start.usage, message)
  for (const [index, block] of objectsOf(start.content).entries()) {
    startBlock(index, block, message)
    stopBlock(index, message)
  }
}

function readMessageDelta(delta: JsonObject, usage: unknown, message: Message): void {
  message.stopReason = textOf(delta.stop_reason) || message.stopReason
  message.container = textOf(objectOf(delta.container).id) || message.container
  if (isObject(delta.stop_details)) message.stopDetails = delta.stop_details
  message.usage = { ...message.usage, ...without(objectOf(usage)) }
}

function startBlock(index: number, raw: JsonObject, message: Message): void {
  const { response, slots } = message
  if (slots.has(index)) {
    response.fail(malformed(`content block ${index} started twice`))
    return
  }
  const slot: Slot = { raw: { ...raw }, block: undefined, json: '', stopped: false }
  slots.set(index, slot)
  if (raw.type === 'text') {
    slot.block = response.start('text')
    response.append(slot.block, textOf(raw.text))
  } else if (raw.type === 'thinking') {
    slot.block = response.start('reasoning')
    response.append(slot.block, textOf(raw.thinking))
  } else if (raw.type === 'tool_use') {
    slot.block = response.startCall(textOf(raw.id), textOf(raw.name))
    // Names the call as soon as it is known.
    response.append(slot.block, '')
  }
}

const deltaBlocks: Readonly<Record<string, 'text' | 'thinking'>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
}

function readDelta(index: number, delta: JsonObject, message: Message): void {
  const { response, slots } = message
  const type = textOf(delta.type)
  const blockType = Object.hasOwn(deltaBlocks, type) ? deltaBlocks[type] : undefined
  if (!slots.has(index) && blockType) startBlock(index, { type: blockType }, message)
  const slot = slots.get(index)
  if (!slot || slot.stopped) {
    response.fail(malformed(`${type} for content block ${index}, which is not open`))
    return
  }
  const { raw, block } = slot
  if (type === 'input_json_delta') {
    const json = textOf(delta.partial_json)
    slot.json += json
    if (block?.type === 'tool-call' && json !== '') response.append(block, json)
  } else if (type === 'citations_delta') {
    raw.citations = [...objectsOf(raw.citations), objectOf(delta.citation)]
  } else if (type === 'signature_delta') {
    raw.signature = textOf(raw.signature) + textOf(delta.signature)
  } else if (block && blockType) {
    // A delta of the other kind would be read back as the block's own.
    if (blockType === raw.type) response.append(block, textOf(delta[blockType]))
  } else if (!block) mergeDelta(raw, delta)
}

/** Strings grow, lists get longer, everything else is replaced. */
function mergeDelta(raw: JsonObject, { type: _type, ...fields }: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) {
    const before = raw[key]
    if (typeof before === 'string' && typeof value === 'string') raw[key] = before + value
    else if (Array.isArray(before) && Array.isArray(value)) raw[key] = [...before, ...value]
    else if (value !== null) raw[key] = value
  }
}

function stopBlock(index: number, message: Message): void {
  const slot = message.slots.get(index)
  if (!slot || slot.stopped) return
  slot.stopped = true
  const { response } = message
  const { block, raw, json } = slot
  if (block?.type === 'tool-call') {
    // Arguments come whole in the start when they are not streamed; none at all are `{}`.
    if (block.text === '') response.append(block, JSON.stringify(raw.input ?? {}))
  } else if (!block && json !== '') {
    raw.input = parseJson(json) ?? json
  }
  if (block) response.end(block)
}

function stopMessage(message: Message): void {
  const { response, slots, stopReason, usage } = message
  for (const index of slots.keys()) stopBlock(index, message)
  if (stopReason === '') {
    response.fail(malformed('message_stop without a stop reason'))
    return
  }
  response.finish(finishReason(stopReason, message.stopDetails), {
    usage: readUsage(usage),
    replayState: replayState(message),
  })
}

function finishReason(word: string, details: JsonObject): FinishReason {
  switch (word) {
    case 'end_turn':
    case 'stop_sequence':
      return { kind: 'stop' }
    case 'tool_use':
      return { kind: 'tool-calls' }
    case 'max_tokens':
      return { kind: 'max-tokens' }
    case 'model_context_window_exceeded':
      return { kind: 'max-tokens', detail: word }
    case 'pause_turn':
      return { kind: 'pause' }
    case 'compaction':
      return { kind: 'pause', detail: word }
    case 'refusal': {
      const [message, detail] = [textOf(details.explanation), textOf(details.category)]
      return { kind: 'refusal', ...(message && { message }), ...(detail && { detail }) }
    }
    default:
      return unknownFinish(word)
  }
}

function readUsage(usage: JsonObject): Usage | undefined {
  const input = countOf(usage.input_tokens)
  const output = countOf(usage.output_tokens)
  if (input === undefined && output === undefined) return undefined
  return usageOf({
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
    reasoning: countOf(objectOf(usage.output_tokens_details).thinking_tokens),
  })
}

/** Present when some item says more than its block. */
function replayState({ slots, container }: Message): ReplayState | undefined {
  const items = [...slots.entries()].toSorted(([a], [b]) => a - b).map(([, slot]) => item(slot))
  const isPlain = items.every(({ raw, blocks }) => blocks && Object.keys(raw).length === 1)
  if (isPlain && container === '') return undefined
  return { wire: 'anthropic', items, ...(container && { container }) }
}

/** The provider's block less what ours holds: `type` is always left. */
function item({ raw, block }: Slot): ReplayItem {
  if (!block) return { raw }
  const carried = ['text', 'thinking', 'id', 'name', 'input']
  const isDirect = objectOf(raw.caller).type === 'direct'
  return { raw: without(raw, ...carried, ...(isDirect ? ['caller'] : [])), blocks: [block.index] }
}
