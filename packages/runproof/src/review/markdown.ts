/**
 * The pending differences as Markdown, for the summary page of a CI run:
 * `runproof review --markdown >> "$GITHUB_STEP_SUMMARY"`. Text of agents stays
 * inside fences that it cannot close.
 */
import { renderDifference } from '../compare/render.ts'
import type { Pending } from '../pending/store.ts'
import { visible } from '../visible.ts'
import { groupByCause, type Group } from './group.ts'

/** Groups shown with their changes; the rest is only counted. A summary page has a size limit. */
const groupsMax = 30

/** Changes shown of one difference. */
const changesShown = 10

export function reviewMarkdown(pending: readonly Pending[]): string {
  if (pending.length === 0) return '### Runproof: nothing pending\n'
  const groups = groupByCause(pending)
  const shown = groups.slice(0, groupsMax)
  const count =
    pending.length === 1 ? '1 pending difference' : `${pending.length} pending differences`
  const causes = groups.length === 1 ? 'one cause' : `${groups.length} causes`
  return [
    `### Runproof: ${count}, ${causes}`,
    ...shown.map(groupMarkdown),
    ...(groups.length > shown.length ? [`… and ${groups.length - shown.length} more causes.`] : []),
    'Look at them with `runproof review` where the tests ran; accept what is meant.',
    '',
  ].join('\n\n')
}

function groupMarkdown({ first, members }: Group): string {
  const names = members.map(({ key }) => `- ${code(key)}`).join('\n')
  const body = renderDifference(first.difference, { colours: false, changesShown })
  return `<details><summary>${html(first.difference.summary)} (${members.length})</summary>\n\n${names}\n\n${fence(body)}\n\n</details>`
}

/** Inline code that holds any text. */
function code(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1)
  return `${ticks} ${visible(text)} ${ticks}`
}

function fence(text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${ticks}text\n${text}\n${ticks}`
}

const longestTicks = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)

const html = (text: string): string =>
  visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
