/**
 * The stable form of a transcript, agent to client: the lines of
 * `stdout.golden.jsonl` (docs/formats/transcript.md).
 *
 * Laws: a golden is a fixed point; two transcripts have one normal form only if
 * they differ in nothing but the volatile things that the format page lists.
 */
import { isRecord, type Message } from '../transcript/line.ts'
import { acpProfile } from './acp.ts'
import type { NormaliseContext, TokenStyle } from './context.ts'
import { plainProfile, type Profile } from './profile.ts'
import { createRewriter, type Rewriter } from './rewrite.ts'
import { parseSelector, selectValues } from './selector.ts'
import { hasUntypedToken } from './token.ts'

const profileOf = (context: NormaliseContext): Profile =>
  context.protocol === 'jsonl' ? plainProfile : acpProfile

/** @param messages what the agent wrote, in order. @returns one JSON text a line. */
export function normaliseTranscript(
  messages: readonly Message[],
  context: NormaliseContext,
): string[] {
  const profile = profileOf(context)
  const ordered =
    context.housekeeping === 'order' ? messages : settleFacts(messages, profile, context.tokens)
  const rewriter = createRewriter(profile, ordered, context)
  if (context.joinChunks !== true) {
    return ordered.map((message) => JSON.stringify(rewriter.message(message)))
  }
  const joined = joinChunks(mergeNeighbours(ordered, profile), profile, rewriter)
  return joined.map((message) => JSON.stringify(sortUpdate(rewriter.message(message))))
}

/** How a golden was written, so that the live side is normalised alike. */
export type GoldenMode = { tokens: TokenStyle; housekeeping: 'state' | 'order' }

/**
 * Untyped: a golden with `{{sessionId}}` or a raw JSON-RPC id. In order: one whose
 * facts do not stand, settled, at its end. Lines that are not JSON count for nothing.
 */
export function goldenMode(lines: readonly string[], context: NormaliseContext = {}): GoldenMode {
  const messages = lines.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return isRecord(value) ? [value] : []
    } catch {
      return []
    }
  })
  const profile = profileOf(context)
  const hasRawId = messages.some(
    (message) => message['jsonrpc'] === '2.0' && typeof message['id'] === 'number',
  )
  const tokens = hasRawId || lines.some(hasUntypedToken) ? 'untyped' : 'typed'
  const settled = settleFacts(messages, profile, tokens)
  const isSettled = settled.every((message, index) => message === messages[index])
  return {
    tokens,
    housekeeping: isSettled && settled.length === messages.length ? 'state' : 'order',
  }
}

/**
 * Facts as a state: the last one of each kind and session (of what is told in
 * parts, all parts), after everything else, by session in the order of the
 * transcript, then by kind. Untyped tokens do not tell sessions apart, so then
 * there is one.
 */
function settleFacts(
  messages: readonly Message[],
  profile: Profile,
  tokens: TokenStyle = 'typed',
): Message[] {
  const steps: Message[] = []
  const facts = new Map<string, Map<string, Message[]>>()
  for (const message of messages) {
    const fact = profile.factOf(message)
    if (fact === null) {
      steps.push(message)
      continue
    }
    const session = tokens === 'typed' ? fact.session : ''
    const kinds = facts.get(session) ?? new Map<string, Message[]>()
    facts.set(session, kinds)
    const told = kinds.get(fact.kind) ?? []
    const [before] = told
    const whole = before === undefined ? message : (fact.after?.(before) ?? message)
    kinds.set(fact.kind, fact.all === true ? [...told, message] : [whole])
  }
  if (facts.size === 0) return steps
  const sessions = new Set([...sessionsOf(steps, profile), ...facts.keys()])
  const settled = [...sessions].flatMap((session) =>
    [...(facts.get(session) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  return [...steps, ...settled.flatMap(([, last]) => last)]
}

function sessionsOf(messages: readonly Message[], profile: Profile): string[] {
  const selectors = profile.fields.flatMap((field) =>
    'token' in field && field.token === 'session:n' ? [parseSelector(field.path) ?? []] : [],
  )
  return messages.flatMap((message) =>
    selectors.flatMap((selector) =>
      selectValues(message, selector).filter((value) => typeof value === 'string'),
    ),
  )
}

/** An agent that says in one message what it says in two another time says the same. */
function mergeNeighbours(messages: readonly Message[], profile: Profile): Message[] {
  const merged: Message[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    const both = last === undefined ? null : profile.mergeOf(last, message)
    if (both === null) merged.push(message)
    else merged[merged.length - 1] = both
  }
  return merged
}

/** What was merged has its members in the order of the merging, so all have them sorted. */
function sortUpdate(message: Message): Message {
  const { params } = message
  if (!isRecord(params) || !isRecord(params['update'])) return message
  const update = Object.fromEntries(
    Object.entries(params['update']).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  return { ...message, params: { ...params, update } }
}

/** Joins neighbours that differ in nothing but their text. */
function joinChunks(messages: readonly Message[], profile: Profile, rewriter: Rewriter): Message[] {
  const joined: Message[] = []
  let frame: string | null = null
  let text = ''
  for (const message of messages) {
    const chunk = profile.chunkOf(message)
    if (chunk === null) {
      frame = null
      joined.push(message)
      continue
    }
    const own = JSON.stringify(rewriter.message(chunk.withText('')))
    if (own === frame) {
      text += chunk.text
      joined[joined.length - 1] = chunk.withText(text)
      continue
    }
    frame = own
    text = chunk.text
    joined.push(message)
  }
  return joined
}
