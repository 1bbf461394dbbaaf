/**
 * File → log. Adds to the pure reader what only bytes can show: the
 * encoding, and where the sound part of the file ends.
 */
import { readFile } from 'node:fs/promises'
import { SessionLogError } from '../error.ts'
import { parseSessionLog } from '../reader.ts'
import type { SessionLog } from '../reader.ts'

const newline = 0x0a

export type LoadedLog = {
  log: SessionLog
  /** Length of the file without its torn tail. */
  soundBytes: number
  tornBytes: number
}

/**
 * Reads a whole log. A torn tail is tolerated and told in `torn`; any other
 * defect throws a `SessionLogError` with the file and the line.
 */
export async function readSessionLog(file: string): Promise<SessionLog> {
  const { log } = await loadLog(file)
  if (log.issue !== null) throw refused(file, log)
  return log
}

/** The error for a log whose `issue` forbids its use. */
export function refused(file: string, log: SessionLog): SessionLogError {
  const { code, line, message } = log.issue ?? { code: 'io', line: 1, message: 'unreadable' }
  return new SessionLogError(code, file, `${file}: ${message}`, { line })
}

/** Reads a log without judging it. Throws `io` and `bad-encoding` only. */
export async function loadLog(file: string): Promise<LoadedLog> {
  let bytes: Uint8Array
  try {
    bytes = await readFile(file)
  } catch (reason) {
    const detail = reason instanceof Error ? reason.message : String(reason)
    throw new SessionLogError('io', file, `${file}: cannot be read: ${detail}`, { cause: reason })
  }
  const headBytes = bytes.lastIndexOf(newline) + 1
  const head = decode(bytes.subarray(0, headBytes))
  if (head === undefined) throw badEncoding(file, bytes)
  const tail = decode(bytes.subarray(headBytes))
  const log = parseSessionLog(head + (tail ?? ''))
  if (tail === undefined) {
    // A write cut inside a character: torn, whatever it would have said.
    const text = new TextDecoder().decode(bytes.subarray(headBytes))
    log.torn = { line: head.split('\n').length, text }
  }
  const soundBytes = log.torn === null ? bytes.length : headBytes
  return { log, soundBytes, tornBytes: bytes.length - soundBytes }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function badEncoding(file: string, bytes: Uint8Array): SessionLogError {
  let line = 1
  for (let start = 0, end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    if (decode(bytes.subarray(start, end)) === undefined) break
    start = end + 1
    line++
  }
  return new SessionLogError('bad-encoding', file, `${file}: line ${line}: not UTF-8`, { line })
}
