/**
 * Output items of the OpenAI Responses API: which of their texts our blocks
 * carry, and how an item is taken apart and put together again.
 *
 * An item is a list of named texts (`parts`) in a fixed order plus the rest.
 * `strip` gives the rest, `restore` fills the texts in again in that order.
 *
 * - message: one text block for each `output_text` part; refusals stay in the rest.
 * - reasoning: one reasoning block for each summary part, then for each content part.
 * - function_call, custom_tool_call: a tool call with `arguments` or `input`.
 * - any other `…_call` with a `call_id` that nothing in the response answers
 *   (local shell, shell, apply patch, computer use …) waits for the caller: a
 *   tool call named after its type, whose arguments are the item's own fields.
 * - everything else (server tools and their output, MCP, compaction …) has no
 *   part and is kept whole.
 */
import { argumentsObject } from '../message.ts'
import { objectsOf, textOf, without, type JsonObject } from '../json.ts'

export type ItemPart = {
  type: 'text' | 'reasoning' | 'tool-call'
  /** Names the part within its item: `content/0`, `summary/1`, `call`. */
  key: string
  text: string
}

/** The field of an item that holds what a tool call says. */
const callFields: Readonly<Record<string, string>> = {
  function_call: 'arguments',
  custom_tool_call: 'input',
}

export function callField(item: JsonObject): string | undefined {
  const type = textOf(item.type)
  return Object.hasOwn(callFields, type) ? callFields[type] : undefined
}

/** The parts that stream as text, in the order of the blocks. */
export function itemParts(item: JsonObject): ItemPart[] {
  const field = callField(item)
  if (field) return [{ type: 'tool-call', key: 'call', text: textOf(item[field]) }]
  const parts = (list: unknown, name: string, partType: string, type: ItemPart['type']) =>
    objectsOf(list).flatMap((part, index): ItemPart[] =>
      part.type === partType ? [{ type, key: `${name}/${index}`, text: textOf(part.text) }] : [],
    )
  if (item.type === 'message') return parts(item.content, 'content', 'output_text', 'text')
  if (item.type !== 'reasoning') return []
  return [
    ...parts(item.summary, 'summary', 'summary_text', 'reasoning'),
    ...parts(item.content, 'content', 'reasoning_text', 'reasoning'),
  ]
}

/** The refusal a message holds, or `''`. */
export function itemRefusal(item: JsonObject): string {
  if (item.type !== 'message') return ''
  return objectsOf(item.content)
    .map((part) => (part.type === 'refusal' ? textOf(part.refusal) : ''))
    .join('')
}

const callBookkeeping = ['type', 'id', 'call_id', 'status'] as const

/** Whether the item is a call of another kind than `callFields`, that the caller must answer. */
export function isCallersCall(item: JsonObject, answered: ReadonlySet<unknown>): boolean {
  return (
    !callField(item) &&
    textOf(item.type).endsWith('_call') &&
    textOf(item.call_id) !== '' &&
    item.execution !== 'server' &&
    !answered.has(item.call_id)
  )
}

export function callersCallName(item: JsonObject): string {
  return textOf(item.type).slice(0, -'_call'.length)
}

export function callersCallArguments(item: JsonObject): string {
  return JSON.stringify(without(item, ...callBookkeeping))
}

/** The item without what its blocks carry. `isCall` for an item that `isCallersCall`. */
export function stripItem(item: JsonObject, isCall: boolean): JsonObject {
  const field = callField(item)
  if (field) return without(item, field, 'call_id', 'name')
  if (isCall) return { type: item.type, ...(item.id === undefined ? {} : { id: item.id }) }
  if (item.type === 'message') return { ...item, content: stripTexts(item.content, 'output_text') }
  if (item.type !== 'reasoning') return item
  return {
    ...item,
    summary: stripTexts(item.summary, 'summary_text'),
    ...(item.content === undefined || item.content === null
      ? {}
      : { content: stripTexts(item.content, 'reasoning_text') }),
  }
}

function stripTexts(parts: unknown, type: string): JsonObject[] {
  return objectsOf(parts).map((part) =>
    part.type === type ? without(part, 'text', 'logprobs') : part,
  )
}

/** What a block gives back to its item. */
export type ItemText = { text: string; id?: string; name?: string }

/** The whole item again. `texts` are those of its blocks, in order. */
export function restoreItem(raw: JsonObject, texts: readonly ItemText[]): JsonObject {
  const field = callField(raw)
  const [first] = texts
  if (field && first) return { ...raw, call_id: first.id, name: first.name, [field]: first.text }
  if (textOf(raw.type).endsWith('_call') && first) {
    return { ...raw, call_id: first.id, status: 'completed', ...argumentsObject(first.text) }
  }
  let next = 0
  const fill = (parts: unknown, type: string): JsonObject[] =>
    objectsOf(parts).map((part) =>
      part.type === type ? { ...part, text: texts[next++]?.text ?? '' } : part,
    )
  if (raw.type === 'message') {
    // The API gives every text its list of annotations, and wants it back.
    const content = fill(raw.content, 'output_text').map((part) =>
      part.type === 'output_text' ? { annotations: [], ...part } : part,
    )
    return { ...raw, content }
  }
  if (raw.type !== 'reasoning') return raw
  const summary = fill(raw.summary, 'summary_text')
  return {
    ...raw,
    summary,
    ...(raw.content === undefined ? {} : { content: fill(raw.content, 'reasoning_text') }),
  }
}

/** Whether the stripped item says nothing that its blocks do not: then it need not be kept. */
export function isPlainItem(raw: JsonObject): boolean {
  const rest = without(raw, 'type', 'id', 'role', 'status', 'content', 'summary')
  const parts = [...objectsOf(raw.content), ...objectsOf(raw.summary)]
  const plainTypes = ['message', 'reasoning', 'function_call']
  return (
    plainTypes.includes(textOf(raw.type)) &&
    Object.keys(rest).length === 0 &&
    // The finish says what a refusal said.
    parts.every((part) => Object.keys(without(part, 'type', 'refusal')).length === 0)
  )
}
