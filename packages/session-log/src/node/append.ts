/**
 * The durable writer of one session.
 *
 * Invariants: nothing stands on the disk before the first append, which
 * writes the header too; a batch is one write, whole or not at all, and
 * batches are written in the order of the calls; an event's `seq` is given
 * when it is written, so a failed batch leaves no gap; what `append` has
 * returned is never lost by the death of this process, what `checkpoint` has
 * seen is never lost by a power cut; nothing is written that the reader would
 * refuse. One writer a log (`lock.ts`).
 *
 * When to call `checkpoint`: before each model request, before each tool
 * body, at the end of a turn. `close` is one as well.
 */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isEvent } from '../check.ts'
import type { Defect } from '../check.ts'
import { SessionLogError } from '../error.ts'
import type { EventDraft, SessionEvent, SessionHeader } from '../event.ts'
import { deriveView } from '../history.ts'
import { deriveClosers } from '../recovery.ts'
import { serializeEvent, serializeHeader } from '../serialize.ts'
import { acquireLock, isCode } from './lock.ts'
import { LogFile, openNodeFile } from './log-file.ts'
import type { OpenFile } from './log-file.ts'
import { loadLog, refused } from './read.ts'

export type OpenOptions = {
  file: string
  /** For a log that does not exist yet. An existing log keeps its own. */
  header?: SessionHeader
  clock: { now(): number }
  /** The file system; default Node's. */
  openFile?: OpenFile
}

/** What opening had to mend. */
export type Recovery = {
  /** Bytes of an unfinished last line, dropped. */
  tornBytes: number
  /** Synthetic events that close the turn a crash left open (`recovery.ts`). */
  closers: SessionEvent[]
}

export type SessionLogWriter = {
  readonly header: SessionHeader
  /** All events of the log, those found and those appended. */
  readonly events: readonly SessionEvent[]
  readonly recovery: Recovery
  /**
   * Appends a batch and returns its events with `seq` and `time` (the
   * clock's, unless the draft brings its own). Rejects with a
   * `SessionLogError` when nothing was written: `io`, `locked`, `exists`,
   * `closed`; with a `TypeError` when a draft is malformed.
   */
  append(drafts: readonly (EventDraft & { time?: number })[]): Promise<SessionEvent[]>
  /** Resolves when all appends so far are on the disk. */
  checkpoint(): Promise<void>
  /** Checkpoint, then give up file and lock. Safe to call again. */
  close(): Promise<void>
}

/**
 * Opens a session for writing. An existing log is locked, read and mended at
 * once: torn tail cut, open turn closed. For a new one this touches nothing;
 * lock and file come with the first append.
 *
 * Rejects with `locked` (another writer), with the reader's codes (corrupt or
 * newer log; the file stays untouched), `io`; `empty` when there is neither a
 * log nor a header to begin one.
 */
export async function openSessionLog(options: OpenOptions): Promise<SessionLogWriter> {
  const { file, header } = options
  if (await exists(file)) return createWriter(options, await openExisting(options))
  if (header === undefined) throw nothingToOpen(file)
  return createWriter(options, {
    header,
    headerDue: true,
    events: [],
    recovery: { tornBytes: 0, closers: [] },
    storage: null,
  })
}

/** An open file and the lock that guards it. */
type Storage = { log: LogFile; release: () => Promise<void> }

/** Where a writer begins. */
type Start = {
  header: SessionHeader
  /** The file does not have its header line yet. */
  headerDue: boolean
  events: SessionEvent[]
  recovery: Recovery
  /** null: made by the first append. */
  storage: Storage | null
}

function createWriter(options: OpenOptions, start: Start): SessionLogWriter {
  const { file, clock } = options
  const { header, events, recovery } = start
  let { headerDue, storage } = start
  let last: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | null = null

  /** One operation on the file at a time, in the order of the calls, whatever the earlier ones gave. */
  const enqueue = <T>(operation: () => Promise<T>): Promise<T> => {
    if (closed !== null) {
      return Promise.reject(new SessionLogError('closed', file, `${file}: the log was closed`))
    }
    const result = last.then(operation, operation)
    last = result
    return result
  }

  const appendNow = async (
    drafts: readonly (EventDraft & { time?: number })[],
  ): Promise<SessionEvent[]> => {
    const now = clock.now()
    const batch = drafts.map((draft, i): SessionEvent => {
      const numbered = { ...draft, seq: events.length + i, time: draft.time ?? now }
      return numbered
    })
    const lines = batch.map((event) => lineOf(event))
    refuseUnreadable(events, lines)
    const headerText = headerDue ? `${serializeHeader(header)}\n` : ''
    const text = headerText + lines.join('')
    storage ??= await createStorage(options)
    await storage.log.append(text)
    headerDue = false
    events.push(...batch)
    return batch
  }

  const closeNow = async (): Promise<void> => {
    try {
      await storage?.log.close()
    } finally {
      await storage?.release()
    }
  }

  return {
    header,
    events,
    recovery,
    async append(drafts) {
      return drafts.length === 0 ? [] : enqueue(() => appendNow(drafts))
    },
    checkpoint: () => enqueue(async () => storage?.log.sync()),
    close() {
      closed ??= enqueue(closeNow)
      return closed
    },
  }
}

