/**
 * Anthropic Messages, writing: the events of a response that decodes to the
 * given chunks. Items of a replay state come at their place among the blocks.
 */
import type { StreamOutline } from '../assemble.ts'
import type { FinishReason, StreamChunk, Usage } from '../chunk.ts'
import { formOfError } from '../error-finish.ts'
import { writeBlocks } from '../faithful.ts'
import { objectsOf, textOf, without, type JsonObject } from '../json.ts'
import { readReplayState, replayItems } from '../replay-state.ts'
import type { EncodeOptions, SseEvent } from '../wire.ts'
import { anthropicErrors } from './error.ts'

export function writeAnthropicMessage(
  chunks: readonly StreamChunk[],
  outline: StreamOutline,
  { model = 'runproof', responseId = 'msg_runproof' }: EncodeOptions,
): SseEvent[] {
  const events: SseEvent[] = []
  const send = (type: string, fields: JsonObject): void => {
    events.push({ event: type, data: JSON.stringify({ type, ...fields }), id: '' })
  }
  const { finish, usage, blocks } = outline
  const indexes = blocks.map(({ index }) => index)
  const state = readReplayState('anthropic', outline.replayState, indexes)
  const items = replayItems(state, indexes)
  const itemOf = (index: number): number => items.findIndex((item) => item.blocks?.includes(index))
  const counts = usage && writeUsage(usage)

  send('message_start', {
    message: {
      id: responseId,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(counts && { usage: { ...counts, output_tokens: 0 } }),
    },
  })
  let sent = 0
  /** Kept items before `end` that are still to come. */
  const sendKept = (end: number): void => {
    for (; sent < end; sent += 1) {
      const item = items[sent]
      if (!item || item.blocks) continue
      send('content_block_start', { index: sent, content_block: item.raw })
      send('content_block_stop', { index: sent })
    }
  }
  writeBlocks(chunks, outline, {
    start(block) {
      const index = itemOf(block.index)
      const raw = without(items[index]?.raw ?? {}, 'citations', 'signature')
      sendKept(index)
      send('content_block_start', { index, content_block: { ...raw, ...emptyBlock(block) } })
    },
    delta({ index, type }, text) {
      if (text !== '')
        send('content_block_delta', { index: itemOf(index), delta: delta(type, text) })
    },
    end(block) {
      const index = itemOf(block.index)
      for (const last of closingDeltas(items[index]?.raw ?? {})) {
        send('content_block_delta', { index, delta: last })
      }
      send('content_block_stop', { index })
    },
  })
  if (!finish) return events
  if (finish.kind === 'error') {
    const form = formOfError(finish)
    if (form === 'cut') return events
    if (form === 'object') {
      send('error', anthropicErrors.write({ code: 'UNKNOWN', ...finish }, undefined))
      return events
    }
  }
  sendKept(items.length)
  send('message_delta', {
    delta: {
      stop_sequence: null,
      ...stopOf(finish),
      ...(state?.container && { container: { id: state.container } }),
    },
    ...(counts && { usage: counts }),
  })
  send('message_stop', {})
  return events
}

function emptyBlock({ type, id, name }: { type: string; id: string; name: string }): JsonObject {
  if (type === 'text') return { type, text: '' }
  if (type === 'reasoning') return { type: 'thinking', thinking: '', signature: '' }
  return { type: 'tool_use', id, name, input: {} }
}

function delta(type: string, text: string): JsonObject {
  if (type === 'text') return { type: 'text_delta', text }
  if (type === 'reasoning') return { type: 'thinking_delta', thinking: text }
  return { type: 'input_json_delta', partial_json: text }
}

/** What comes after a block's own text: its citations and its signature. */
function closingDeltas(raw: JsonObject): JsonObject[] {
  const signature = textOf(raw.signature)
  return [
    ...objectsOf(raw.citations).map((citation) => ({ type: 'citations_delta', citation })),
    ...(signature === '' ? [] : [{ type: 'signature_delta', signature }]),
  ]
}

function stopOf(reason: FinishReason): JsonObject {
  switch (reason.kind) {
    case 'stop':
      return { stop_reason: 'end_turn' }
    case 'tool-calls':
      return { stop_reason: 'tool_use' }
    case 'max-tokens':
      return { stop_reason: reason.detail ?? 'max_tokens' }
    case 'pause':
      return { stop_reason: reason.detail ?? 'pause_turn' }
    case 'refusal': {
      const { message = null, detail = null } = reason
      return {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: detail, explanation: message },
      }
    }
    case 'error':
      return {
        stop_reason:
          formOfError(reason) === 'word' ? (reason.code ?? '').toLowerCase() : 'end_turn',
      }
    default:
      // No word for it: whatever is written is read back as something else, and refused.
      return { stop_reason: reason.kind }
  }
}

function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  return {
    input_tokens: inputTokens,
    // A field without a value is left out of the JSON text.
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
    ...(reasoningTokens !== undefined && {
      output_tokens_details: { thinking_tokens: reasoningTokens },
    }),
  }
}
