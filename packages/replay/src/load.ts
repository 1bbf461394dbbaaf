/**
 * Session log and override → a script that may be served: everything that can
 * be known to be wrong before the first request is refused here.
 */
import { parseSessionLog } from '@runproof/session-log'
import type { SessionEvent, SessionHeader } from '@runproof/session-log'
import type { ReplayEntry } from './entry.ts'
import { ReplayError, overrideBeside, recordCommand } from './error.ts'
import { parseOverride } from './override.ts'
import type { Override } from './override.ts'
import { deriveCalls, scriptOf } from './script.ts'
import type { RecordedCall, ScriptIssue } from './script.ts'

export type TextFile = { file: string; text: string }

/** What one session will be served. */
export type ReplayScript = {
  /** Path of the session log: the script's name in messages. */
  file: string
  header: SessionHeader
  events: readonly SessionEvent[]
  /** What each call does, in order. */
  entries: readonly ReplayEntry[]
  /** The calls the log holds, in order; what requests are compared with. */
  recorded: readonly RecordedCall[]
  /** Entry i answers recorded call i; false for a script that an override replaced as a whole. */
  isAligned: boolean
}

/**
 * Reads a session log and its override. Throws a `ReplayError`: `bad-log`
 * (refused by the reader, torn, or with chunks of no known shape),
 * `bad-override`, `unfinished-call`.
 */
export function loadReplayScript(log: TextFile, override?: TextFile): ReplayScript {
  const { file } = log
  const { header, events, issue, torn } = parseSessionLog(log.text)
  const defect = issue?.message ?? (torn === null ? null : `line ${torn.line}: the log breaks off`)
  if (header === null || defect !== null) {
    throw new ReplayError(
      'bad-log',
      `${file}: ${defect ?? 'no header'}. Record the scenario again: ${recordCommand(file)}`,
      {
        file,
      },
    )
  }
  const recorded = deriveCalls(events, { from: header.seedLength ?? 0 })
  const { entries, issues } = scriptOf(recorded)
  const parsed = override && parseOverride(override.text, override.file)
  refuseIssues(
    issues.filter(({ at }) => !covers(parsed, at)),
    file,
  )
  return {
    file,
    header,
    events,
    entries: override && parsed ? applyOverride(entries, parsed, override.file) : entries,
    recorded,
    isAligned: parsed?.kind !== 'replace',
  }
}

function covers(override: Override | undefined, at: number): boolean {
  if (override === undefined) return false
  return override.kind === 'replace' || override.patches.some((patch) => patch.at === at)
}

function refuseIssues(issues: readonly ScriptIssue[], file: string): void {
  const [first] = issues
  if (first === undefined) return
  const all = issues.map(({ message }) => message).join('\n  ')
  if (first.code === 'bad-chunk') {
    throw new ReplayError(
      'bad-log',
      `${file}: ${all}\nRecord the scenario again: ${recordCommand(file)}`,
      {
        file,
        call: first.at,
      },
    )
  }
  const hint = `Write ${overrideBeside(file)}, for example {"patches":[{"at":${first.at},"entry":{"kind":"hang"}}]}`
  throw new ReplayError('unfinished-call', `${file}: ${all}\n${hint}`, { file, call: first.at })
}

function applyOverride(
  derived: readonly ReplayEntry[],
  override: Override,
  file: string,
): readonly ReplayEntry[] {
  if (override.kind === 'replace') return override.entries
  const entries = [...derived]
  for (const [i, { at, entry }] of override.patches.entries()) {
    if (at > entries.length) {
      const message = `${file}: patches[${i}].at is ${at}, but the script has ${entries.length} calls`
      throw new ReplayError('bad-override', message, { file })
    }
    entries[at] = entry
  }
  return entries
}
