/**
 * Replay entries: what one model call of a script does. Checks them when they
 * come from a file, where each object has exactly the keys of its kind.
 */
import { checkChunks, llmErrorCodes } from '@runproof/llm/contract'
import type { LlmErrorCode, StreamChunk } from '@runproof/llm/contract'
import { isObject } from './object.ts'

export type ReplayEntry =
  /** Streams the chunks. A list without `finish` is a stream that breaks off, which a test may want. */
  | { kind: 'chunks'; chunks: StreamChunk[] }
  /** Streams the chunks, then fails with an `LlmError`. */
  | { kind: 'throw'; chunks: StreamChunk[]; message: string; code: LlmErrorCode; status?: number }
  /**
   * Streams the chunks, by default those the log holds for the call, then
   * waits until the call is aborted. `readyFile` is written when it waits.
   */
  | { kind: 'hang'; chunks?: StreamChunk[]; readyFile?: string }

/** What is wrong with a document, and where in it: `[2].chunks[0]`. */
export type EntryIssue = { path: string; message: string }

type Json = Record<string, unknown>

/** True for a sound entry; else `report` hears each defect. */
export function isEntry(
  value: unknown,
  path: string,
  report: (issue: EntryIssue) => void,
): value is ReplayEntry {
  let sound = true
  const refuse = (at: string, message: string): void => {
    sound = false
    report({ path: path + at, message })
  }
  if (!isObject(value)) {
    refuse('', 'is not an object')
    return sound
  }
  const fields = entryFields.get(value.kind)
  if (fields === undefined) {
    refuse('.kind', `is ${JSON.stringify(value.kind)}, not "chunks", "throw" or "hang"`)
    return sound
  }
  for (const message of keyDefects(value, fields)) refuse('', message)
  for (const [key, { problem }] of Object.entries(fields)) {
    if (value[key] === undefined) continue
    for (const { at, message } of problem(value[key])) refuse(`.${key}${at}`, message)
  }
  return sound
}

/** Keys that are missing, and keys that no reader knows: a typo must not become a default. */
export function keyDefects(value: Json, fields: Record<string, { optional: boolean }>): string[] {
  const missing = Object.keys(fields).filter(
    (key) => fields[key]?.optional === false && value[key] === undefined,
  )
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key))
  return [
    ...missing.map((key) => `has no "${key}"`),
    ...unknown.map((key) => `has an unknown key "${key}"`),
  ]
}

type Defect = { at: string; message: string }
type Field = { optional: boolean; problem: (value: unknown) => Defect[] }

function field(problem: (value: unknown) => Defect[], optional = false): Field {
  return { optional, problem }
}

function when(bad: boolean, message: string): Defect[] {
  return bad ? [{ at: '', message }] : []
}

const text = (value: unknown): Defect[] => when(typeof value !== 'string', 'is not a text')

const status = (value: unknown): Defect[] => when(!Number.isInteger(value), 'is not an HTTP status')

const code = (value: unknown): Defect[] =>
  when(!isErrorCode(value), `is not one of ${llmErrorCodes.join(', ')}, HTTP_<status>`)

/** Each chunk has a chunk's shape; their order is free, since a script may break a stream on purpose. */
const stream = (value: unknown): Defect[] => {
  if (!Array.isArray(value)) return [{ at: '', message: 'is not a list of chunks' }]
  return checkChunks(value)
    .filter((issue) => issue.code === 'not-a-chunk')
    .map(({ position, message }) => ({ at: `[${position}]`, message }))
}

const entryFields = new Map<unknown, Record<string, Field>>([
  ['chunks', { kind: field(text), chunks: field(stream) }],
  [
    'throw',
    {
      kind: field(text),
      chunks: field(stream),
      message: field(text),
      code: field(code),
      status: field(status, true),
    },
  ],
  ['hang', { kind: field(text), chunks: field(stream, true), readyFile: field(text, true) }],
])

function isErrorCode(value: unknown): value is LlmErrorCode {
  if (typeof value !== 'string') return false
  return llmErrorCodes.some((known) => known === value) || /^HTTP_\d{3}$/.test(value)
}
