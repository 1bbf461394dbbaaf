/**
 * Writes an answer to its client: each chunk as it was cut, at its time, and
 * the end as it was.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { cut } from '../cut.ts'
import type { Answer } from './answer.ts'
import type { Waiter } from './pace.ts'

/** Resolves when the answer is written or the client has left. */
export async function respond(
  response: ServerResponse,
  answer: Answer,
  waiter: Waiter | null,
): Promise<void> {
  const { head, chunks, coded, body, end } = answer
  if (waiter !== null) response.once('close', () => waiter.leave())
  // The recorded date, or none: the same answer is the same bytes.
  response.sendDate = false
  if (head !== null) {
    if (waiter !== null && head.dtMs > 0) await waiter.wait(head.dtMs, 0)
    if (response.destroyed) return
    response.writeHead(head.status, head.headers)
    if (waiter === null && end === 'whole' && coded !== null && writeCoded(response, coded)) return
    if (waiter !== null || end !== 'whole') response.flushHeaders()
  }
  for (const { bytes, dtMs, eventCount } of chunks) {
    if (waiter !== null) await waiter.wait(dtMs, eventCount)
    if (response.destroyed) return
    if (!response.write(bytes)) await writable(response)
  }
  if (response.destroyed) return
  if (end === 'whole') response.end(body ?? undefined)
  else if (body !== null) response.write(body)
  if (end === 'cut') cut(response)
}

/**
 * An answer that waits for nothing, in one write instead of one a chunk, which
 * costs a fifth of the CPU. The bytes are those that `write` would send: every
 * chunk stays a chunk of the transfer coding, which clients read one by one.
 *
 * @returns false when these bytes cannot be for this client: an HTTP/1.0 one, a
 * HEAD, or a request that was pipelined behind another.
 */
function writeCoded(response: ServerResponse, coded: Buffer): boolean {
  const { socket, req } = response
  if (socket === null || req.httpVersion !== '1.1' || req.method === 'HEAD') return false
  socket.cork()
  response.flushHeaders()
  socket.write(coded)
  response.end()
  socket.uncork()
  return true
}

/** Resolves when the client took what it was sent, or left. */
async function writable(response: ServerResponse): Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  await Promise.race([
    once(response, 'drain', { signal }),
    once(response, 'close', { signal }),
  ]).finally(() => stop.abort())
}
