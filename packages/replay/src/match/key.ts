/**
 * The key of a request: two requests with the same key ask the same.
 *
 * It is the SHA-256 of the canonical JSON (RFC 8785) of method, endpoint and
 * canonical body. Headers are not in it.
 */
import { hash } from 'node:crypto'
import type { WireName } from '@runproof/llm'
import canonicalize from 'canonicalize'
import { canonicalBody } from './canonical.ts'
import { endpointOf, familyOf } from './endpoint.ts'
import type { RunContext } from './context.ts'
import { createMasker, createScanner } from './mask.ts'
import { withoutCredentials } from '../redact/value.ts'

/** What a key is made of; a recorded request fits. */
export type KeyedRequest = {
  method: string
  /** With or without query and whatever stands before the endpoint. */
  path: string
  /** JSON value, or text that is none, or null. */
  body: unknown
}

/** What the key is the hash of. */
export type CanonicalRequest = { method: string; endpoint: string; body: unknown }

export type RequestKey = {
  /** 64 hex digits. */
  key: string
  canonical: CanonicalRequest
}

/** Keys of the requests of one run. */
export type Keyer = (wire: WireName, request: KeyedRequest) => RequestKey

export function createKeyer(context: RunContext = {}): Keyer {
  const scan = createScanner(context)
  return (wire, { method, path, body }) => {
    const endpoint = endpointOf(method, path)
    const mask = createMasker(scan)
    const canonical = {
      method,
      // A path that no provider has is taken as it is, with its query but for what authenticates.
      endpoint: endpoint?.name ?? mask(withoutCredentials(path), 'run').toWellFormed(),
      body: canonicalBody(endpoint?.family ?? familyOf(wire), body, mask),
    }
    return { key: hash('sha256', canonicalize(canonical) ?? ''), canonical }
  }
}

/** The key of one request of a run; for many, `createKeyer`. */
export function requestKey(
  wire: WireName,
  request: KeyedRequest,
  context: RunContext = {},
): RequestKey {
  return createKeyer(context)(wire, request)
}
