/**
 * What crossed the recorder in one exchange, as bytes and times. Nothing is
 * looked into while the run goes on; that is done when the recorder is closed.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { EndKind } from './exchange.ts'
import type { TimedBytes } from './encoding.ts'

export type Capture = {
  /** Number of the exchange, in the order in which requests arrived. */
  n: number
  method: string
  path: string
  /** Of the request, with what it authenticates with: never to be stored as they are. */
  headers: IncomingHttpHeaders
  requestChunks: Buffer[]
  /** When the last byte of the request had come. */
  requestedMs: number
  /** Whether the agent sent all of its request. */
  isRequestWhole: boolean
  response: { status: number; headers: IncomingHttpHeaders; atMs: number } | null
  chunks: TimedBytes[]
  /** How it ended; null while it goes on. */
  end: EndKind | null
  /** Whether all of it was kept. */
  isWhole: boolean
}

/** Bytes that all captures of a recorder may keep together. */
export type Budget = { leftBytes: number }

/** Keeps a piece when there is room for it; else the capture is not whole. */
export function keepBytes(capture: Capture, budget: Budget, bytes: Buffer): boolean {
  if (!capture.isWhole) return false
  if (bytes.length > budget.leftBytes) {
    capture.isWhole = false
    capture.requestChunks = []
    capture.chunks = []
    return false
  }
  budget.leftBytes -= bytes.length
  return true
}
