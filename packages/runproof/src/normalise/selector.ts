/**
 * Paths that select values in JSON: `result.sessions[*].updatedAt`, `**.durationMs`,
 * `a["odd.key"]`, `list[0]`. `*` is any one key or index, `**` any number of levels.
 */

/** One level: a key, an index, any one, or any number of levels. */
type Segment = string | number | typeof anyOne | typeof anyDepth

export type Selector = readonly Segment[]

export type Key = string | number

/** Where a value stands: keys and indexes from the root. */
export type Path = readonly Key[]

const anyOne: unique symbol = Symbol('*')
const anyDepth: unique symbol = Symbol('**')

const step =
  /\.?(?:(?<depth>\*\*)|(?<one>\*)|\[\*\]|\[(?<index>\d+)\]|\["(?<quoted>(?:[^"\\]|\\.)*)"\]|(?<key>[^.[\]*"]+))/y

/** @returns the selector, or null when the text is not one. */
export function parseSelector(text: string): Selector | null {
  const segments: Segment[] = []
  step.lastIndex = 0
  while (step.lastIndex < text.length) {
    const isFirst = step.lastIndex === 0
    const match = step.exec(text)
    if (match === null || (isFirst && text.startsWith('.'))) return null
    const { depth, one, index, quoted, key } = match.groups ?? {}
    // A bare name needs its dot, or `a[0]b` would be read as `a[0].b`.
    if ((depth ?? one ?? key) !== undefined && !isFirst && !match[0].startsWith('.')) return null
    if (depth !== undefined) segments.push(anyDepth)
    else if (index !== undefined) segments.push(Number(index))
    else if (quoted !== undefined) segments.push(quoted.replaceAll(/\\(.)/g, '$1'))
    else segments.push(key ?? anyOne)
  }
  return segments.length === 0 ? null : segments
}

/** Whether the value at `path` is selected. */
export function matchesPath(selector: Selector, path: Path, from = 0, at = 0): boolean {
  const segment = selector[from]
  if (segment === undefined) return at === path.length
  if (segment === anyDepth) {
    for (let next = at; next <= path.length; next++) {
      if (matchesPath(selector, path, from + 1, next)) return true
    }
    return false
  }
  const key = path[at]
  if (key === undefined || (segment !== anyOne && segment !== key)) return false
  return matchesPath(selector, path, from + 1, at + 1)
}

/** The key or index that a selected value must have, or null when any will do. */
export function lastKey(selector: Selector): Key | null {
  const last = selector.at(-1)
  return typeof last === 'string' || typeof last === 'number' ? last : null
}

/** Every selected value, in document order. */
export function selectValues(root: unknown, selector: Selector): unknown[] {
  const found: unknown[] = []
  const descend = (value: unknown, from: number): void => {
    const segment = selector[from]
    if (segment === undefined) {
      found.push(value)
      return
    }
    if (segment === anyDepth) descend(value, from + 1)
    if (typeof value !== 'object' || value === null) return
    for (const [key, child] of Object.entries(value)) {
      if (segment === anyDepth) descend(child, from)
      else if (segment === anyOne || String(segment) === key) descend(child, from + 1)
    }
  }
  descend(root, 0)
  return found
}
