/** The pending differences as Markdown, for a pull request or an issue. */
import { renderDifference } from '../compare/render.ts'
import { code, fence, html } from '../markdown.ts'
import type { Pending } from '../pending/store.ts'
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
