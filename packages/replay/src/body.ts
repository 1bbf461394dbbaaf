/**
 * The text of a request body as the value that is recorded and compared.
 *
 * Two different bodies must never become one value, so what JavaScript cannot
 * tell apart is kept as it was written: a number that it would round, or cannot
 * hold at all, becomes the text `{{number:9007199254740993}}`. A text that is no
 * JSON, or is nested deeper than anything here can walk, is taken as a text.
 */
import { isObject } from './object.ts'

/** Members and arrays inside each other; a deeper value would overflow the stack of some reader. */
export const nestingMax = 512

/** Numbers of which some are not what they look like; to look for them costs more. */
const suspiciousNumber = /\d{16}|\d[Ee]\+?\d{3}/

/** The JSON value of a body, or the text itself, or null for an empty one. */
export function parseBody(text: string): unknown {
  if (text === '') return null
  try {
    const value: unknown = suspiciousNumber.test(text)
      ? JSON.parse(text, keepNumber)
      : JSON.parse(text)
    return isNestedDeeper(value, nestingMax) ? text : value
  } catch {
    return text
  }
}

function keepNumber(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined) return value
  const isExact = /^-?\d+$/.test(source) ? Number.isSafeInteger(value) : Number.isFinite(value)
  return isExact ? value : `{{number:${source}}}`
}

/** Whether a value has more than so many values inside each other. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (!Array.isArray(value) && !isObject(value)) return false
  if (levels === 0) return true
  return Object.values(value).some((member) => isNestedDeeper(member, levels - 1))
}
