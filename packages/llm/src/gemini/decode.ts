/**
 * Gemini `streamGenerateContent`, reading: payloads `GenerateContentResponse`,
 * ended by a `finishReason` and then the end of the body.
 *
 * Follows https://ai.google.dev/api/generate-content.
 *
 * - Neighbouring text parts of one kind (answer or thought) are one block. A
 *   part with a thought signature is a block of its own, so that it can go
 *   back as it came; a signature on no text is kept in the replay state.
 * - A function call is one block, its arguments the compact JSON of `args`,
 *   whether they came whole or in pieces. A call without an id gets one made of
 *   the response's id and its number.
 * - Pictures, code execution, server tools and unknown parts are kept in the
 *   replay state and give no chunk. Only candidate 0 is read.
 * - A prompt that was blocked (`promptFeedback.blockReason`) is an end too.
 * - A stop while a function call still waits for pieces is MALFORMED_RESPONSE.
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
  textOf,
  without,
  type JsonObject,
} from '../json.ts'
import { readStreamError } from '../provider-error.ts'
import type { ReplayItem, ReplayState } from '../replay-state.ts'
import type { Response, ResponseBlock } from '../response.ts'
import { usageOf } from '../usage.ts'
import { geminiErrors } from './error.ts'
import {
  applyPartialArguments,
  createPartialArguments,
  type PartialArguments,
} from './partial-args.ts'

type Candidate = {
  response: Response
  items: ReplayItem[]
  /** The text or reasoning block that the next part may continue. */
  text: ResponseBlock | undefined
  call: { block: ResponseBlock; partial: PartialArguments } | undefined
  responseId: string
  usage: JsonObject
  finishWord: string
  finishMessage: string
  blocked: JsonObject | undefined
}

export function readGeminiResponse(response: Response): WireReader {
  const candidate: Candidate = {
    response,
    items: [],
    text: undefined,
    call: undefined,
    responseId: '',
    usage: {},
    finishWord: '',
    finishMessage: '',
    blocked: undefined,
  }
  return {
    read(payload) {
      if (isObject(payload.error)) {
        response.fail(readStreamError(geminiErrors, payload))
        return
      }
      candidate.responseId ||= textOf(payload.responseId)
      candidate.usage = { ...candidate.usage, ...objectOf(payload.usageMetadata) }
      const feedback = objectOf(payload.promptFeedback)
      if (textOf(feedback.blockReason) !== '') candidate.blocked = feedback
      const first = objectsOf(payload.candidates).find(({ index }) => (index ?? 0) === 0)
      if (!first) return
      for (const part of objectsOf(objectOf(first.content).parts)) readPart(part, candidate)
      candidate.finishWord = textOf(first.finishReason) || candidate.finishWord
      candidate.finishMessage = textOf(first.finishMessage) || candidate.finishMessage
    },
    end: () => endCandidate(candidate),
  }
}

function readPart(part: JsonObject, candidate: Candidate): void {
  if (isObject(part.functionCall)) readCall(part, part.functionCall, candidate)
  else if (typeof part.text === 'string') readText(part, part.text, candidate)
  else keep(part, candidate)
}

function keep(part: JsonObject, candidate: Candidate): void {
  endText(candidate)
  candidate.items.push({ raw: part })
}

function endText(candidate: Candidate): void {
  if (candidate.text) candidate.response.end(candidate.text)
  candidate.text = undefined
}

function readText(part: JsonObject, text: string, candidate: Candidate): void {
  const raw = without(part, 'text', 'thought')
  const isSigned = Object.keys(raw).length > 0
  if (text === '') {
    if (isSigned) keep(part, candidate)
    return
  }
  const { response, items } = candidate
  const type = part.thought === true ? 'reasoning' : 'text'
  if (isSigned || candidate.text?.type !== type) {
    endText(candidate)
    candidate.text = response.start(type)
    items.push({ raw, blocks: [candidate.text.index] })
  }
  response.append(candidate.text, text)
  if (isSigned) endText(candidate)
}

function readCall(part: JsonObject, call: JsonObject, candidate: Candidate): void {
  const { response, items, responseId } = candidate
  const name = textOf(call.name)
  if (name === '' ? !candidate.call : candidate.call) {
    response.fail(malformed('a function call that does not follow the one before'))
    return
  }
  if (!candidate.call) {
    endText(candidate)
    const id = textOf(call.id) || `call_${responseId}_${response.blocks.length}`
    const block = response.startCall(id, name)
    // Names the call as soon as it is known.
    response.append(block, '')
    items.push({ raw: without(part, 'functionCall'), blocks: [block.index] })
    candidate.call = { block, partial: createPartialArguments() }
  }
  const { block, partial } = candidate.call
  partial.args = { ...partial.args, ...objectOf(call.args) }
  if (!applyPartialArguments(partial, call.partialArgs)) {
    response.fail(malformed('a piece of function call arguments that fits nowhere'))
    return
  }
  if (call.willContinue !== true) endCall(block, partial, candidate)
}

function endCall(block: ResponseBlock, { args }: PartialArguments, candidate: Candidate): void {
  candidate.response.append(block, JSON.stringify(args))
  candidate.response.end(block)
  candidate.call = undefined
}

function endCandidate(candidate: Candidate): void {
  const { response, items, usage, call } = candidate
  const reason = finishReason(candidate)
  if (!reason) return
  if (call) {
    if (reason.kind === 'stop') {
      response.fail(malformed('the response ended within a function call'))
      return
    }
    endCall(call.block, call.partial, candidate)
  }
  endText(candidate)
  response.finish(reason, { usage: readUsage(usage), replayState: replayState(items) })
}

const filters: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
  'MODEL_ARMOR',
])

function finishReason(candidate: Candidate): FinishReason | undefined {
  const { blocked, finishWord: word, finishMessage: message } = candidate
  if (blocked) return filtered(textOf(blocked.blockReason), textOf(blocked.blockReasonMessage))
  if (word === '') return undefined
  if (word === 'STOP') return { kind: 'stop' }
  if (word === 'MAX_TOKENS') return { kind: 'max-tokens' }
  if (filters.has(word)) return filtered(word, message)
  return { ...unknownFinish(word), ...(message && { message }) }
}

function filtered(detail: string, message: string): FinishReason {
  return { kind: 'content-filter', detail, ...(message && { message }) }
}

function readUsage(usage: JsonObject): Usage | undefined {
  const prompt = countOf(usage.promptTokenCount)
  const answer = countOf(usage.candidatesTokenCount)
  if (prompt === undefined && answer === undefined) return undefined
  const cacheRead = countOf(usage.cachedContentTokenCount)
  const reasoning = countOf(usage.thoughtsTokenCount)
  const toolUse = countOf(usage.toolUsePromptTokenCount) ?? 0
  return usageOf({
    input: (prompt ?? 0) + toolUse - (cacheRead ?? 0),
    output: (answer ?? 0) + (reasoning ?? 0),
    cacheRead,
    reasoning,
  })
}

function replayState(items: ReplayItem[]): ReplayState | undefined {
  const isPlain = items.every(({ raw, blocks }) => blocks && Object.keys(raw).length === 0)
  return isPlain ? undefined : { wire: 'gemini', items }
}
