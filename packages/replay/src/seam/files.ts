/** The files of the session seam: scripts in, report and markers out. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ReplayError } from '../error.ts'
import { loadReplayScript } from '../load.ts'
import type { ReplayScript, TextFile } from '../load.ts'
import type { ReplayReport } from '../replay.ts'
import type { Seam } from './config.ts'

/**
 * The scripts in binding order: the primary session, then children by
 * creation, then by id. Throws like `loadReplayScript`, and `missing-file`.
 */
export function readScripts({ file, override, childFiles }: Seam): ReplayScript[] {
  const primary = loadReplayScript(
    readText(file, 'session log'),
    override === undefined ? undefined : readText(override, 'override'),
  )
  const children = childFiles.map((child) => loadReplayScript(readText(child, 'child session log')))
  const ordered = children.toSorted(
    ({ header: a }, { header: b }) =>
      a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id)),
  )
  return [primary, ...ordered]
}

function readText(file: string, what: string): TextFile {
  try {
    return { file, text: readFileSync(file, 'utf8') }
  } catch (reason) {
    const detail = reason instanceof Error ? reason.message : String(reason)
    const message = `${file}: the ${what} cannot be read: ${detail}. Record the scenario, or correct the path`
    throw new ReplayError('missing-file', message, { file, cause: reason })
  }
}

/** Replaces the report as a whole: a reader sees the old one or the new one. */
export function writeReport(file: string, report: ReplayReport): void {
  const draft = `${file}.${process.pid}.tmp`
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(draft, `${JSON.stringify(report, null, 2)}\n`)
    renameSync(draft, file)
  } catch (reason) {
    rmSync(draft, { force: true })
    throw reason
  }
}

/** Tells who waits for the file that a hang has begun. */
export function writeMarker(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
}
