/**
 * Which headers pass through the recorder, and which of them are kept in a
 * recording: what an agent's behaviour may depend on, by name. Whatever
 * authenticates somebody is on no list.
 *
 * Hop-by-hop headers: RFC 9110, 7.6.1.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { canDecode } from './encoding.ts'

/** Framing (`transfer-encoding`) stays: Node frames again what it sends. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

const keptOfRequest: ReadonlySet<string> = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'openai-beta',
])

const keptOfResponse: ReadonlySet<string> = new Set([
  'content-type',
  'location',
  'request-id',
  'retry-after',
  'retry-after-ms',
  'x-request-id',
  'x-should-retry',
])

const keptPrefixes = ['anthropic-ratelimit-', 'x-ratelimit-'] as const

/** Names and values in turn, as they were received, with the host of the provider. */
export function headersForUpstream(raw: readonly string[], host: string): string[] {
  return mapRaw(raw, (name, value) => {
    if (name === 'host') return host
    return name === 'accept-encoding' ? decodableOnly(value) : value
  })
}

/** Names and values in turn, as they were received. */
export function headersForClient(raw: readonly string[]): string[] {
  return mapRaw(raw, (_, value) => value)
}

export function keptRequestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return pick(headers, (name) => keptOfRequest.has(name))
}

export function keptResponseHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return pick(
    headers,
    (name) => keptOfResponse.has(name) || keptPrefixes.some((prefix) => name.startsWith(prefix)),
  )
}

function mapRaw(
  raw: readonly string[],
  valueOf: (name: string, value: string) => string,
): string[] {
  const mapped: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const lower = name.toLowerCase()
    if (!hopByHop.has(lower)) mapped.push(name, valueOf(lower, raw[at + 1] ?? ''))
  }
  return mapped
}

function pick(
  headers: IncomingHttpHeaders,
  isKept: (name: string) => boolean,
): Record<string, string> {
  const kept: [string, string][] = []
  for (const name of Object.keys(headers).toSorted()) {
    const value = headers[name]
    if (value !== undefined && isKept(name)) kept.push([name, String(value)])
  }
  return Object.fromEntries(kept)
}

/** What is asked for must be readable, or it could not be recorded. */
function decodableOnly(value: string): string {
  const codings = value.split(',').map((coding) => coding.trim())
  const kept = codings.filter((coding) => canDecode(coding.split(';', 1)[0] ?? ''))
  return kept.length === 0 ? 'identity' : kept.join(', ')
}
