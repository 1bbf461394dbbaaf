/**
 * YAML 1.2 (core schema) with the line of every value. js-yaml tells a listener
 * where each node begins and what it became; the tree of these nodes knows the
 * lines, and how large the value is once its aliases are followed, so that a
 * text of few lines cannot stand for a value without end.
 */
import { CORE_SCHEMA, load, YAMLException, type State } from 'js-yaml'

export type Yaml = {
  value: unknown
  /** The line, from 1, of the value at a path, or of the nearest value around it. */
  lineOf(path: readonly PropertyKey[]): number
}

export type YamlProblem = { line: number; problem: string }

type Node = {
  /** From 1. */
  line: number
  value: unknown
  /** Items; of a mapping its keys and values in turn. */
  children: readonly Node[]
  /** Nodes of the value, itself included; those behind an alias count where it stands. */
  size: number
}

/** No configuration is larger. */
const sizeMax = 10_000

export function parseYaml(text: string): Yaml | YamlProblem {
  const tree = createTree()
  try {
    const value: unknown = load(text, {
      schema: CORE_SCHEMA,
      listener: (event, state) => tree.listen(event, state),
    })
    const root = tree.root()
    if (root !== null && root.size > sizeMax) {
      return { line: 1, problem: `aliases make it larger than ${sizeMax} values` }
    }
    return { value: value ?? null, lineOf: (path) => (root === null ? 1 : findLine(root, path)) }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    return { line: (error.mark?.line ?? 0) + 1, problem: error.reason }
  }
}

function createTree(): { listen(event: string, state: State): void; root(): Node | null } {
  const open: { line: number; children: Node[] }[] = []
  const byValue = new Map<object, Node>()
  let root: Node | null = null
  return {
    listen(event, { line, result: value }: { line: number; result: unknown }) {
      if (event === 'open') {
        open.push({ line: line + 1, children: [] })
        return
      }
      const closed = open.pop()
      if (closed === undefined) return
      const isObject = typeof value === 'object' && value !== null
      // A value that was there before is an alias.
      const origin = isObject ? byValue.get(value) : undefined
      const children = origin?.children ?? closed.children
      const size = children.reduce((sum, child) => sum + child.size, 1)
      const node = { line: closed.line, value, children, size }
      if (isObject && origin === undefined) byValue.set(value, node)
      const parent = open.at(-1)
      if (parent === undefined) root = node
      else parent.children.push(node)
    },
    root: () => root,
  }
}

function findLine(root: Node, path: readonly PropertyKey[]): number {
  let node = root
  for (const key of path) {
    const { value, children } = node
    const at = children.findIndex((child, index) => index % 2 === 0 && child.value === key)
    const next = Array.isArray(value) ? children[Number(key)] : children[at + 1]
    if (next === undefined || (at < 0 && !Array.isArray(value))) break
    node = next
  }
  return node.line
}
