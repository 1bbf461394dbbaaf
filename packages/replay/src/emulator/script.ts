/**
 * A session log as a provider: its model calls, encoded for a wire, for an
 * agent that the log may never have seen. Which request gets which call is
 * said in `script-matcher.ts`.
 */
import { LlmError, wires } from '@runproof/llm'
import type { EncodeOptions, LlmFailure, SseEvent, StreamChunk, WireName } from '@runproof/llm'
import { deriveView } from '@runproof/session-log'
import { isObject } from '../object.ts'
import type { ReplayEntry } from '../entry.ts'
import { ReplayError } from '../error.ts'
import type { ReplayScript } from '../load.ts'
import { familyOf } from '../match/endpoint.ts'
import { createFolderMask } from '../match/folder.ts'
import type { FolderMask } from '../match/folder.ts'
import { answerBody, answerEvents, silentAnswer } from './answer.ts'
import { answerFailure } from './error-answer.ts'
import type { Answer } from './answer.ts'
import { wholeBody } from './whole.ts'

/** Where in the conversation a call stands. */
type Place = {
  /** What the user typed at the beginning of the turn. */
  prompt: string
  /** How often the model has answered since. */
  answerCount: number
}

export type ScriptedCall = {
  script: ReplayScript
  wire: WireName
  /** Number in the script, from 1. */
  n: number
  /** null: in a script that an override replaced as a whole. */
  place: Place | null
  /** `isStream`: the request asks for events. */
  answer(isStream: boolean): Answer
}

/** @throws ReplayError `bad-log` for a call that the wire cannot express. */
export function scriptCalls(script: ReplayScript, wire: WireName): ScriptedCall[] {
  const folders = createFolderMask({ cwd: script.header.cwd })
  return script.entries.map((entry, at) => {
    const n = at + 1
    const make = (isStream: boolean): Answer => {
      try {
        return answerEntry(entry, script.recorded[at]?.chunks ?? [], { wire, n, isStream })
      } catch (error) {
        if (!LlmError.is(error)) throw error
        const message = `${script.file}: call ${n} cannot be served as ${wire}: ${error.message}`
        throw new ReplayError('bad-log', message, { file: script.file, call: at, cause: error })
      }
    }
    // Made now, so that what cannot be said is known before the first request.
    const streamed = make(true)
    return {
      script,
      wire,
      n,
      place: script.isAligned ? placeOf(script, at, folders) : null,
      answer: (isStream) => (isStream ? streamed : make(false)),
    }
  })
}

function placeOf(script: ReplayScript, at: number, folders: FolderMask | null): Place | null {
  const call = script.recorded[at]
  if (call === undefined) return null
  const prompts = deriveView(script.events.slice(0, call.eventCount)).flatMap((event) =>
    event.type === 'user/message' && event.data.source.kind === 'user' ? [event.data.content] : [],
  )
  const texts = prompts.at(-1)?.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const prompt = texts?.join('\n').trim() ?? ''
  return { prompt: folders === null ? prompt : folders(prompt), answerCount: call.step - 1 }
}

/** Failures of the connection, which no provider words. */
const brokenCodes = new Set(['TRANSPORT', 'STREAM_CLOSED', 'TIMEOUT'])

/** How ids of responses begin: some agents tell messages apart by them. */
const idPrefixes = { chat: 'chatcmpl-', responses: 'resp_', anthropic: 'msg_', gemini: '' } as const

function answerEntry(
  entry: ReplayEntry,
  recorded: readonly StreamChunk[],
  { wire, n, isStream }: { wire: WireName; n: number; isStream: boolean },
): Answer {
  const isHang = entry.kind === 'hang'
  const chunks = isHang ? (entry.chunks ?? openPart(recorded)) : entry.chunks
  const failure = failureOf(entry)
  const said = chunks.filter(({ type }) => type !== 'finish')
  const end = isHang ? 'hang' : brokenCodes.has(failure?.code ?? '') ? 'cut' : 'whole'
  if (said.length === 0 && end !== 'whole') return silentAnswer(end)
  if (failure !== null && end === 'whole' && (said.length === 0 || !isStream)) {
    return answerFailure(wire, failure)
  }
  const finish: StreamChunk[] =
    failure === null || end !== 'whole'
      ? chunks.filter(({ type }) => type === 'finish')
      : [{ type: 'finish', reason: { kind: 'error', ...failure } }]
  const options = { responseId: `${idPrefixes[familyOf(wire)]}runproof${n}` }
  const events =
    finish.length === 0
      ? encodeOpen(wire, chunksFor(wire, said), options)
      : wires[wire].encode(chunksFor(wire, [...said, ...finish]), options)
  if (isStream) return answerEvents(events, end)
  const whole = answerBody(200, {}, JSON.stringify(wholeBody(familyOf(wire), events)))
  return { ...whole, end }
}

