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

type CompiledField = FieldRule & { selector: Selector }
type CompiledZone = { selector: Selector; zone: Zone; when?: (message: Message) => boolean }

const compile = <T extends { path: string }>(rules: readonly T[]): (T & { selector: Selector })[] =>
  rules.map((rule) => {
    const selector = parseSelector(rule.path)
    if (selector === null) throw new TypeError(`not a path: ${rule.path}`)
    return { ...rule, selector }
  })

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
  const zones: CompiledZone[] = compile(profile.zones)
  const rules = compileRules(context.rules ?? [])
  const sessionIds = collectIds(fields, messages, context, table)
  const textStage = createTextStage(context, sessionIds, table)
  const byKey = Map.groupBy(fields, ({ selector }) => lastKey(selector))
  const anyKey = byKey.get(null) ?? []

  const fieldAt = (path: Path, root: Message): CompiledField | undefined =>
    [...(byKey.get(path.at(-1) ?? null) ?? []), ...anyKey].find(
      ({ selector, when }) => matchesPath(selector, path) && (when?.(root) ?? true),
    )

  const zoneAt = (path: Path, root: Message): Zone | undefined =>
    zones.find(({ selector, when }) => matchesPath(selector, path) && (when?.(root) ?? true))?.zone

  const rewriteText = (text: string, path: Path, zone: Zone): string =>
    rules.rewrite(textStage(text, zone, path.at(-1)), path, table)

  const rewrite = (value: unknown, path: Path, zone: Zone, root: Message): unknown => {
    if (path.length > depthMax) return '{{too-deep}}'
    const field = path.length === 0 ? undefined : fieldAt(path, root)
    const stable = field === undefined ? undefined : fieldValue(field, value, context, table)
    if (stable !== undefined) return stable
    const token = rules.tokenAt(path, value, table)
    if (token !== null) return token
    const inner = zoneAt(path, root) ?? zone
    if (typeof value === 'string') return rewriteText(value, path, inner)
    if (typeof value !== 'object' || value === null) return value
    return Array.isArray(value)
      ? value.map((item, index) => rewrite(item, [...path, index], inner, root))
      : rewriteRecord(value, path, inner, root)
  }

  const rewriteRecord = (value: object, path: Path, zone: Zone, root: Message): Message => {
    const entries: [string, unknown][] = []
    const taken = new Set(Object.keys(value))
    for (const [key, item] of Object.entries(value)) {
      const stableKey = textStage(key, 'content')
      const isFree = stableKey === key || !taken.has(stableKey)
      taken.add(stableKey)
      const isKept = profile.keptKeys.includes(key)
      entries.push([
        isFree ? stableKey : key,
        isKept ? item : rewrite(item, [...path, key], zone, root),
      ])
    }
    return Object.fromEntries(entries)
  }

  return {
    message: (message) => rewriteRecord(message, [], 'protocol', message),
    text: (text) => rewriteText(text, [], 'content'),
  }
}

/** Numbers the ids of all fields in order. @returns the session ids. */
function collectIds(
  fields: readonly CompiledField[],
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
  const { token, space = '' } = field
  if (!token.endsWith(':n')) return `{{${token}}}`
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  if (context.tokens !== 'untyped') return table.tokenOf(token, space + JSON.stringify(value))
  if (token === 'session:n') return '{{sessionId}}'
  return token === 'rpc:n' ? table.numberOf('rpc', String(value)) : undefined
}
