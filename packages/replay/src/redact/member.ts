/**
 * Secrets that the members of a JSON value call so: keys in the requests of
 * hosted tools, variables and headers of MCP servers in a `session/new`.
 */
import { isObject } from '../object.ts'
import { looksDrawn } from './shape.ts'
import { isSecretOfEnvironment, secretsOfRequest, type KnownSecret } from './value.ts'

/** Not `key` and `token` alone: those are names of much else. */
const memberName =
  /^(?:x[-_])?(?:(?:api|access|auth|authorization|bearer|client|private|refresh|secret|session)[-_]?)+(?:key|token|secret)$|^(?:authorization|password|passwd|secret)$/i

/** In the order of the JSON text. */
export function secretsOfJson(value: unknown): KnownSecret[] {
  if (Array.isArray(value)) return value.flatMap(secretsOfJson)
  if (!isObject(value)) return []
  const own = Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && memberName.test(name) && looksDrawn(member)
      ? secretsOfRequest({ authorization: member }, '').map((secret) => ({ ...secret, name }))
      : [],
  )
  return [...own, ...secretOfPair(value), ...Object.values(value).flatMap(secretsOfJson)]
}

/** A variable or a header as `{name, value}`. */
function secretOfPair({ name, value }: Record<string, unknown>): KnownSecret[] {
  if (typeof name !== 'string' || typeof value !== 'string') return []
  if (!isSecretOfEnvironment(name, value)) return []
  // What stands before a blank may be a scheme or a part of the secret.
  return [{ name, value }, ...secretsOfRequest({ [name]: value }, '')]
}
