/**
 * Gemini, asking: the body of a `streamGenerateContent` request.
 *
 * Follows https://ai.google.dev/api/generate-content.
 *
 * - Neighbouring messages of one role are one content, so that the results of
 *   parallel calls stand together.
 * - Reasoning goes back only as the signatures of a replay state.
 */
import type { Block } from '../chunk.ts'
import { LlmError } from '../error.ts'
import type { JsonObject } from '../json.ts'
import {
  argumentsObject,
  callNames,
  joinText,
  refuse,
  type AssistantMessage,
  type LlmMessage,
  type LlmRequest,
  type ReasoningEffort,
  type ToolMessage,
} from '../message.ts'
import { readReplayState, replayItems } from '../replay-state.ts'
import { jsonHeaders, type WireRequest } from '../wire.ts'

type Content = { role: 'user' | 'model'; parts: JsonObject[] }

export function buildGeminiRequest(request: LlmRequest): WireRequest {
  const { model, messages, system, tools = [], maxTokens, temperature, stop = [] } = request
  const generationConfig = {
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(request.reasoningEffort && { thinkingConfig: thinking(request.reasoningEffort) }),
  }
  const path = model.includes('/') ? model : `models/${model}`
  return {
    method: 'POST',
    path: `/v1beta/${encodeURI(path)}:streamGenerateContent?alt=sse`,
    headers: { ...jsonHeaders },
    body: {
      ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
      contents: mergeContents(messages),
      ...(tools.length > 0 && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, description, parameters }) => ({
              name,
              ...(description === undefined ? {} : { description }),
              parametersJsonSchema: parameters,
            })),
          },
        ],
      }),
      ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
      ...request.extra,
    },
  }
}

function thinking(effort: ReasoningEffort): JsonObject {
  if (effort === 'none' || effort === 'xhigh' || effort === 'max') {
    throw new LlmError(
      `gemini has no reasoning effort ${effort}; use minimal, low, medium or high`,
      'UNSUPPORTED_REASONING_EFFORT',
    )
  }
  return { thinkingLevel: effort, includeThoughts: true }
}

function mergeContents(messages: readonly LlmMessage[]): Content[] {
  const names = callNames(messages)
  const contents: Content[] = []
  for (const message of messages) {
    const content = writeMessage(message, names)
    const last = contents.at(-1)
    if (last?.role === content.role) last.parts.push(...content.parts)
    else if (content.parts.length > 0) contents.push(content)
  }
  return contents
}

function writeMessage(message: LlmMessage, names: ReadonlyMap<string, string>): Content {
  if (message.role === 'assistant') return { role: 'model', parts: assistantParts(message) }
  if (message.role === 'tool') return { role: 'user', parts: [functionResponse(message, names)] }
  const parts = message.content.map((block) =>
    block.type === 'text'
      ? { text: block.text }
      : { inlineData: { mimeType: block.mediaType, data: block.data } },
  )
  return { role: 'user', parts }
}

function functionResponse(
  { callId, content, isError }: ToolMessage,
  names: ReadonlyMap<string, string>,
): JsonObject {
  const name = names.get(callId)
  if (name === undefined) refuse('gemini', `the result of call ${callId}, which no message made`)
  const response = { [isError ? 'error' : 'output']: joinText(content) }
  return { functionResponse: { id: callId, name, response } }
}

function assistantParts({ content, replayState }: AssistantMessage): JsonObject[] {
  const indexes = [...content.keys()]
  const state = readReplayState('gemini', replayState, indexes)
  return replayItems(state, indexes).flatMap(({ raw, blocks = [] }) => {
    const block = blocks[0] === undefined ? undefined : content[blocks[0]]
    return block ? writeBlock(block, raw) : [raw]
  })
}

function writeBlock(block: Block, raw: JsonObject): JsonObject[] {
  if (block.type === 'text') return block.text === '' ? [] : [{ text: block.text, ...raw }]
  if (block.type === 'reasoning') {
    return Object.keys(raw).length === 0 ? [] : [{ text: block.text, thought: true, ...raw }]
  }
  const { id, name } = block
  return [{ functionCall: { id, name, args: argumentsObject(block.arguments) }, ...raw }]
}
