/** The changed lines of a file with a little context, for a diff card. */

/** Unchanged lines kept on each side. */
const contextLines = 3

export type Hunk = { oldText: string; newText: string }

/**
 * The smallest line range that covers every change, widened by the context.
 * One line feed at the very end is dropped when both texts have it.
 */
export function createHunk(oldText: string, newText: string): Hunk {
  const bothEnd = oldText.endsWith('\n') && newText.endsWith('\n')
  const before = (bothEnd ? oldText.slice(0, -1) : oldText).split('\n')
  const after = (bothEnd ? newText.slice(0, -1) : newText).split('\n')
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const start = Math.max(0, head - contextLines)
  const cut = (lines: readonly string[]): string =>
    lines.slice(start, Math.min(lines.length, lines.length - tail + contextLines)).join('\n')
  return { oldText: cut(before), newText: cut(after) }
}
