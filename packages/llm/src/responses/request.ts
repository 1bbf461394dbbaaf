/**
 * OpenAI Responses, asking: the body of a streaming request.
 *
 * Follows https://platform.openai.com/docs/api-reference/responses/create.
 * Nothing is stored at the provider (`store: false`): the whole history goes
 * along each time, reasoning in its encrypted form. That form is asked for
 * with `reasoningEffort` only, since models without reasoning refuse it.
 */
import type { Block } from '../chunk.ts'
import { textOf, type JsonObject } from '../json.ts'
import {
  joinText,
  refuse,
  type AssistantMessage,
  type LlmMessage,
  type LlmRequest,
  type ToolMessage,
  type UserMessage,
} from '../message.ts'
import { readReplayState } from '../replay-state.ts'
import { jsonHeaders, type WireRequest } from '../wire.ts'
import { restoreItem } from './items.ts'

const wire = 'openai-responses'

export function buildOpenAiResponsesRequest(request: LlmRequest): WireRequest {
  const { model, messages, system, tools = [], maxTokens, temperature, stop = [] } = request
  if (stop.length > 0) refuse(wire, 'stop sequences')
  const effort = request.reasoningEffort
  return {
    method: 'POST',
    path: '/v1/responses',
    headers: { ...jsonHeaders },
    body: {
      model,
      ...(system !== undefined && { instructions: system }),
      input: writeInput(messages),
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, parameters }) => ({
          type: 'function',
          name,
          ...(description === undefined ? {} : { description }),
          parameters,
          strict: false,
        })),
      }),
      ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(effort && {
        reasoning: { effort, ...(effort === 'none' ? {} : { summary: 'auto' }) },
        ...(effort === 'none' ? {} : { include: ['reasoning.encrypted_content'] }),
      }),
      store: false,
      stream: true,
      ...request.extra,
    },
  }
}

function writeInput(messages: readonly LlmMessage[]): JsonObject[] {
  const input: JsonObject[] = []
  /** Type of the item that made each call, which decides the type of its result. */
  const callTypes = new Map<string, string>()
  for (const message of messages) {
    if (message.role === 'user') input.push({ role: 'user', content: userContent(message) })
    else if (message.role === 'tool') {
      input.push(toolResult(message, callTypes.get(message.callId) ?? 'function_call'))
    } else {
      for (const item of assistantItems(message)) {
        if (item.call_id !== undefined) callTypes.set(textOf(item.call_id), textOf(item.type))
        input.push(item)
      }
    }
  }
  return input
}

function userContent({ content }: UserMessage): JsonObject[] {
  return content.map((block) =>
    block.type === 'text'
      ? { type: 'input_text', text: block.text }
      : { type: 'input_image', image_url: `data:${block.mediaType};base64,${block.data}` },
  )
}

function assistantItems({ content, replayState }: AssistantMessage): JsonObject[] {
  const state = readReplayState(wire, replayState, [...content.keys()])
  if (!state) return content.flatMap(writeBlock)
  return state.items
    .map(({ raw, blocks = [] }) =>
      restoreItem(
        raw,
        blocks.flatMap((index) => asText(content[index])),
      ),
    )
    .filter(isSendable)
}

/** Reasoning that is not stored over there can only be understood in its encrypted form. */
function isSendable(item: JsonObject): boolean {
  return item.type !== 'reasoning' || textOf(item.encrypted_content) !== ''
}

function asText(block: Block | undefined): { text: string; id?: string; name?: string }[] {
  if (!block) return []
  if (block.type !== 'tool-call') return [{ text: block.text }]
  return [{ text: block.arguments, id: block.id, name: block.name }]
}

function writeBlock(block: Block): JsonObject[] {
  if (block.type === 'reasoning') return []
  if (block.type === 'text') return [{ role: 'assistant', content: block.text }]
  const { id, name, arguments: text } = block
  return [{ type: 'function_call', call_id: id, name, arguments: text }]
}

/** The result of a call, in the form that belongs to the kind of call. */
function toolResult({ callId, content, isError = false }: ToolMessage, type: string): JsonObject {
  const text = joinText(content)
  const result = { type: `${type}_output`, call_id: callId }
  switch (type) {
    case 'function_call':
    case 'custom_tool_call':
      return { ...result, output: text }
    case 'local_shell_call':
      return { type: result.type, id: callId, output: text }
    case 'shell_call': {
      const outcome = { type: 'exit', exit_code: isError ? 1 : 0 }
      return { ...result, output: [{ stdout: text, stderr: '', outcome }] }
    }
    case 'apply_patch_call':
      return { ...result, status: isError ? 'failed' : 'completed', output: text }
    default:
      return refuse(wire, `the result of a ${type}`)
  }
}
