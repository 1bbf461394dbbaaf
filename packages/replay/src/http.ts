/**
 * Node's `http`, not imported: whoever imports a built-in module makes Node
 * read each of its names, and one of these loads a whole HTTP client, which
 * costs 35 ms at the start of a server that has no use for it.
 */
import type * as Http from 'node:http'

export const http: typeof Http = process.getBuiltinModule('node:http')
