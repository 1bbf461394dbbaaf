export { SessionLogError } from './error.ts'
export type { SessionIssue, SessionLogErrorCode } from './error.ts'
export { asCoreEvent, formatVersion } from './event.ts'
export type {
  Content,
  CoreData,
  CoreDraft,
  CoreEvent,
  CoreType,
  EventDraft,
  EventMarks,
  MessageSource,
  OtherEvent,
  SessionEvent,
  SessionHeader,
  SurfaceOp,
  Todo,
  TurnEndReason,
  UserContent,
} from './event.ts'
export { compareHistory, deriveHistory, deriveView, eventsBefore } from './history.ts'
export type { HistoryIssue, MessageEvent, SentRequest } from './history.ts'
export { createSessionReader, parseSessionLog } from './reader.ts'
export type { ReaderOptions, SessionLog, SessionLogEnd, SessionReader } from './reader.ts'
export { deriveClosers, toolNotStarted, toolOutcomeUnknown } from './recovery.ts'
export { serializeEvent, serializeHeader, serializeSessionLog } from './serialize.ts'
