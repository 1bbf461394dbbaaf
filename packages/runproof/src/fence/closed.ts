/**
 * What `ss --events` says of TCP sockets of a network namespace that were
 * closed (ss(8)), one a line: state, queues, own address, the other one's.
 */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

/** Where the program inside connects to when it is asked to: nobody listens there. */
const settlePort = 1

/** What was not told by then is not waited for. */
const settleMs = 500

export type Watch = {
  /** Resolves when all that was closed before has been told. */
  settle(): Promise<void>
}

/**
 * Tells of each connection, made or refused, that did not stay in the machine.
 * @param child the program inside; its pipe 4 is what `ss` writes to, and ends where there is none.
 */
export function watchClosed(child: ChildProcess, onClosed: (socket: ClosedSocket) => void): Watch {
  const [, , , , output] = child.stdio
  if (!(output instanceof Readable)) throw new TypeError('watchClosed: there is no pipe')
  const waiting: (() => void)[] = []
  let hasEnded = false
  createInterface({ input: output })
    .on('line', (line) => {
      const closed = parseClosed(line)
      if (closed === null || !child.connected) return
      if (!isLoopback(closed.host)) onClosed(closed)
      else if (closed.port === settlePort) waiting.shift()?.()
    })
    .on('close', () => {
      hasEnded = true
      for (const resolve of waiting.splice(0)) resolve()
    })
  return {
    async settle() {
      if (hasEnded || !child.connected) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, settleMs)
      waiting.push(resolve)
      child.send(settlePort)
      await promise
      clearTimeout(timer)
    },
  }
}

/** Addresses without brackets, zone, or the prefix of IPv4 in IPv6. */
export type ClosedSocket = { localPort: number; host: string; port: number }

/** The socket of a line; null for what was never to be connected, or is no such line. */
export function parseClosed(line: string): ClosedSocket | null {
  const [, , , local = '', peer = ''] = line.trim().split(/\s+/)
  const localPort = portOf(local)
  const port = portOf(peer)
  if (localPort === null || port === null) return null
  const host = peer
    .slice(0, peer.lastIndexOf(':'))
    .replace(/%.*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '')
  return { localPort, host, port }
}

function portOf(address: string): number | null {
  const port = /:(\d+)$/.exec(address)?.[1]
  return port === undefined ? null : Number(port)
}

/** Whether an address is the namespace's own, which leads nowhere. */
function isLoopback(host: string): boolean {
  return host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
