/**
 * What comes to a server of ours and is no HTTP request: as a rule from a
 * client that was told `https`. Node answers it and tells nobody.
 */
import type { Server } from 'node:http'

/** A request that ends in its middle: the client left. */
const brokenOff = 'HPE_INVALID_EOF_STATE'

/**
 * Answers as Node does.
 * @param onNoHttp gets the code of the parser, such as `HPE_INVALID_METHOD`.
 */
export function tellNoHttp(server: Server, onNoHttp: (code: string) => void): void {
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (!code.startsWith('HPE_') || code === brokenOff) {
      socket.destroy()
      return
    }
    onNoHttp(code)
    const isTooLarge = code === 'HPE_HEADER_OVERFLOW'
    const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
    // Behind an answer that has begun, it would be a part of that.
    const hasBegun = 'bytesWritten' in socket && socket.bytesWritten !== 0
    socket.end(hasBegun ? '' : `HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`)
  })
}
