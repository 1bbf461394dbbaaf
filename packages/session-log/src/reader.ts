/**
 * Text → header and events, line by line.
 *
 * Follows format version 0 (`event.ts`). A log is append-only, and a crash
 * can cut its last write at any byte. Hence the one rule of this file: only
 * what stands after the last newline may be torn. Torn text is dropped and
 * reported; a defect in any complete line is corruption, and the log is
 * refused from that line on.
 *
 * Invariants: the events do not depend on how the text is cut into pushes;
 * no input makes the reader throw; after an issue it returns no events.
 */
import { isEvent, isHeader, isObject } from './check.ts'
import type { Defect } from './check.ts'
import type { SessionIssue } from './error.ts'
import type { SessionEvent, SessionHeader } from './event.ts'
import { applySurface, isMessageEvent } from './history.ts'

export type ReaderOptions = {
  /** Longest line in UTF-16 units; default 64 Mi. */
  lineLengthMax?: number
}

/** What the end of a log shows. */
export type SessionLogEnd = {
  /** null when line 1 never came whole, or was refused. */
  header: SessionHeader | null
  eventCount: number
  /** Why the log is refused; null when all complete lines are sound. */
  issue: SessionIssue | null
  /** What was dropped: the unfinished last line of a crashed writer. */
  torn: { line: number; text: string } | null
  /** True when the last event stands whole but without its newline, as some editors leave it. */
  unterminated: boolean
}

/** A whole log. `events` hold all that stands before the issue, if there is one. */
export type SessionLog = SessionLogEnd & { events: SessionEvent[] }

export type SessionReader = {
  /** Feeds text, cut anywhere; returns the events it completes, in order. */
  push(text: string): SessionEvent[]
  /** Ends the input, once; `events` holds an unterminated last one. Feeding after it is a `TypeError`. */
  end(): SessionLog
}

const lineLengthMaxDefault = 64 * 1024 * 1024

export function createSessionReader(options: ReaderOptions = {}): SessionReader {
  const { lineLengthMax = lineLengthMaxDefault } = options
  let header: SessionHeader | null = null
  let issue: SessionIssue | null = null
  let eventCount = 0
  let line = 1
  let rest = ''
  let ended = false
  /** The model's view so far: what a `replace` may name. */
  const view: Parameters<typeof applySurface>[0] = []

  const refuse = (defect: Defect): undefined => {
    issue = { line, code: defect.code, message: `line ${line}: ${defect.message}` }
    rest = ''
    return undefined
  }

  /** Takes one complete line; blank ones count but say nothing. */
  const take = (text: string): SessionEvent | undefined => {
    if (text.length > lineLengthMax) return refuse(tooLong(lineLengthMax))
    if (text.trim() === '') return undefined
    const value = parseLine(text)
    if (header === null) {
      if (isHeader(value, refuse)) header = value
      return undefined
    }
    if (value === undefined) return refuse({ code: 'bad-json', message: `not JSON: ${cut(text)}` })
    if (!isEvent(value, eventCount, refuse)) return undefined
    if (isMessageEvent(value) && !applySurface(view, value)) {
      return refuse({ code: 'bad-event', message: `${value.type}: replaces messages not in view` })
    }
    eventCount++
    return value
  }

  const push = (text: string): SessionEvent[] => {
    if (ended) throw new TypeError('session reader: push after end')
    const events: SessionEvent[] = []
    if (issue !== null) return events
    let start = 0
    // Only the new text is searched: a long line that comes in many pieces
    // stays linear.
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const event = take(rest + text.slice(start, end))
      if (issue !== null) return events
      if (event !== undefined) events.push(event)
      rest = ''
      line++
      start = end + 1
    }
    rest += text.slice(start)
    if (rest.length > lineLengthMax) refuse(tooLong(lineLengthMax))
    return events
  }

  const end = (): SessionLog => {
    if (ended) throw new TypeError('session reader: end after end')
    ended = true
    const events: SessionEvent[] = []
    let torn: SessionLogEnd['torn'] = null
    let unterminated = false
    if (issue === null && rest.trim() !== '') {
      // A prefix of a JSON object is never a JSON object, so what parses is whole.
      if (isObject(parseLine(rest))) {
        unterminated = true
        const event = take(rest)
        if (event !== undefined) events.push(event)
      } else {
        torn = { line, text: rest }
      }
    }
    if (header === null && issue === null) {
      refuse({ code: 'empty', message: 'no complete header line: this session never began' })
    }
    return { header, eventCount, issue, torn, unterminated, events }
  }

  return { push, end }
}

/** Reads a whole log. Never throws; look at `issue` before you trust it. */
export function parseSessionLog(text: string, options: ReaderOptions = {}): SessionLog {
  const reader = createSessionReader(options)
  const events = reader.push(text)
  const end = reader.end()
  return { ...end, events: [...events, ...end.events] }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function tooLong(lineLengthMax: number): Defect {
  return { code: 'line-too-long', message: `longer than ${lineLengthMax} characters` }
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
