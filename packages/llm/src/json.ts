/**
 * Reading values of unknown shape, as JSON delivers them, without trust and
 * without exceptions: a value of the wrong shape reads as the empty one.
 */

export type JsonObject = { [key: string]: unknown }

/** True for a JSON object; false for arrays and null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed text, or undefined when it is not JSON (JSON itself has no undefined). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The string, or `''`. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The object, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The objects of an array; other members are dropped. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** A count: an integer that is not negative, else undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** A copy without the named fields and without those that hold nothing (null, `''`, `[]`). */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => !keys.includes(key) && !isNothing(value)),
  )
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

/** Deep equality of JSON values; the order of fields does not count, an undefined field is none. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return (
      left.length === right.length && left.every((value, index) => isSameJson(value, right[index]))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => isSameJson(left[key], right[key]))
}
