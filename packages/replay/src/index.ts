export type { ReplayEntry } from './entry.ts'
export { ReplayError } from './error.ts'
export type { ReplayErrorCode } from './error.ts'
export { loadReplayScript } from './load.ts'
export type { ReplayScript, TextFile } from './load.ts'
export { createKeyer, requestKey } from './match/key.ts'
export type { CanonicalRequest, KeyedRequest, Keyer, RequestKey } from './match/key.ts'
export { describeDemand } from './match/demand.ts'
export type { Demand } from './match/demand.ts'
export { asksModel } from './match/endpoint.ts'
export { contextOf } from './match/context.ts'
export type { ContextMask, RunContext } from './match/context.ts'
export { parseOverride } from './override.ts'
export type { Override, Patch } from './override.ts'
export { cutEvents, encodeFrame } from './recording/frame.ts'
export type { Chunk } from './recording/frame.ts'
export { createRecordingReader, parseRecording } from './recording/parse.ts'
export type { RecordingIssue, RecordingIssueCode } from './recording/gather.ts'
export type { ParsedRecording, ReadLine, RecordingReader } from './recording/parse.ts'
export type {
  Exchange,
  ExchangeEnd,
  RecordedEvent,
  RecordedRequest,
  RecordedResponse,
  Recording,
  RecordingSource,
} from './recording/recording.ts'
export { serializeRecording } from './recording/serialize.ts'
export { learnOptional, updateRecording } from './recording/update.ts'
export { createReplay } from './replay.ts'
export type {
  Miss,
  Replay,
  ReplayOptions,
  ReplayReport,
  ReplayRequest,
  SessionReport,
} from './replay.ts'
export type { CompareLevel } from './request.ts'
export { deriveReplayScript } from './script.ts'
export type {
  DeriveOptions,
  DerivedScript,
  PartialCall,
  RecordedCall,
  ScriptIssue,
} from './script.ts'
