/** Which fields of two JSON values differ: paths, and the values on both sides. */
import { isRecord } from '../transcript/line.ts'
import type { FieldChange } from './difference.ts'

/** Further changed fields of one event are not listed. */
export const fieldsMax = 20

/** Longer texts and values are cut for showing. */
export const unitsMax = 2000

/** In document order of the expected value, then of what is new. */
export function fieldChanges(expected: unknown, actual: unknown): FieldChange[] {
  const changes: FieldChange[] = []
  const descend = (before: unknown, after: unknown, path: string): void => {
    if (changes.length >= fieldsMax) return
    const children = childrenOf(before, after)
    if (children === null) {
      if (before !== after) changes.push(changeAt(path, before, after))
      return
    }
    for (const [key, left, right] of children) descend(left, right, pathTo(path, key))
  }
  descend(expected, actual, '')
  return changes
}

/** Undefined stands for an absent field, which JSON cannot hold. */
function changeAt(path: string, before: unknown, after: unknown): FieldChange {
  return {
    path,
    ...(before === undefined ? {} : { expected: clip(before) }),
    ...(after === undefined ? {} : { actual: clip(after) }),
  }
}

type Child = readonly [key: string | number, before: unknown, after: unknown]

function childrenOf(before: unknown, after: unknown): Child[] | null {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, index) => [index, before[index], after[index]] as const)
  }
  if (!isRecord(before) || !isRecord(after)) return null
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].map((key) => [key, before[key], after[key]] as const)
}

function pathTo(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!/^[\w$-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function clip(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= unitsMax ? value : `${text.slice(0, unitsMax)}…`
}
