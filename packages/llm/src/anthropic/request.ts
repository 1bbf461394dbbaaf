/**
 * Anthropic Messages, asking: the body of a streaming request.
 *
 * Follows https://docs.claude.com/en/api/messages.
 *
 * - `max_tokens` is required there: without `maxTokens` it is `maxTokensDefault`.
 * - Neighbouring messages of one role are one message, so that all results of
 *   parallel calls stand in the one user message the API wants them in.
 * - Reasoning goes back only with its signature, that is with a replay state.
 * - Blank text is left out, since the API refuses it.
 */
import type { Block } from '../chunk.ts'
import { textOf, type JsonObject } from '../json.ts'
import {
  argumentsObject,
  joinText,
  type AssistantMessage,
  type LlmMessage,
  type LlmRequest,
  type ReasoningEffort,
  type ToolMessage,
  type UserMessage,
} from '../message.ts'
import { readReplayState, replayItems } from '../replay-state.ts'
import { jsonHeaders, type WireRequest } from '../wire.ts'

const maxTokensDefault = 8192

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] }

export function buildAnthropicRequest(request: LlmRequest): WireRequest {
  const { model, messages, system, tools = [], temperature, stop = [] } = request
  const container = lastContainer(messages)
  return {
    method: 'POST',
    path: '/v1/messages',
    headers: { ...jsonHeaders, 'anthropic-version': '2023-06-01' },
    body: {
      model,
      max_tokens: request.maxTokens ?? maxTokensDefault,
      ...(system !== undefined && { system }),
      messages: mergeTurns(messages),
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, parameters }) => ({
          name,
          ...(description === undefined ? {} : { description }),
          input_schema: parameters,
        })),
      }),
      ...(temperature !== undefined && { temperature }),
      ...(stop.length > 0 && { stop_sequences: [...stop] }),
      ...(request.reasoningEffort && thinking(request.reasoningEffort)),
      ...(container !== undefined && { container }),
      stream: true,
      ...request.extra,
    },
  }
}

function thinking(effort: ReasoningEffort): JsonObject {
  if (effort === 'none') return { thinking: { type: 'disabled' } }
  return {
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: effort === 'minimal' ? 'low' : effort },
  }
}

function mergeTurns(messages: readonly LlmMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const turn = writeMessage(message)
    const last = turns.at(-1)
    if (last?.role === turn.role) last.content.push(...turn.content)
    else if (turn.content.length > 0) turns.push(turn)
  }
  return turns
}

function writeMessage(message: LlmMessage): Turn {
  if (message.role === 'user') return { role: 'user', content: userContent(message) }
  if (message.role === 'assistant') return { role: 'assistant', content: assistantContent(message) }
  return { role: 'user', content: [toolResult(message)] }
}

function toolResult({ callId, content, isError }: ToolMessage): JsonObject {
  const text = joinText(content)
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(text !== '' && { content: [{ type: 'text', text }] }),
    ...(isError && { is_error: true }),
  }
}

function userContent({ content }: UserMessage): JsonObject[] {
  return content.flatMap((block) => {
    if (block.type === 'text') return textContent(block.text)
    const source = { type: 'base64', media_type: block.mediaType, data: block.data }
    return [{ type: 'image', source }]
  })
}

function textContent(text: string, fields: JsonObject = {}): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...fields }]
}

function assistantContent({ content, replayState }: AssistantMessage): JsonObject[] {
  const indexes = [...content.keys()]
  const state = readReplayState('anthropic', replayState, indexes)
  return replayItems(state, indexes).flatMap(({ raw, blocks = [] }) => {
    const block = blocks[0] === undefined ? undefined : content[blocks[0]]
    return block ? writeBlock(block, raw) : [raw]
  })
}

function writeBlock(block: Block, raw: JsonObject): JsonObject[] {
  if (block.type === 'text') return textContent(block.text, raw)
  if (block.type === 'reasoning') {
    return textOf(raw.signature) === '' ? [] : [{ ...raw, thinking: block.text }]
  }
  const { id, name } = block
  return [{ ...raw, type: 'tool_use', id, name, input: argumentsObject(block.arguments) }]
}

function lastContainer(messages: readonly LlmMessage[]): string | undefined {
  const last = messages.findLast((message) => message.role === 'assistant')
  return last && readReplayState('anthropic', last.replayState, [...last.content.keys()])?.container
}
