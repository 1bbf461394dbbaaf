/**
 * Service `sessions`: sessions as JSONL files under one root, format 0 of the
 * DeepSeek Harness (`@runproof/session-log`). A session has no file until its
 * first event; a log is open for one writer on the machine at a time.
 */
import { stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import {
  findSession,
  listSessions,
  openSessionLog,
  sessionFile,
  type SessionEntry,
} from '@runproof/session-log/node'
import { strictObject, string, type ZodType } from 'zod'
import { AgentError } from '../error.ts'
import type { Host } from '../host.ts'
import type { Context } from '../services.ts'
import { createSession, type Session } from '../session.ts'

export const name = 'session-files'
export const inject: string[] = ['host', 'permissions']

export type SessionFilesConfig = {
  /** Absolute folder; `RUNPROOF_SESSIONS_ROOT` comes first, `~/.runproof/sessions` last. */
  root?: string | undefined
}

export const Config: ZodType<SessionFilesConfig> = strictObject({
  root: string().refine(isAbsolute, 'must be an absolute path').optional(),
}).prefault({})

export type SessionStore = {
  /** @throws AgentError `session-refused` when `cwd` is no folder */
  create(cwd: string): Promise<Session>
  /**
   * Opens a persisted session; a turn that a crash left open is closed.
   * @throws AgentError `session-not-found`, or `session-refused` for another cwd
   * @throws SessionLogError `locked`, or what is wrong with the log
   */
  load(id: string, cwd: string): Promise<Session>
  /** Persisted sessions, the last written first. Logs that cannot be read are left out and logged. */
  list(cwd: string | null): Promise<SessionEntry[]>
}

export function apply(ctx: Context, config: SessionFilesConfig): void {
  const { host, permissions } = ctx
  const log = ctx.logger(name)
  const root = chooseRoot(host, config)
  const store: SessionStore = {
    async create(cwd) {
      await requireFolder(cwd)
      const id = host.createId()
      const writer = await openSessionLog({
        file: sessionFile({ root, cwd, id }),
        header: { type: 'session', version: 0, id, createdAt: host.clock.now(), cwd },
        clock: host.clock,
      })
      return createSession(writer, cwd, permissions.initial)
    },
    async load(id, cwd) {
      const file = id === '' ? undefined : await findSession(root, id)
      if (file === undefined)
        throw new AgentError('session-not-found', `no session "${id}" under ${root}`)
      const writer = await openSessionLog({ file, clock: host.clock })
      if (writer.header.cwd !== cwd) {
        await writer.close()
        throw new AgentError(
          'session-refused',
          `session ${id} belongs to the folder ${writer.header.cwd}, not to ${cwd}`,
        )
      }
      const { tornBytes, closers } = writer.recovery
      if (tornBytes > 0)
        log.warn('%s: dropped %d bytes of an unfinished last line', file, tornBytes)
      if (closers.length > 0) log.warn('%s: closed the turn that was left open', file)
      return createSession(writer, cwd, permissions.initial)
    },
    async list(cwd) {
      const { sessions, bad } = await listSessions(root)
      for (const error of bad) log.warn(`left out of the list: ${error.message}`)
      return sessions.filter(({ header }) => cwd === null || header.cwd === cwd)
    },
  }
  ctx.provide('sessions', store)
}

function chooseRoot(host: Host, config: SessionFilesConfig): string {
  const root = host.env['RUNPROOF_SESSIONS_ROOT'] || config.root
  if (root) return root
  // A replay that nobody collects must not fill the list of real sessions.
  return host.mode === 'replay'
    ? join(tmpdir(), 'runproof-replayed-sessions')
    : join(homedir(), '.runproof', 'sessions')
}

async function requireFolder(cwd: string): Promise<void> {
  if (!isAbsolute(cwd)) throw new AgentError('session-refused', `cwd is not absolute: ${cwd}`)
  const found = await stat(cwd).catch(() => null)
  if (found === null || !found.isDirectory()) {
    throw new AgentError('session-refused', `cwd is not a folder: ${cwd}`)
  }
}
