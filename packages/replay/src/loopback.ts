/** Servers on 127.0.0.1, the only address anything here listens on. */
import type { Server } from 'node:net'
import { ReplayError } from './error.ts'

export const loopback = '127.0.0.1'

/**
 * Listens, 0 being any free port.
 * @returns the port. @throws ReplayError `port-in-use`.
 */
export function listenOnLoopback(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES'
      const message = `cannot listen on ${loopback}:${port}: ${error.code ?? error.message}; choose another port, or 0 for any`
      reject(isTaken ? new ReplayError('port-in-use', message, { cause: error }) : error)
    })
    server.listen(port, loopback, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new TypeError('no port'))
      else resolve(address.port)
    })
  })
}
