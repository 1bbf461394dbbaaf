/** Reading JSON of unknown shape in tests, checked instead of believed. */

export type Json = Record<string, unknown>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws when the text is no JSON object */
export function parseObject(text: string): Json {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error(`not a JSON object: ${text}`)
  return value
}

/** The value at a path; undefined where the path leaves the value. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value
  for (const key of path) {
    if (Array.isArray(found)) found = found[Number(key)]
    else found = isObject(found) ? found[key] : undefined
  }
  return found
}

/** The objects of a list at a path. */
export function objectsAt(value: unknown, ...path: (string | number)[]): Json[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found.filter(isObject) : []
}
