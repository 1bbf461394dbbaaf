/**
 * One open session: its log on the disk, its events in memory, its permission
 * mode, and those who watch it. Every event is written before anybody hears
 * of it, so the screen never knows more than the log.
 */
import type { EventDraft, SessionEvent } from '@runproof/session-log'
import type { SessionLogWriter } from '@runproof/session-log/node'
import { isPermissionMode, type PermissionMode } from './permission.ts'

/** Hears each written batch, in order. */
type SessionListener = (batch: readonly SessionEvent[]) => void

export type Session = {
  readonly id: string
  /** Absolute path of the workspace. */
  readonly cwd: string
  /** All events so far, those found on opening first. */
  readonly events: readonly SessionEvent[]
  mode: PermissionMode
  /** Writes a batch, tells the listeners, returns the events with their numbers. */
  append(drafts: readonly EventDraft[]): Promise<SessionEvent[]>
  /** Resolves when all events so far are safe from a power cut. */
  checkpoint(): Promise<void>
  subscribe(listener: SessionListener): () => void
  /** Checkpoint, then give up the log. Idempotent. */
  close(): Promise<void>
}

export function createSession(
  writer: SessionLogWriter,
  cwd: string,
  initial: PermissionMode,
): Session {
  const listeners = new Set<SessionListener>()
  return {
    id: writer.header.id,
    cwd,
    get events() {
      return writer.events
    },
    mode: findMode(writer.events) ?? initial,
    async append(drafts) {
      const batch = await writer.append(drafts)
      for (const listener of listeners) listener(batch)
      return batch
    },
    checkpoint: () => writer.checkpoint(),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => writer.close(),
  }
}

/** The mode that the log says was last in force. */
export function findMode(events: readonly SessionEvent[]): PermissionMode | undefined {
  const event = events.findLast(({ type }) => type === 'permission/preset')
  const preset = event && 'preset' in event.data ? event.data['preset'] : undefined
  return isPermissionMode(preset) ? preset : undefined
}
