/**
 * Arguments of a Gemini function call that arrive in pieces: each piece sets
 * the value at a JSON path, or adds to the string there when the piece before
 * it said so.
 *
 * The paths are the definite ones of RFC 9535 (`$.a.b[0]['c d']`): names and
 * indexes, no wildcards or filters.
 */
import { isObject, objectsOf, textOf, type JsonObject } from '../json.ts'

/** Array index in a path beyond which it is refused: a path must not allocate at will. */
const pathIndexMax = 10_000

export type PartialArguments = {
  args: JsonObject
  /** Paths whose string goes on. */
  open: Set<string>
}

export function createPartialArguments(): PartialArguments {
  return { args: {}, open: new Set() }
}

/** Applies the pieces of one part; false when one cannot be applied. */
export function applyPartialArguments(target: PartialArguments, pieces: unknown): boolean {
  return objectsOf(pieces).every((piece) => applyPiece(target, piece))
}

function applyPiece({ args, open }: PartialArguments, piece: JsonObject): boolean {
  const path = textOf(piece.jsonPath)
  const keys = parsePath(path)
  const last = keys?.at(-1)
  if (!keys || last === undefined) return false
  const parent = descend(args, keys)
  if (!parent) return false
  const before = Object.hasOwn(parent, last) ? parent[last] : undefined
  const goesOn = open.has(path) && typeof before === 'string'
  parent[last] = goesOn ? before + textOf(piece.stringValue) : valueOf(piece)
  if (piece.willContinue === true) open.add(path)
  else open.delete(path)
  return true
}

function valueOf(piece: JsonObject): unknown {
  if (piece.stringValue !== undefined) return piece.stringValue
  if (piece.numberValue !== undefined) return piece.numberValue
  return piece.boolValue ?? null
}

/** The object or array that holds the last key, made on the way where it is missing. */
function descend(root: JsonObject, keys: readonly (string | number)[]): JsonObject | undefined {
  let node: unknown = root
  for (const [depth, key] of keys.entries()) {
    if (!takesKey(node, key)) return undefined
    if (depth === keys.length - 1) return node
    if (!Object.hasOwn(node, key)) node[key] = typeof keys[depth + 1] === 'number' ? [] : {}
    node = node[key]
  }
  return undefined
}

/** Arrays take indexes and objects names; both are then written to like an object. */
function takesKey(node: unknown, key: string | number): node is JsonObject {
  return typeof key === 'number' ? Array.isArray(node) : isObject(node)
}

const step =
  /\.([\p{L}_][\p{L}\p{N}_-]*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy

function parsePath(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined
  const keys: (string | number)[] = []
  step.lastIndex = 1
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (!match) return undefined
    const [, name, index, single, double] = match
    if (index === undefined) {
      const key = name ?? (single ?? double ?? '').replaceAll(/\\(.)/g, '$1')
      // Would reach the prototype instead of a field.
      if (key === '__proto__') return undefined
      keys.push(key)
    } else if (Number(index) > pathIndexMax) return undefined
    else keys.push(Number(index))
  }
  return keys
}
