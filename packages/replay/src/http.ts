/**
 * Node's `http`, not imported: whoever imports a built-in module makes Node
 * read each of its names, and one of these loads a whole HTTP client, which
 * costs 35 ms at the start of a server that has no use for it.
 */
import type * as Http from 'node:http'

export const http: typeof Http = process.getBuiltinModule('node:http')

/** Of the head of a message; Node's own limit of 16 KiB is tighter than that of many providers. */
export const headBytesMax: number = 256 * 1024
