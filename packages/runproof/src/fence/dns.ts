/**
 * Just enough of DNS (RFC 1035, 4.1) to see which name a query is for, and to
 * answer that there is none.
 */

const headerBytes = 12
/** QR, RD, RA and the code 3: the name does not exist. */
const noSuchName = 0x8183

/** The name a query asks for, in lower case without the last dot; null when it is no query. */
export function readQueryName(query: Buffer): string | null {
  const labels: string[] = []
  let at = headerBytes
  for (;;) {
    const length = query[at]
    if (length === undefined || length > 63 || at + length >= query.length) return null
    if (length === 0) break
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += 1 + length
  }
  return labels.length === 0 ? null : labels.join('.')
}

/** The answer that the name does not exist: the query's own header and question. */
export function refuseQuery(query: Buffer): Buffer {
  const answer = Buffer.from(query)
  answer.writeUInt16BE(noSuchName, 2)
  // No answers, no authorities; the additional section of the query is dropped.
  answer.fill(0, 6, headerBytes)
  return answer.subarray(0, questionEnd(query))
}

function questionEnd(query: Buffer): number {
  let at = headerBytes
  for (let length = query[at]; length !== undefined && length > 0; length = query[at]) {
    at += 1 + length
  }
  return at + 5
}
