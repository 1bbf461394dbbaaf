/** The reviewer at a terminal: shows a difference and asks for one key. */
import { isCancel, log, selectKey, type Option } from '@clack/prompts'
import { wrapAnsi } from 'fast-wrap-ansi'
import { renderDifference } from '../compare/render.ts'
import { writerOf } from '../pending/writable.ts'
import { isColoured, type Terminal } from '../terminal.ts'
import { visible } from '../visible.ts'
import type { Group } from './group.ts'
import { outcomeText } from './list.ts'
import type { Decision, Reviewer } from './walk.ts'

/** Names shown of a large group. */
const namesShown = 8

/** What stands before each line, and the least that is left of a narrow terminal for the text. */
const gutterColumns = 3
const textColumnsMin = 24
const columnsDefault = 80

const decisions: Record<string, Decision> = {
  a: 'accept',
  r: 'reject',
  s: 'skip',
  e: 'each',
  l: 'accept-all',
  q: 'quit',
}

export function createPrompt({ stdin, stdout, env }: Terminal): Reviewer {
  const colours = isColoured(stdout, env)
  const streams = { input: stdin, output: stdout }
  const show = ({ first, members }: Group, text: boolean): void => {
    const columns = 'columns' in stdout ? Number(stdout.columns) : columnsDefault
    const rendered = renderDifference(first.difference, { colours, text })
    log.message(fitLines(rendered, columns - gutterColumns), streams)
    if (members.length === 1) return
    const others = members.slice(1)
    const names = others.slice(0, namesShown).map(({ key }) => `  ${visible(key)}`)
    const more = others.length > namesShown ? [`  … and ${others.length - namesShown} more`] : []
    log.message([`the same cause in ${others.length} more:`, ...names, ...more], streams)
  }

  return {
    async decide(group, position, count) {
      for (let text = false; ; text = !text) {
        show(group, text)
        const key = await selectKey({
          message: `${position} of ${count}: ${visible(group.first.key)}`,
          options: optionsFor(group, text),
          ...streams,
        })
        if (isCancel(key)) return 'quit'
        const decision = decisions[key]
        if (decision !== undefined) return decision
      }
    },
    tell(pending, outcome) {
      log.message(outcomeText(pending, outcome), streams)
    },
  }
}

/** Lines that go on below themselves, where they began, and not in the first column. */
function fitLines(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const body = line.trimStart()
      const indent = ' '.repeat(line.length - body.length)
      const room = Math.max(columns - indent.length, textColumnsMin)
      return wrapAnsi(body, room, { hard: true, trim: false })
        .split('\n')
        .map((part) => indent + part)
    })
    .join('\n')
}

const option = (value: string, label: string): Option<string> => ({ value, label })

function optionsFor({ first, members }: Group, text: boolean): Option<string>[] {
  const many = members.length > 1
  const scope = many ? ` these ${members.length}` : ''
  const isAcceptable = members.some(({ goldenPath }) => writerOf(goldenPath) === 'review')
  const hasText = first.difference.kind === 'changed'
  return [
    ...(isAcceptable ? [option('a', `accept${scope}`)] : []),
    option('r', `reject${scope}: the golden stays as it is`),
    option('s', 'skip: decide later'),
    ...(many ? [option('e', 'each on its own')] : []),
    ...(hasText ? [option('t', text ? 'show as events again' : 'show as text')] : []),
    ...(isAcceptable ? [option('l', 'accept this and all that is left')] : []),
    option('q', 'quit'),
  ]
}
