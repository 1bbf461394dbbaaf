/**
 * Gemini `streamGenerateContent`, writing: the payloads of a response that
 * decodes to the given chunks. A tool call and a signed text are one part each,
 * however many deltas they had.
 */
import type { StreamOutline } from '../assemble.ts'
import type { FinishReason, StreamChunk, Usage } from '../chunk.ts'
import { formOfError } from '../error-finish.ts'
import { writeBlocks } from '../faithful.ts'
import type { JsonObject } from '../json.ts'
import { argumentsObject } from '../message.ts'
import { readReplayState, replayItems } from '../replay-state.ts'
import type { EncodeOptions, SseEvent } from '../wire.ts'
import { geminiErrors } from './error.ts'

export function writeGeminiResponse(
  chunks: readonly StreamChunk[],
  outline: StreamOutline,
  { model = 'runproof', responseId = 'runproof' }: EncodeOptions,
): SseEvent[] {
  const events: SseEvent[] = []
  const sendPayload = (payload: JsonObject): void => {
    events.push({ event: 'message', data: JSON.stringify(payload), id: '' })
  }
  const send = (candidate: JsonObject, fields: JsonObject = {}): void =>
    sendPayload({
      candidates: [{ ...candidate, index: 0 }],
      ...fields,
      modelVersion: model,
      responseId,
    })
  const sendPart = (part: JsonObject): void => send({ content: { role: 'model', parts: [part] } })

  const { finish, usage, blocks } = outline
  const indexes = blocks.map(({ index }) => index)
  const state = readReplayState('gemini', outline.replayState, indexes)
  const items = replayItems(state, indexes)
  const itemOf = (index: number): number => items.findIndex((item) => item.blocks?.includes(index))
  const rawOf = (index: number): JsonObject => items[itemOf(index)]?.raw ?? {}
  let sent = 0
  const sendKept = (end: number): void => {
    for (; sent < end; sent += 1) {
      const item = items[sent]
      if (item && !item.blocks) sendPart(item.raw)
    }
  }
  writeBlocks(chunks, outline, {
    start: ({ index }) => sendKept(itemOf(index)),
    delta({ index, type }, text) {
      const isWhole = type === 'tool-call' || Object.keys(rawOf(index)).length > 0
      if (!isWhole) sendPart(textPart(type, text))
    },
    end({ index, type, id, name, text }) {
      const raw = rawOf(index)
      if (type === 'tool-call') {
        sendPart({ functionCall: { id, name, args: argumentsObject(text) }, ...raw })
      } else if (Object.keys(raw).length > 0) sendPart({ ...textPart(type, text), ...raw })
    },
  })
  if (!finish) return events
  const form = finish.kind === 'error' ? formOfError(finish) : undefined
  if (form === 'cut') return events
  if (finish.kind === 'error' && form === 'object' && !usage) {
    sendPayload(geminiErrors.write({ code: 'UNKNOWN', ...finish }, undefined))
    return events
  }
  sendKept(items.length)
  send(endOf(finish), usage && { usageMetadata: writeUsage(usage) })
  return events
}

function textPart(type: string, text: string): JsonObject {
  return type === 'reasoning' ? { text, thought: true } : { text }
}

function endOf(reason: FinishReason): JsonObject {
  switch (reason.kind) {
    case 'stop':
    case 'tool-calls':
      return { finishReason: 'STOP' }
    case 'max-tokens':
      return { finishReason: 'MAX_TOKENS' }
    case 'content-filter':
      return { finishReason: reason.detail ?? 'SAFETY', finishMessage: reason.message }
    case 'error': {
      const form = formOfError(reason)
      if (form === 'empty') return { finishReason: 'STOP' }
      return {
        finishReason: reason.code,
        ...(form === 'object' && { finishMessage: reason.message }),
      }
    }
    default:
      // No word for it: whatever is written is read back as something else, and refused.
      return { finishReason: reason.kind }
  }
}

function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage
  const prompt = inputTokens + (cacheReadTokens ?? 0)
  return {
    promptTokenCount: prompt,
    // A field without a value is left out of the JSON text.
    cachedContentTokenCount: cacheReadTokens,
    candidatesTokenCount: outputTokens - (reasoningTokens ?? 0),
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: prompt + outputTokens,
  }
}
