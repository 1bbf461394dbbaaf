/**
 * The events of a stream as the one JSON body that the same provider answers
 * when no stream is asked for.
 *
 * Reads what `wires[…].encode` writes, no more: events of a provider may hold
 * more than is put together here.
 */
import type { SseEvent } from '@runproof/llm'
import { isObject } from '../object.ts'
import type { WireFamily } from '../match/endpoint.ts'

type Json = Record<string, unknown>

export function wholeBody(family: WireFamily, events: readonly SseEvent[]): Json {
  const payloads = events.flatMap(({ data }) => {
    const payload: unknown = data.startsWith('{') ? JSON.parse(data) : null
    return isObject(payload) ? [payload] : []
  })
  return readers[family](payloads)
}

const readers: Readonly<Record<WireFamily, (payloads: readonly Json[]) => Json>> = {
  chat(payloads) {
    const message: Json = { role: 'assistant', content: null }
    const calls: Json[] = []
    let finishReason: unknown = null
    for (const choice of payloads.map((payload) => firstOf(payload.choices))) {
      finishReason = choice.finish_reason ?? finishReason
      for (const [name, value] of Object.entries(objectOf(choice.delta))) {
        if (name !== 'tool_calls') message[name] = joined(message[name], value)
        else for (const part of objectsOf(value)) addCall(calls, part)
      }
    }
    const [first = {}] = payloads
    const { id, created, model } = first
    const usage = payloads.findLast((payload) => isObject(payload.usage))?.usage
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: [
        {
          index: 0,
          message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
          finish_reason: finishReason,
        },
      ],
      ...(usage !== undefined && { usage }),
    }
  },
  responses: (payloads) => objectOf(payloads.at(-1)?.response),
  anthropic(payloads) {
    const content: Json[] = []
    let message: Json = {}
    for (const payload of payloads) {
      const block = content.at(-1)
      if (payload.type === 'message_start') message = objectOf(payload.message)
      else if (payload.type === 'content_block_start') content.push(objectOf(payload.content_block))
      else if (payload.type === 'content_block_delta' && block !== undefined) {
        addDelta(block, objectOf(payload.delta))
      } else if (payload.type === 'message_delta') {
        const usage = { ...objectOf(message.usage), ...objectOf(payload.usage) }
        message = { ...message, ...objectOf(payload.delta), usage }
      }
    }
    return { ...message, content: content.map((block) => parseInput(block)) }
  },
  gemini(payloads) {
    const candidates = payloads.map((payload) => firstOf(payload.candidates))
    const parts = candidates.flatMap(({ content }) => objectsOf(objectOf(content).parts))
    const { content: _content, ...last } = candidates.at(-1) ?? {}
    return {
      ...payloads.at(-1),
      candidates: [{ content: { role: 'model', parts: joinParts(parts) }, ...last }],
    }
  },
}

/** Pieces of a text one after the other; another value replaces the one before. */
function joined(before: unknown, value: unknown): unknown {
  return typeof before === 'string' && typeof value === 'string' && before !== 'assistant'
    ? before + value
    : (value ?? before)
}

function addCall(calls: Json[], { index, function: piece, ...rest }: Json): void {
  const at = typeof index === 'number' ? index : 0
  const { name, arguments: text } = objectOf(piece)
  const call = (calls[at] ??= { ...rest, function: { name, arguments: '' } })
  const made = objectOf(call.function)
  made.arguments = joined(made.arguments, text)
}

function addDelta(block: Json, { type: _type, partial_json: json, ...fields }: Json): void {
  if (json !== undefined) block.json = joined(block.json, json)
  for (const [name, value] of Object.entries(fields)) block[name] = joined(block[name], value)
}

function parseInput({ json, ...block }: Json): Json {
  return typeof json === 'string' && json !== '' ? { ...block, input: JSON.parse(json) } : block
}

/** Neighbouring texts of one kind are one part. */
function joinParts(parts: readonly Json[]): Json[] {
  const result: Json[] = []
  for (const part of parts) {
    const last = result.at(-1)
    const isSame = last !== undefined && Object.keys(last).join() === Object.keys(part).join()
    if (isSame && typeof last.text === 'string') last.text = joined(last.text, part.text)
    else result.push({ ...part })
  }
  return result
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {}
}

function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((member) => isObject(member)) : []
}

function firstOf(value: unknown): Json {
  return objectsOf(value)[0] ?? {}
}
