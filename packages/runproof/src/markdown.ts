/** Any text as part of a Markdown page: text of agents stays inside marks that it cannot close. */
import { visible } from './visible.ts'

/** Inline code. */
export function code(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1)
  return `${ticks} ${visible(text)} ${ticks}`
}

/** A block of code. */
export function fence(text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${ticks}text\n${text}\n${ticks}`
}

/** Text between two tags. */
export const html = (text: string): string =>
  visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const longestTicks = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
