/** What a guard finds: one sentence about one place, with what to do. */
import { relative, join } from 'node:path'
import { visible } from '../visible.ts'

type FindingCode =
  /** `input.json` says nothing usable. */
  | 'bad-input'
  /** A folder with scenario files and no `input.json`. */
  | 'orphan-folder'
  | 'missing-file'
  | 'leftover-file'
  /** `replay.override.json` is there and not declared, or the other way round, or says nothing usable. */
  | 'override'
  /** Child logs that are not `session.1.jsonl`, `session.2.jsonl` … of this session. */
  | 'child-log'
  /** A session log that cannot be read, or that does not fit the script. */
  | 'session-log'
  /** A recording that cannot be read. */
  | 'recording'
  /** A golden that is empty, not JSON, or does not fit the script. */
  | 'golden'
  /** A golden that normalising would change: edited by hand, or older than a rule. */
  | 'normal-form'
  /** CRLF, or a last line without its end. */
  | 'line-ends'
  /** Not exactly one pin of a header class, or a pin that is not as written. */
  | 'pin'
  /** Two names that some file system takes for one. */
  | 'duplicate-name'
  /** A prompt or a tool list where a token belongs. */
  | 'prompt'
  | 'secret'
  /** A path that exists on one machine only. */
  | 'machine-path'

export type Finding = {
  code: FindingCode
  scenario: string
  /** Absolute path of the file or folder. */
  path: string
  /** 1-based; null when it is about the whole. */
  line: number | null
  /** One sentence, safe to print: what is expected, what to do. */
  message: string
}

/** `scenarios/demo/one/session.jsonl:3: …`, relative to `base`. */
export function findingText({ path, line, message }: Finding, base: string): string {
  const shown = relative(base, path)
  const place = shown.startsWith('..') ? path : shown === '' ? '.' : shown
  return `${visible(place)}${line === null ? '' : `:${line}`}: ${message}`
}

/** Makes the findings of one scenario. */
export type Report = (
  code: FindingCode,
  file: string,
  line: number | null,
  message: string,
) => Finding

export const reportFor =
  ({ name, folder }: { name: string; folder: string }): Report =>
  (code, file, line, message) => ({
    code,
    scenario: name,
    path: file === '' ? folder : join(folder, file),
    line,
    message: visible(message),
  })
