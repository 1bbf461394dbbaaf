/**
 * The lines of a session log: one header, then events.
 *
 * Follows the session JSONL of the DeepSeek Harness, format version 0, in the
 * generation that keeps `seq` and `time` on every line. Header fields of the
 * next generation are read and kept.
 *
 * Invariants of a log: line 1 is the header; event i carries `seq` i; `time`
 * is milliseconds since 1970 and may repeat or go back; an event of a type
 * this package does not know is kept as it is.
 */
import type { Block, ImageBlock, StreamChunk, TextBlock, Usage } from '@runproof/llm'

/** The one format version this package reads and writes. */
export const formatVersion = 0

/** Line 1. Fields beyond these are kept. */
export type SessionHeader = {
  type: 'session'
  version: 0
  id: string
  /** Milliseconds since 1970. */
  createdAt: number
  cwd?: string
  /** Id of the session that spawned or was forked into this one. */
  parentSession?: string
  /** Number of leading events copied from the parent. */
  seedLength?: number
  origin?: string
  /** 0 for a session a user opened. */
  delegationDepth?: number
  agentPreset?: string
}

/** Who speaks: `user`, or `plugin` with its name; other kinds are kept. */
export type MessageSource = { kind: string; plugin?: string }

/** What a user, or a plugin in the user's role, shows the model. */
export type UserContent = (TextBlock | ImageBlock)[]

/** Content of any message. */
export type Content = readonly (Block | ImageBlock)[]

export type TurnEndReason =
  | { kind: 'completed' }
  | { kind: 'aborted'; reason?: unknown }
  | { kind: 'error'; step?: number; message?: string; code?: string }
  | { kind: 'max-tokens' }
  | { kind: 'rejected'; reason?: string }
  | { kind: 'interrupted' }
  | { kind: 'disposed' }

export type Todo = { content: string; status: string }

/** `data` of each event type this package understands. */
export type CoreData = {
  'turn/start': { turn: number; trigger?: { kind: string; source?: MessageSource } }
  'turn/end': { turn: number; reason: TurnEndReason }
  'step/start': { turn: number; step: number }
  'step/end': { turn: number; step: number }
  'user/message': { content: UserContent; source: MessageSource }
  /** Model-visible text that a plugin put into the conversation, in the user's role. */
  'context/message': { content: UserContent; source: MessageSource }
  'assistant/chunk': { turn: number; step: number; chunk: StreamChunk }
  'assistant/message': {
    turn: number
    step: number
    content: Block[]
    usage?: Usage
    interrupted?: boolean
  }
  'tool/call': { turn: number; step: number; callId: string; name: string; arguments: string }
  'tool/result': {
    turn: number
    step: number
    callId: string
    content: TextBlock[]
    isError: boolean
    error?: { name: string; code: string }
    meta?: Record<string, unknown>
  }
  'todo/write': { todos: Todo[] }
  /** `config`, `system` and `tools` of the requests from here on, as sent or as placeholders. */
  'request/header': { header: Record<string, unknown>; reason: string }
  'prompt/blocked': { content: UserContent; source: MessageSource; reason: string }
  'approval/asked': { id: string; toolName: string; callId?: string; reason?: string }
  'approval/decided': { id: string; outcome: string }
}

export type CoreType = keyof CoreData

/** How a message enters the model's view: at its end, or in place of the messages from `start` to `end` (seqs, inclusive). */
export type SurfaceOp = 'append' | { op: 'replace'; start: number; end: number }

/** What an event carries beside `type`, `data`, `seq` and `time`. */
export type EventMarks = {
  /** A reader that does not know the type may skip the event. */
  ignorable?: true
  /** Earlier events this one was made from. */
  sourceEventSeqs?: number[]
  surfaceOp?: SurfaceOp
}

export type CoreEvent<T extends CoreType = CoreType> = {
  [K in T]: { type: K; seq: number; time: number; data: CoreData[K] } & EventMarks
}[T]

/** An event of a type outside `CoreData`, kept as it is. */
export type OtherEvent = {
  type: string
  seq: number
  time: number
  data: Record<string, unknown>
} & EventMarks

export type SessionEvent = CoreEvent | OtherEvent

/** A core event before the log gives it `seq` and `time`. */
export type CoreDraft<T extends CoreType = CoreType> = {
  [K in T]: { type: K; data: CoreData[K] } & EventMarks
}[T]

export type EventDraft =
  | CoreDraft
  | ({ type: `${string}/${string}`; data: Record<string, unknown> } & EventMarks)

export type FieldKind =
  | 'integer'
  | 'string'
  | 'boolean'
  | 'object'
  | 'array'
  /** An object with a string `kind` or `type`. */
  | 'tagged'
  /** A list of text blocks; of text and image blocks; of what a model writes. */
  | 'texts'
  | 'user-blocks'
  | 'model-blocks'
export type Field = { kind: FieldKind; optional: boolean }
type Fields<T> = { [K in keyof T]-?: Field }

function need(kind: FieldKind): Field {
  return { kind, optional: false }
}

function may(kind: FieldKind): Field {
  return { kind, optional: true }
}

/**
 * Fields of each core event, in the order they are written: what the reader
 * checks and how the serialiser orders.
 */
const coreFields: { [K in CoreType]: Fields<CoreData[K]> } = {
  'turn/start': { turn: need('integer'), trigger: may('tagged') },
  'turn/end': { turn: need('integer'), reason: need('tagged') },
  'step/start': { turn: need('integer'), step: need('integer') },
  'step/end': { turn: need('integer'), step: need('integer') },
  'user/message': { content: need('user-blocks'), source: need('tagged') },
  'context/message': { content: need('user-blocks'), source: need('tagged') },
  'assistant/chunk': { turn: need('integer'), step: need('integer'), chunk: need('tagged') },
  'assistant/message': {
    turn: need('integer'),
    step: need('integer'),
    content: need('model-blocks'),
    usage: may('object'),
    interrupted: may('boolean'),
  },
  'tool/call': {
    turn: need('integer'),
    step: need('integer'),
    callId: need('string'),
    name: need('string'),
    arguments: need('string'),
  },
  'tool/result': {
    turn: need('integer'),
    step: need('integer'),
    callId: need('string'),
    content: need('texts'),
    isError: need('boolean'),
    error: may('object'),
    meta: may('object'),
  },
  'todo/write': { todos: need('array') },
  'request/header': { header: need('object'), reason: need('string') },
  'prompt/blocked': {
    content: need('user-blocks'),
    source: need('tagged'),
    reason: need('string'),
  },
  'approval/asked': {
    id: need('string'),
    toolName: need('string'),
    callId: may('string'),
    reason: may('string'),
  },
  'approval/decided': { id: need('string'), outcome: need('string') },
}

function isCoreType(type: string): type is CoreType {
  return Object.hasOwn(coreFields, type)
}

/** The fields of a core type in writing order; none for another type. */
export function fieldsOf(type: string): Record<string, Field> {
  return isCoreType(type) ? coreFields[type] : {}
}

function isCoreEvent(event: SessionEvent): event is CoreEvent {
  return isCoreType(event.type)
}

/** The event as a core one, for a `switch` over its type; undefined for another type. */
export function asCoreEvent(event: SessionEvent): CoreEvent | undefined {
  return isCoreEvent(event) ? event : undefined
}
