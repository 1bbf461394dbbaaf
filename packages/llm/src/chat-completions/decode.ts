/**
 * Chat completions, reading: `data:` payloads `chat.completion.chunk`, ended by
 * `[DONE]` after a `finish_reason`.
 *
 * Follows the OpenAI chat completions streaming reference and DeepSeek's
 * additions (`reasoning_content`).
 *
 * - One reasoning block, one text block, one block a tool call, in the order of
 *   their first words. They all end at `[DONE]`, as in DeepSeek Harness logs.
 * - Only choice 0 is read. Fields and chunks without meaning here are ignored.
 * - A tool call is told apart by its `index`; another id at the same index is
 *   another call (servers that leave the index out). A call without an id gets
 *   one made of the response's id and its number.
 * - An `error` object in a payload ends the stream.
 */
import type { FinishReason } from '../chunk.ts'
import type { WireReader } from '../decoder.ts'
import { unknownFinish } from '../error-finish.ts'
import { countOf, isObject, objectOf, objectsOf, textOf, type JsonObject } from '../json.ts'
import { readStreamError, type ErrorFormat } from '../provider-error.ts'
import type { Response, ResponseBlock } from '../response.ts'
import { readUsage } from './usage.ts'

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: { kind: 'stop' },
  tool_calls: { kind: 'tool-calls' },
  length: { kind: 'max-tokens' },
  content_filter: { kind: 'content-filter' },
}

export function readChatCompletion(response: Response, errors: ErrorFormat): WireReader {
  let reasoning: ResponseBlock | undefined
  let text: ResponseBlock | undefined
  const calls = new Map<number, ResponseBlock>()
  let responseId = ''
  let finishWord = ''
  let refusal = ''
  let usage: JsonObject | undefined
  /** A `[DONE]` without a finish reason: the end of the body, but not of an answer. */
  let isDone = false

  const readCall = (delta: JsonObject, position: number): void => {
    const { name, arguments: words } = objectOf(delta.function)
    const index = countOf(delta.index) ?? position
    const id = textOf(delta.id)
    let call = calls.get(index)
    const isNew = !call || (id !== '' && call.id !== id)
    if (!call || isNew) {
      const number = response.blocks.length
      call = response.startCall(id || `call_${responseId}_${number}`, textOf(name))
      calls.set(index, call)
    }
    call.name ||= textOf(name)
    if (isNew || textOf(words) !== '') response.append(call, textOf(words))
  }

  const readDelta = (delta: JsonObject): void => {
    const thought = textOf(delta.reasoning_content) || textOf(delta.reasoning)
    if (thought !== '') response.append((reasoning ??= response.start('reasoning')), thought)
    const content = textOf(delta.content)
    if (content !== '') response.append((text ??= response.start('text')), content)
    for (const [position, call] of objectsOf(delta.tool_calls).entries()) readCall(call, position)
    refusal += textOf(delta.refusal)
  }

  return {
    read(payload) {
      if (isDone) return
      if (isObject(payload.error)) {
        response.fail(readStreamError(errors, payload))
        return
      }
      responseId ||= textOf(payload.id)
      if (isObject(payload.usage)) usage = payload.usage
      const choice = objectsOf(payload.choices).find(({ index }) => (index ?? 0) === 0)
      if (!choice) return
      readDelta(objectOf(choice.delta))
      finishWord = textOf(choice.finish_reason) || finishWord
    },
    done() {
      isDone = true
      if (finishWord === '') return
      response.endAll()
      response.finish(finishReason(finishWord, refusal), { usage: usage && readUsage(usage) })
    },
  }
}

function finishReason(word: string, refusal: string): FinishReason {
  if (refusal !== '') return { kind: 'refusal', message: refusal }
  return Object.hasOwn(finishReasons, word) && finishReasons[word]
    ? finishReasons[word]
    : unknownFinish(word)
}
