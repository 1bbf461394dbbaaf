/**
 * The engine: one JSON value in, the stable one out. By path first (volatile
 * fields, then the project's rules), by text second. Key order is kept.
 */
import type { Message } from '../transcript/line.ts'
import type { NormaliseContext } from './context.ts'
import type { FieldRule, Profile, Zone } from './profile.ts'
import { compileRules } from './rule.ts'
import {
  lastKey,
  matchesPath,
  parseSelector,
  selectValues,
  type Key,
  type Path,
  type Selector,
} from './selector.ts'
import { createTextStage } from './text.ts'
import { createTokenTable, type TokenTable } from './token.ts'

/** Deeper values are replaced by a token: a hostile message must not exhaust the stack. */
const depthMax = 200

export type Rewriter = {
  message(message: Message): Message
  /** For a line that is no JSON object. */
  text(text: string): string
}

/**
 * Sees all messages first, so that tokens are numbered in the order of the output
 * and an id is known in a text that comes before the field that shows it.
 */
export function createRewriter(
  profile: Profile,
  messages: readonly Message[],
  context: NormaliseContext,
): Rewriter {
  const table = createTokenTable()
  const fields = compile(profile.fields)
  const fieldAt = createLookup(fields)
  const zoneAt = createLookup(compile(profile.zones))
  const rules = compileRules(context.rules ?? [])
  const sessionIds = collectIds(fields, messages, context, table)
  const textStage = createTextStage(context, sessionIds, table)
  const stableKeys = new Map<string, string>()

  const rewriteKey = (key: string): string => {
    const stable = stableKeys.get(key) ?? textStage(key, 'content')
    stableKeys.set(key, stable)
    return stable
  }

  const rewriteText = (text: string, path: Path, zone: Zone): string =>
    rules.rewrite(textStage(text, zone, path.at(-1)), path, table)

  /** @param path of the value; used and given back by every call. */
  const rewrite = (value: unknown, path: Key[], outer: Zone, root: Message): unknown => {
    if (path.length > depthMax) return '{{too-deep}}'
    const field = fieldAt(path, root)
    const stable = field === undefined ? undefined : fieldValue(field, value, context, table)
    if (stable !== undefined) return stable
    const token = rules.tokenAt(path, value, table)
    if (token !== null) return token
    const zone = zoneAt(path, root)?.zone ?? outer
    if (typeof value === 'string') return rewriteText(value, path, zone)
    if (typeof value !== 'object' || value === null) return value
    const child = (key: Key, item: unknown): unknown => {
      path.push(key)
      const result = rewrite(item, path, zone, root)
      path.pop()
      return result
    }
    return Array.isArray(value)
      ? value.map((item, index) => child(index, item))
      : rewriteRecord(value, child)
  }

  const rewriteRecord = (
    value: object,
    child: (key: string, item: unknown) => unknown,
  ): Message => {
    const taken = new Set(Object.keys(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const stable = rewriteKey(key)
        // Two spellings of one folder must not become one key.
        const isFree = stable === key || !taken.has(stable)
        taken.add(stable)
        const isKept = profile.keptKeys.includes(key)
        return [isFree ? stable : key, isKept ? item : child(key, item)]
      }),
    )
  }

  return {
    message: (message) =>
      rewriteRecord(message, (key, item) => rewrite(item, [key], 'protocol', message)),
    text: (text) => rewriteText(text, [], 'content'),
  }
}

type Compiled<T> = T & { selector: Selector }

const compile = <T extends { path: string }>(rules: readonly T[]): Compiled<T>[] =>
  rules.map((rule) => {
    const selector = parseSelector(rule.path)
    if (selector === null) throw new TypeError(`not a path: ${rule.path}`)
    return { ...rule, selector }
  })

type Conditional = { selector: Selector; when?: (message: Message) => boolean }

/** Finds the first rule of a path; only rules that may end in its last key are tried. */
function createLookup<T extends Conditional>(
  rules: readonly T[],
): (path: Path, root: Message) => T | undefined {
  const endings = rules.map((rule) => ({ rule, last: lastKey(rule.selector) }))
  const forIndexes = rulesOf(({ last }) => typeof last !== 'string')
  const forKeys = new Map<string, T[]>()
  return (path, root) => {
    const key = path.at(-1)
    let candidates = forIndexes
    if (typeof key === 'string') {
      candidates = forKeys.get(key) ?? rulesOf(({ last }) => last === null || last === key)
      forKeys.set(key, candidates)
    }
    return candidates.find(
      ({ selector, when }) => matchesPath(selector, path) && (when?.(root) ?? true),
    )
  }

  function rulesOf(test: (ending: { last: Key | null }) => boolean): T[] {
    return endings.filter(test).map(({ rule }) => rule)
  }
}

/** Numbers the ids of all fields in order. @returns the session ids. */
function collectIds(
  fields: readonly Compiled<FieldRule>[],
  messages: readonly Message[],
  context: NormaliseContext,
  table: TokenTable,
): string[] {
  const sessionIds: string[] = []
  for (const message of messages) {
    for (const field of fields) {
      if (!('token' in field) || !(field.when?.(message) ?? true)) continue
      for (const value of selectValues(message, field.selector)) {
        if (fieldValue(field, value, context, table) === undefined) continue
        if (field.token === 'session:n' && typeof value === 'string') sessionIds.push(value)
      }
    }
  }
  return [...sessionIds, ...(context.sessionIds ?? [])]
}

/** What stands for the value of a field; undefined when the field leaves it to the text stage. */
function fieldValue(
  field: FieldRule,
  value: unknown,
  context: NormaliseContext,
  table: TokenTable,
): string | number | undefined {
  if ('constant' in field) return typeof value === 'number' ? field.constant : undefined
  // Nothing is a statement of its own: a time that was taken back, a prompt that is not there.
  if (value === null) return undefined
  const { token, space = '' } = field
  if (!token.endsWith(':n')) return `{{${token}}}`
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  if (context.tokens !== 'untyped') return table.tokenOf(token, space + JSON.stringify(value))
  if (token === 'session:n') return '{{sessionId}}'
  return token === 'rpc:n' ? table.numberOf('rpc', String(value)) : undefined
}
