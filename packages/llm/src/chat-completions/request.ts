/**
 * Chat completions, asking: the body of a streaming request.
 *
 * Follows the OpenAI chat completions reference; what DeepSeek does otherwise
 * is in the dialect.
 */
import type { Block } from '../chunk.ts'
import type { JsonObject } from '../json.ts'
import {
  joinText,
  refuse,
  type AssistantMessage,
  type LlmMessage,
  type LlmRequest,
  type ReasoningEffort,
  type UserMessage,
} from '../message.ts'
import { jsonHeaders, type WireRequest } from '../wire.ts'

export type ChatDialect = {
  name: 'deepseek' | 'openai-chat'
  path: string
  maxTokensField: string
  takesImages: boolean
  /** Whether the history carries reasoning back. */
  takesReasoning: boolean
  reasoning(effort: ReasoningEffort): JsonObject
}

export function buildChatRequest(request: LlmRequest, dialect: ChatDialect): WireRequest {
  const { model, messages, system, tools = [], maxTokens, temperature, stop = [] } = request
  return {
    method: 'POST',
    path: dialect.path,
    headers: { ...jsonHeaders },
    body: {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        ...messages.map((message) => writeMessage(message, dialect)),
      ],
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, parameters }) => ({
          type: 'function',
          function: { name, ...(description === undefined ? {} : { description }), parameters },
        })),
      }),
      ...(maxTokens !== undefined && { [dialect.maxTokensField]: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(stop.length > 0 && { stop: [...stop] }),
      ...(request.reasoningEffort && dialect.reasoning(request.reasoningEffort)),
      stream: true,
      stream_options: { include_usage: true },
      ...request.extra,
    },
  }
}

function writeMessage(message: LlmMessage, dialect: ChatDialect): JsonObject {
  if (message.role === 'user') return { role: 'user', content: userContent(message, dialect) }
  if (message.role === 'assistant') return assistantMessage(message, dialect)
  return { role: 'tool', tool_call_id: message.callId, content: joinText(message.content) }
}

function userContent({ content }: UserMessage, dialect: ChatDialect): string | JsonObject[] {
  if (content.every((block) => block.type === 'text')) return joinText(content)
  if (!dialect.takesImages) return refuse(dialect.name, 'an image')
  return content.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : {
          type: 'image_url',
          image_url: { url: `data:${block.mediaType};base64,${block.data}` },
        },
  )
}

function assistantMessage({ content }: AssistantMessage, dialect: ChatDialect): JsonObject {
  const textOfType = (type: Block['type']): string =>
    content.map((block) => (block.type === type && 'text' in block ? block.text : '')).join('')
  const text = textOfType('text')
  const reasoning = textOfType('reasoning')
  const calls = content.filter((block) => block.type === 'tool-call')
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(dialect.takesReasoning && reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: text_ }) => ({
        id,
        type: 'function',
        function: { name, arguments: text_ },
      })),
    }),
  }
}
