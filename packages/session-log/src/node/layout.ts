/**
 * Where logs live under a sessions root:
 *
 *     <root>/--<folder of the cwd>--/<encoded id>/session.jsonl
 *
 * Follows the layout of the DeepSeek Harness with plain lines. The cwd part
 * groups sessions for a person who looks; it may be the same for two folders
 * and is never decoded: the header has the true `cwd`.
 *
 * Invariants: `encodeId` is injective, also on file systems that fold case,
 * and its result is never `.`, `..` or a path; one bad log never hides the
 * others.
 */
import { open, readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { SessionLogError } from '../error.ts'
import { asCoreEvent } from '../event.ts'
import type { SessionEvent, SessionHeader } from '../event.ts'
import { createSessionReader } from '../reader.ts'
import { isCode } from './lock.ts'

const logName = 'session.jsonl'

/** A folder name may have 255 bytes; the cwd part keeps its end, which tells most. */
const cwdNameLengthMax = 120

/** How much of a log `listSessions` reads: enough for the header and the first prompt. */
const headBytesMax = 64 * 1024

export type SessionEntry = {
  file: string
  header: SessionHeader
  /** Time of the last write, milliseconds since 1970. */
  updatedAt: number
  /** The first prompt, when it stands in the first 64 KiB. */
  firstPrompt: string | null
}

export type SessionList = {
  /** The last written first. */
  sessions: SessionEntry[]
  /** Logs that could not be listed, and why. */
  bad: SessionLogError[]
}

/** `a-z`, digits, `_` and `-` stay; every other UTF-16 unit becomes `~` and four hex digits. */
export function encodeId(id: string): string {
  if (id === '') throw new TypeError('encodeId: a session id is not empty')
  return id.replaceAll(/[^a-z0-9_-]/g, (unit) => `~${hex(unit)}`)
}

/** The log's path of a session. Creates nothing. */
export function sessionFile(place: { root: string; cwd: string; id: string }): string {
  const folders = place.cwd.replace(/^[/\\]+/, '').replaceAll(/[/\\:]+/g, '-')
  const name = folders.replaceAll(/[^\w.-]/g, (unit) => `~${hex(unit)}`).slice(-cwdNameLengthMax)
  return join(place.root, `--${name}--`, encodeId(place.id), logName)
}

/** The log of the session with this id under any cwd, or undefined. */
export async function findSession(root: string, id: string): Promise<string | undefined> {
  const name = encodeId(id)
  for (const cwd of await listFolders(root)) {
    const ids = await listFolders(join(root, cwd))
    if (ids.includes(name)) return join(root, cwd, name, logName)
  }
  return undefined
}

/** All sessions under a root; none when the root does not exist. */
export async function listSessions(root: string): Promise<SessionList> {
  const sessions: SessionEntry[] = []
  const bad: SessionLogError[] = []
  /** Runs one part of the listing; what fails in it is a bad entry, not the end of the list. */
  const guard = async (path: string, part: () => Promise<void>): Promise<void> => {
    try {
      await part()
    } catch (reason) {
      bad.push(asListError(path, reason))
    }
  }
  const addFolder = async (folder: string): Promise<void> => {
    for (const id of await listFolders(folder)) {
      const file = join(folder, id, logName)
      await guard(file, async () => {
        const entry = await readEntry(file)
        if (entry !== undefined) sessions.push(entry)
      })
    }
  }
  for (const cwd of await listFolders(root)) {
    await guard(join(root, cwd), () => addFolder(join(root, cwd)))
  }
  return { sessions: sessions.toSorted((a, b) => b.updatedAt - a.updatedAt), bad }
}

/** undefined for a session that never wrote its header. */
async function readEntry(file: string): Promise<SessionEntry | undefined> {
  const head = await readHead(file)
  if (head === undefined) return undefined
  const reader = createSessionReader()
  const events = reader.push(head.text)
  const { header, issue } = reader.end()
  if (issue?.code === 'empty') return undefined
  if (header === null) {
    throw new SessionLogError(issue?.code ?? 'bad-header', file, `${file}: ${issue?.message}`)
  }
  return { file, header, updatedAt: head.updatedAt, firstPrompt: firstPrompt(events) }
}

async function readHead(file: string): Promise<{ text: string; updatedAt: number } | undefined> {
  let handle
  try {
    handle = await open(file, 'r')
  } catch (reason) {
    if (isCode(reason, 'ENOENT')) return undefined
    throw reason
  }
  try {
    const bytes = Buffer.alloc(headBytesMax)
    const { bytesRead } = await handle.read(bytes, 0, headBytesMax, 0)
    const { mtimeMs } = await handle.stat()
    return { text: bytes.toString('utf8', 0, bytesRead), updatedAt: mtimeMs }
  } finally {
    await handle.close()
  }
}

function firstPrompt(events: readonly SessionEvent[]): string | null {
  for (const event of events) {
    const core = asCoreEvent(event)
    if (core?.type !== 'user/message') continue
    return core.data.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  }
  return null
}

async function listFolders(folder: string): Promise<string[]> {
  let entries: Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (reason) {
    if (isCode(reason, 'ENOENT')) return []
    throw reason
  }
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}

function asListError(file: string, reason: unknown): SessionLogError {
  if (SessionLogError.is(reason)) return reason
  const detail = reason instanceof Error ? reason.message : String(reason)
  return new SessionLogError('io', file, `${file}: cannot be read: ${detail}`, { cause: reason })
}

function hex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}
