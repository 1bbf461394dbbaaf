/**
 * `runproof review`: goes through the differences that `runproof test` left
 * pending. On a terminal one at a time; elsewhere by `--list`, `--show`,
 * `--accept`, `--reject`, `--markdown`. With `CI` set it never writes.
 *
 * Exit codes: 0 · 1 when a difference that should have been settled is still
 * there · 2 for a key that names nothing, or writing in CI.
 */
import { dirname } from 'node:path'
import { findConfig } from '../config/read.ts'
import { renderDifference } from '../compare/render.ts'
import { RunproofError } from '../error.ts'
import { createPendingStore, type Pending, type PendingStore } from '../pending/store.ts'
import { createOutput, isColoured, isReadOnly, type Output, type Terminal } from '../terminal.ts'
import { visible, visibleJson } from '../visible.ts'
import { selectPending } from './group.ts'
import { listJson, listLines, outcomeText } from './list.ts'
import { reviewMarkdown } from './markdown.ts'
import { acceptMembers, rejectMembers, walkPending, type Reviewer, type Tally } from './walk.ts'

export type ReviewOptions = {
  list?: boolean
  show?: string
  accept?: string
  reject?: string
  markdown?: boolean
  json?: boolean
}

/** Nothing pending means nothing where nothing is kept. */
const nothingKept =
  'CI is set, so runproof test has kept no difference; its summary is written by: runproof test --reporter github'

/** Keys offered when one names nothing. */
const suggestionsMax = 5

/** @param folder where to look for the project, upwards. @throws RunproofError for bad usage. */
export async function runReview(
  options: ReviewOptions,
  terminal: Terminal,
  folder: string,
): Promise<0 | 1> {
  requireOneAction(options)
  const config = findConfig(folder)
  const store = createPendingStore(config === null ? folder : dirname(config))
  const { pending, problems } = await store.list()
  for (const problem of problems) terminal.stderr.write(`${problem}\n`)
  const output = createOutput(terminal.stdout)
  const code = await act(options, { terminal, store, pending, output })
  await output.flush()
  return code
}

type Scene = { terminal: Terminal; store: PendingStore; pending: Pending[]; output: Output }

async function act(options: ReviewOptions, scene: Scene): Promise<0 | 1> {
  const { terminal, pending, output } = scene
  const { show, accept, reject, json = false } = options
  if (accept !== undefined || reject !== undefined) return settle(options, scene)
  if (options.markdown === true) {
    if (pending.length === 0 && isReadOnly(terminal)) terminal.stderr.write(`${nothingKept}\n`)
    output.line(reviewMarkdown(pending).trimEnd())
    return 0
  }
  if (show !== undefined) {
    for (const one of requirePending(pending, show))
      output.line(json ? showJson(one) : showText(one, terminal))
    return 0
  }
  if (options.list === true || json || !isInteractive(terminal)) {
    list(options, scene)
    return 0
  }
  return interact(scene)
}

function requireOneAction({ list: lists, show, accept, reject, markdown }: ReviewOptions): void {
  const actions = [lists, markdown, show, accept, reject].filter((one) => one !== undefined)
  if (actions.length > 1) {
    throw new RunproofError(
      'usage',
      'give one of --list, --show, --accept, --reject, --markdown, not several',
    )
  }
}

const isInteractive = (terminal: Terminal): boolean =>
  terminal.stdout.isTTY === true &&
  'isTTY' in terminal.stdin &&
  terminal.stdin.isTTY === true &&
  !isReadOnly(terminal)

function list({ json = false }: ReviewOptions, { terminal, pending, output }: Scene): void {
  if (json) {
    for (const one of pending) output.line(listJson(one))
    return
  }
  if (pending.length === 0) {
    output.line('nothing is pending')
    return
  }
  for (const line of listLines(pending, isColoured(terminal.stdout, terminal.env)))
    output.line(line)
  output.line('')
  output.line(
    'runproof review --show KEY | --accept KEY | --reject KEY (a key, a scenario, a cause or all)',
  )
}

const showText = ({ difference }: Pending, { stdout, env }: Terminal): string =>
  renderDifference(difference, {
    colours: isColoured(stdout, env),
    text: true,
    changesShown: Infinity,
  })

const showJson = ({ key, difference, goldenPath }: Pending): string =>
  visibleJson({ key, path: goldenPath, ...difference })

function requirePending(pending: readonly Pending[], word: string): Pending[] {
  const found = selectPending(pending, word)
  if (found.length > 0 || word === 'all') return found
  const keys = pending.slice(0, suggestionsMax).map(({ key }) => visible(key))
  throw new RunproofError(
    'usage',
    `nothing pending is called ${visible(word)}${keys.length === 0 ? '; nothing is pending' : `; pending: ${keys.join(', ')}${pending.length > keys.length ? ', …' : ''}`}`,
  )
}

/** `--accept` and `--reject`. */
async function settle(options: ReviewOptions, scene: Scene): Promise<0 | 1> {
  const { terminal, store, pending, output } = scene
  const { accept, reject, json = false } = options
  if (isReadOnly(terminal)) {
    throw new RunproofError(
      'usage',
      'CI is set, so nothing is written; review where the goldens can be committed',
    )
  }
  const members = requirePending(pending, accept ?? reject ?? '')
  const tally: Tally = { accepted: 0, rejected: 0, left: 0 }
  const tell: Reviewer['tell'] = (one, outcome) => {
    if (!json) return output.line(outcomeText(one, outcome))
    const state = outcome === 'rejected' ? { accepted: false, rejected: true } : outcome
    return output.line(visibleJson({ key: one.key, ...state }))
  }
  const settleMembers = accept === undefined ? rejectMembers : acceptMembers
  await settleMembers({ members }, store, { tell }, tally)
  return tally.accepted + tally.rejected === members.length ? 0 : 1
}

async function interact({ terminal, store, pending, output }: Scene): Promise<0 | 1> {
  if (pending.length === 0) {
    output.line('nothing is pending')
    return 0
  }
  const { createPrompt } = await import('./prompt.ts')
  const tally = await walkPending(pending, store, createPrompt(terminal))
  output.line(`${tally.accepted} accepted, ${tally.rejected} rejected, ${tally.left} still pending`)
  return tally.left === 0 ? 0 : 1
}
