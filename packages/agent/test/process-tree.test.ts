import { describe, expect, it } from 'vitest'
import { findDescendants, type ProcessRow } from '../src/process-tree.ts'

const row = (pid: number, parent: number, group: number, marked = false): ProcessRow => ({
  pid,
  parent,
  group,
  marked,
})

/** 10 is the shell that was started; 1 is init, 5 the agent, 7 a stranger. */
const strangers = [row(1, 0, 1), row(5, 1, 5), row(7, 5, 7), row(8, 7, 7)]

describe('the descendants of a shell', () => {
  it.each([
    {
      title: 'children and grandchildren',
      table: [row(10, 5, 10), row(11, 10, 10), row(12, 11, 10)],
      found: [10, 11, 12],
    },
    {
      title: 'who left the group, by their parent',
      table: [row(10, 5, 10), row(11, 10, 11), row(12, 11, 12)],
      found: [10, 11, 12],
    },
    { title: 'whose parent is gone, by the group', table: [row(12, 1, 10)], found: [12] },
    {
      title: 'who left both, by the mark',
      table: [row(12, 1, 12, true), row(13, 12, 13)],
      found: [12, 13],
    },
    {
      title: 'in whatever order they are listed',
      table: [row(12, 11, 12), row(11, 10, 11), row(10, 5, 10)],
      found: [10, 11, 12],
    },
    { title: 'when there are none', table: [], found: [] },
  ])('$title', ({ table, found }) => {
    expect(new Set(findDescendants(10, [...strangers, ...table]))).toEqual(new Set(found))
  })
})
