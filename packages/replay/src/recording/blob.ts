/**
 * What requests repeat, stored once: long texts (system prompts, files that
 * tools read) and tool definitions. A body on disk has `{"$blob": digest}`
 * where such a value stands, and the value has a line of its own.
 *
 * Which values are blobs depends on the value alone, never on how often it
 * occurs, so that an exchange more or less changes no other line. A blob's
 * value is taken as it is: references inside it mean nothing. Hence an object
 * that looks like a reference is stored as a blob, and every body comes back.
 */
import { hash } from 'node:crypto'
import { isObject } from '../object.ts'

/** A text of this many UTF-16 units, or a tool definition whose JSON has as many, is a blob. */
const blobUnitsMin = 256

/** Names of the lists whose members are tool definitions, on every wire. */
const toolLists = new Set(['tools', 'functionDeclarations'])

const referenceKey = '$blob'
const digestLength = 16

/** First 16 hex digits of the SHA-256 of a value's JSON text, as `JSON.stringify` writes it. */
export function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value)).slice(0, digestLength)
}

/**
 * The body with references in it; `store` gets each blob, in the order of the
 * body, as often as it occurs.
 */
export function extractBlobs(body: unknown, store: (value: unknown) => string): unknown {
  const walk = (value: unknown, isTool: boolean): unknown => {
    if (isBlob(value, isTool)) return { [referenceKey]: store(value) }
    if (Array.isArray(value)) return value.map((member) => walk(member, isTool))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, walk(member, toolLists.has(key))]),
    )
  }
  return walk(body, false)
}

function isBlob(value: unknown, isTool: boolean): boolean {
  if (typeof value === 'string') return value.length >= blobUnitsMin
  if (!isObject(value)) return false
  if (isReference(value)) return true
  // A member of `tools` that only groups definitions (Gemini) is walked through.
  const isDefinition = isTool && !Object.keys(value).some((key) => toolLists.has(key))
  return isDefinition && JSON.stringify(value).length >= blobUnitsMin
}

/** The body with its blobs in place. */
export function resolveBlobs(body: unknown, find: (digest: string) => unknown): unknown {
  if (Array.isArray(body)) return body.map((member) => resolveBlobs(member, find))
  if (!isObject(body)) return body
  if (isReference(body)) return find(String(body[referenceKey]))
  return Object.fromEntries(
    Object.entries(body).map(([key, member]) => [key, resolveBlobs(member, find)]),
  )
}

function isReference(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, referenceKey) && Object.keys(value).length === 1
}
