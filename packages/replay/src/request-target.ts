/**
 * The target of a request (RFC 9112, 3.2) as a path. A client that takes a
 * server for a proxy sends a whole address, which every server must accept.
 */

/** Path and query, as they were sent; `*` stays. */
export function pathOf(target = '/'): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return path === target || path.startsWith('/') ? path : `/${path}`
}
