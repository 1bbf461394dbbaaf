/**
 * What counts as JSON, and one canonical text for each JSON value.
 *
 * Follows I-JSON (RFC 7493) as far as a program can see it: own enumerable
 * string keys of plain objects, dense arrays, finite numbers, strings,
 * booleans, null. Two values have the same canonical text exactly when they
 * are the same JSON value; key order never matters, `-0` is `0`, and `1.0` is
 * `1` because a JavaScript program cannot tell them apart.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue }

/** Longest canonical text made, in UTF-16 units; a value that needs more is not taken. */
const canonicalUnitsMax = 2 ** 28

/** A plain object of any realm: not an array, not an instance of a class. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  )
}

/** True when the own keys of `value` are exactly `names`, in any order. */
export function hasExactKeys(value: object, names: readonly string[]): boolean {
  const keys = Object.keys(value)
  return keys.length === names.length && keys.every((key) => names.includes(key))
}

/** An object or array being written: `keys` is null for an array. */
type Frame = {
  source: object
  keys: readonly string[] | null
  values: readonly unknown[]
  next: number
}

/** Cycles are looked for below this depth only: above it they have no time to hurt. */
const acyclicDepth = 32

/**
 * The canonical text of `root`, itself JSON, or null when `root` holds
 * anything that JSON cannot carry: undefined, functions, symbols, BigInt, NaN,
 * infinities, holes, cycles, instances such as Date or Map. Iterative, so that
 * no depth of nesting overflows the stack. A throwing getter or proxy trap
 * passes through to the caller.
 */
export function canonicalJson(root: unknown): string | null {
  const frames: Frame[] = []
  let path: Set<object> | null = null
  let text = ''
  let value = root
  for (;;) {
    let frame: Frame | undefined
    if (typeof value === 'object' && value !== null) {
      const opened = openFrame(value)
      if (opened === null) return null
      if (frames.length >= acyclicDepth) {
        path ??= new Set()
        if (path.has(value)) return null
        path.add(value)
      }
      frames.push(opened)
      text += opened.keys === null ? '[' : '{'
      frame = opened
    } else {
      const leaf = leafText(value)
      if (leaf === null) return null
      text += leaf
      frame = frames[frames.length - 1]
    }
    while (frame !== undefined && frame.next === frame.values.length) {
      text += frame.keys === null ? ']' : '}'
      frames.pop()
      path?.delete(frame.source)
      frame = frames[frames.length - 1]
    }
    if (text.length > canonicalUnitsMax) return null
    if (frame === undefined) return text
    if (frame.next > 0) text += ','
    const key = frame.keys?.[frame.next]
    if (key !== undefined) text += `${quote(key)}:`
    value = frame.values[frame.next]
    frame.next++
  }
}

function openFrame(source: object): Frame | null {
  if (Array.isArray(source)) return { source, keys: null, values: source, next: 0 }
  if (!isJsonObject(source)) return null
  const own = Object.keys(source)
  const isSorted = own.every((key, index) => index === 0 || (own[index - 1] ?? '') < key)
  const keys = isSorted ? own : own.toSorted()
  return { source, keys, values: keys.map((key) => source[key]), next: 0 }
}

/** As `JSON.stringify`, which is slow to call for the short names that keys are. */
function quote(text: string): string {
  if (text.length > 32) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return JSON.stringify(text)
  }
  return `"${text}"`
}

function leafText(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return quote(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : null
    case 'boolean':
      return value ? 'true' : 'false'
    default:
      return value === null ? 'null' : null
  }
}
