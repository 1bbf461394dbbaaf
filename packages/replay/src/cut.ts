/** The end of a response that broke off. */
import type { ServerResponse } from 'node:http'

/**
 * Closes the connection behind what was written. Not by a reset, which would
 * make the client lose what it has received and not read.
 */
export function cut(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) response.destroy()
  else setImmediate(() => socket.destroySoon())
}