/**
 * The events of a stream that goes no further than its chunks: no wire writes
 * one, so it is written with an end, and cut where all has been said.
 */
function encodeOpen(
  wire: WireName,
  chunks: readonly StreamChunk[],
  options: EncodeOptions,
): SseEvent[] {
  const kind = chunks.some(({ type }) => type === 'tool-call-delta') ? 'tool-calls' : 'stop'
  const events = wires[wire].encode([...chunks, { type: 'finish', reason: { kind } }], options)
  const decoder = wires[wire].createDecoder()
  let leftUnits = unitsOf(chunks)
  const count = events.findIndex((event) => (leftUnits -= unitsOf(decoder.push(event))) <= 0) + 1
  return events.slice(0, count)
}

/** How much was said. */
function unitsOf(chunks: readonly StreamChunk[]): number {
  return chunks.reduce((sum, chunk) => {
    if (chunk.type === 'tool-call-delta') return sum + chunk.argumentsDelta.length
    return 'text' in chunk ? sum + chunk.text.length : sum
  }, 0)
}

/** What a log holds of a call that never ended. */
function openPart(chunks: readonly StreamChunk[]): StreamChunk[] {
  return chunks.filter(({ type }) => type !== 'usage' && type !== 'finish')
}

/** What a call failed with: thrown by the script, or told by the stream itself. */
function failureOf(entry: ReplayEntry): LlmFailure | null {
  if (entry.kind === 'throw') {
    const { message, code, status } = entry
    return { message, code, ...(status === undefined ? {} : { status }) }
  }
  const last = entry.chunks?.at(-1)
  if (last?.type !== 'finish' || last.reason.kind !== 'error') return null
  const { kind: _kind, code = 'UNKNOWN', ...failure } = last.reason
  return { ...failure, code }
}

/** The chunks without what only the wire they came from could say. */
function chunksFor(wire: WireName, chunks: readonly StreamChunk[]): StreamChunk[] {
  const own = chunks.map((chunk): StreamChunk => {
    if (chunk.type !== 'finish' || !isObject(chunk.replayState)) return chunk
    return chunk.replayState.wire === wire ? chunk : { type: 'finish', reason: chunk.reason }
  })
  if (wire === 'anthropic' || wire === 'openai-responses') return own
  const spoken = withoutSilentBlocks(own)
  return wire === 'gemini' ? withCompactArguments(spoken) : spoken
}

/** Wires without events for blocks cannot say that there was one of which nothing was said. */
function withoutSilentBlocks(chunks: readonly StreamChunk[]): StreamChunk[] {
  const spoken = new Set(
    chunks.flatMap((chunk) =>
      chunk.type.endsWith('-delta') && 'index' in chunk ? [chunk.index] : [],
    ),
  )
  return chunks.filter((chunk) => !('index' in chunk) || spoken.has(chunk.index))
}

/** Gemini's arguments are a JSON object, not a text: their spelling cannot be kept. */
function withCompactArguments(chunks: readonly StreamChunk[]): StreamChunk[] {
  const texts = new Map<number, string>()
  for (const chunk of chunks) {
    if (chunk.type !== 'tool-call-delta') continue
    texts.set(chunk.index, (texts.get(chunk.index) ?? '') + chunk.argumentsDelta)
  }
  const sent = new Set<number>()
  return chunks.map((chunk) => {
    if (chunk.type === 'block-end' && chunk.block.type === 'tool-call') {
      return { ...chunk, block: { ...chunk.block, arguments: compact(chunk.block.arguments) } }
    }
    if (chunk.type !== 'tool-call-delta') return chunk
    const isFirst = !sent.has(chunk.index)
    sent.add(chunk.index)
    return { ...chunk, argumentsDelta: isFirst ? compact(texts.get(chunk.index) ?? '') : '' }
  })
}

function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return json
  }
}
