import { describe, expect, it } from 'vitest'
import { matchesPath, parseSelector, selectValues } from '../../src/normalise/selector.ts'

const root = {
  a: { b: 1, 'odd.key': 2 },
  list: [{ id: 'x', at: { id: 'y' } }, { id: 'z' }],
}

describe('selectors', () => {
  it.each<[path: string, values: unknown[]]>([
    ['a.b', [1]],
    ['a["odd.key"]', [2]],
    ['a.*', [1, 2]],
    ['list[0].id', ['x']],
    ['list[*].id', ['x', 'z']],
    ['list.*.id', ['x', 'z']],
    ['**.id', ['x', 'y', 'z']],
    ['list.**.id', ['x', 'y', 'z']],
    ['list[1].**', [{ id: 'z' }, 'z']],
    ['*', [root.a, root.list]],
    ['a.c', []],
    ['list[7].id', []],
    ['a.b.c', []],
  ])('%s', (path, values) => {
    const selector = parseSelector(path)
    expect(selector).not.toBeNull()
    expect(selectValues(root, selector ?? [])).toEqual(values)
  })

  it.each(['', '.a', 'a.', 'a..b', 'a[', 'a[]', 'a[x]', 'a[0]b', 'a["b]', 'a**'])(
    'refuses %j',
    (path) => {
      expect(parseSelector(path)).toBeNull()
    },
  )

  it('matches the paths of the values that it selects', () => {
    const selector = parseSelector('**.id') ?? []
    expect(matchesPath(selector, ['list', 0, 'at', 'id'])).toBe(true)
    expect(matchesPath(selector, ['id'])).toBe(true)
    expect(matchesPath(selector, ['list', 0, 'at'])).toBe(false)
    expect(matchesPath(parseSelector('list[0]') ?? [], ['list', 1])).toBe(false)
    expect(matchesPath(parseSelector('a') ?? [], ['a', 'b'])).toBe(false)
  })
})
