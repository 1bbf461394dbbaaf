/** Whether a JSON value has what a pattern names; the rest of the value is free. */
import { isRecord } from '../transcript/line.ts'

/**
 * Objects: every key of the pattern matches. Arrays: the same length, item by
 * item. Everything else: equal.
 */
export function matchesPattern(value: unknown, pattern: unknown): boolean {
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((item, index) => matchesPattern(value[index], item))
    )
  }
  if (!isRecord(pattern)) return Object.is(value, pattern)
  return (
    isRecord(value) &&
    Object.entries(pattern).every(
      ([key, item]) => Object.hasOwn(value, key) && matchesPattern(value[key], item),
    )
  )
}