async function createStorage(options: OpenOptions): Promise<Storage> {
  const { file, openFile = openNodeFile } = options
  const folder = dirname(file)
  let release = noRelease
  try {
    const newIn = newEntries(folder, await mkdir(folder, { recursive: true }))
    release = await acquireLock(file)
    const handle = await openFile(file, 'ax')
    return { log: new LogFile({ path: file, handle, openFile }, 0, newIn), release }
  } catch (reason) {
    await release()
    if (!isCode(reason, 'EEXIST')) throw asIoError(file, reason)
    const hint = 'a log stands there since this session was opened; open it again to append to it'
    throw new SessionLogError('exists', file, `${file}: ${hint}`, { cause: reason })
  }
}

async function openExisting(options: OpenOptions): Promise<Start> {
  const { file, openFile = openNodeFile } = options
  let release = noRelease
  let log: LogFile | null = null
  try {
    release = await acquireLock(file)
    const { log: found, soundBytes, tornBytes } = await loadLog(file)
    if (found.issue !== null && found.issue.code !== 'empty') throw refused(file, found)
    const header = found.header ?? options.header
    if (header === undefined) throw nothingToOpen(file)
    log = new LogFile({ path: file, handle: await openFile(file, 'a'), openFile }, soundBytes, [])
    if (tornBytes > 0) await log.cutTail()
    const closers = deriveClosers(found.events)
    const newline = found.unterminated ? '\n' : ''
    const mending = newline + closers.map((event) => lineOf(event)).join('')
    if (mending !== '') await log.append(mending)
    return {
      header,
      headerDue: found.header === null,
      events: [...found.events, ...closers],
      recovery: { tornBytes, closers },
      storage: { log, release },
    }
  } catch (reason) {
    await log?.close().catch(ignore)
    await release()
    throw asIoError(file, reason)
  }
}

/** The folders that got a new entry when the log's folder and, with `firstNew`, some above it were made. */
function newEntries(folder: string, firstNew: string | undefined): string[] {
  const folders = [folder]
  if (firstNew === undefined) return folders
  for (let at = folder; at !== dirname(firstNew); at = dirname(at)) folders.push(dirname(at))
  return folders
}

function lineOf(event: SessionEvent): string {
  return `${serializeEvent(event)}\n`
}

/** What was written once stays: lines that would make the log unreadable are a `TypeError`. */
function refuseUnreadable(before: readonly SessionEvent[], lines: readonly string[]): void {
  // As text, since JSON makes other values of some (`NaN`, `toJSON`).
  const batch = lines.map((line, i): SessionEvent => {
    const event: unknown = JSON.parse(line)
    let problem = 'not an event'
    const note = (defect: Defect): void => void (problem = defect.message)
    if (isEvent(event, before.length + i, note)) return event
    throw new TypeError(`append: ${problem}`)
  })
  if (batch.some(({ surfaceOp }) => typeof surfaceOp === 'object')) {
    deriveView([...before, ...batch])
  }
}

function nothingToOpen(file: string): SessionLogError {
  return new SessionLogError(
    'empty',
    file,
    `${file}: there is no session log, and no header to begin one`,
  )
}

function asIoError(file: string, reason: unknown): unknown {
  if (SessionLogError.is(reason) || !(reason instanceof Error) || !('code' in reason)) return reason
  return new SessionLogError('io', file, `${file}: ${reason.message}`, { cause: reason })
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (reason) {
    if (isCode(reason, 'ENOENT')) return false
    throw asIoError(file, reason)
  }
}

/** For a second failure on the way out: the first one is thrown. */
function ignore(): void {}

function noRelease(): Promise<void> {
  return Promise.resolve()
}
