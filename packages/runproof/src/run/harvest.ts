/** The session logs that a run has left, in the order in which a scenario numbers them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord, type Message } from '../transcript/line.ts'

export type SessionLog = {
  /** The first line, when it is an object. */
  header: Message | null
  lines: string[]
  /** Whether the last line has its end. */
  isEnded: boolean
}

/**
 * Reads every `*.jsonl` below the folder: top sessions first, then children,
 * each by `createdAt`, then id.
 */
export async function harvestLogs(folder: string): Promise<SessionLog[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
  const logs = await Promise.all(files.map(async (file) => parseLog(await readFile(file, 'utf8'))))
  return logs.toSorted(compareLogs)
}

/** Whether it is a log of the session format at all. */
export const isSessionLog = ({ header }: SessionLog): boolean => header?.['type'] === 'session'

/** A log's text as its lines; the end of the last one may be missing. */
export function parseLog(text: string): SessionLog {
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  if (isEnded) lines.pop()
  return { header: parseEvent(lines[0]), lines, isEnded }
}

/** The object of a line, or null. */
export function parseEvent(line: string | undefined): Message | null {
  if (line === undefined) return null
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function compareLogs(one: SessionLog, other: SessionLog): number {
  const [a, b] = [rankOf(one), rankOf(other)]
  for (const [index, value] of a.entries()) {
    const against = b[index]
    if (against !== undefined && value !== against) return value < against ? -1 : 1
  }
  return 0
}

function rankOf({ header }: SessionLog): (number | string)[] {
  const isChild = typeof header?.['parentSession'] === 'string'
  const createdAt = header?.['createdAt']
  return [isChild ? 1 : 0, typeof createdAt === 'number' ? createdAt : 0, String(header?.['id'])]
}
