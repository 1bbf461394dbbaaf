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

/** A value of more members than this is not looked over before it is written. */
const orderedMembersMax = 10_000

/**
 * The canonical text of `root`, itself JSON, or null when `root` holds
 * anything that JSON cannot carry: undefined, functions, symbols, BigInt, NaN,
 * infinities, holes, cycles, instances such as Date or Map. No depth of
 * nesting overflows the stack. A throwing getter or proxy trap passes through
 * to the caller.
 */
export function canonicalJson(root: unknown): string | null {
  // Nearly every payload is small and was written with its keys in order.
  if (roomBehind(root, acyclicDepth, orderedMembersMax) < 0) return orderedText(root)
  const text = JSON.stringify(root)
  return text.length > canonicalUnitsMax ? null : text
}

/**
 * What is left of `room` behind the members of `value`; negative when it is
 * not JSON, has a key out of order, or is deeper or larger than it may be.
 */
function roomBehind(value: unknown, depth: number, room: number): number {
  if (typeof value !== 'object' || value === null) return isLeaf(value) ? room - 1 : -1
  if (depth === 0 || room < 0) return -1
  let left = room - 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = roomBehind(value[index], depth - 1, left)
    }
    return left
  }
  if (!isJsonObject(value)) return -1
  let before: string | null = null
  for (const key of Object.keys(value)) {
    if (left < 0 || (before !== null && key < before)) return -1
    left = roomBehind(value[key], depth - 1, left)
    before = key
  }
  return left
}

function isLeaf(value: unknown): boolean {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value)
    case 'string':
    case 'boolean':
      return true
    default:
      return value === null
  }
}

/** As `canonicalJson`, for any order and any depth: iterative. */
function orderedText(root: unknown): string | null {
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
      if (!isLeaf(value)) return null
      text += JSON.stringify(value)
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
    if (key !== undefined) text += `${JSON.stringify(key)}:`
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
