/**
 * One line of an output as an event: what it is, whose it is, and when two are
 * the same. Key order of JSON objects means nothing; a line that is no JSON object
 * is compared as text.
 */
import { isRecord } from '../transcript/line.ts'

export type Event = {
  /** 1-based. */
  line: number
  text: string
  /** The parsed object, or null for a line of text. */
  value: Record<string, unknown> | null
  /** What people call it: `tool_call_update`, `assistant/chunk text-delta`, `response`, `line`. */
  label: string
  /** The call or request it belongs to, or ''. */
  identity: string
  /** Equal for equal content. */
  content: string
  /** Equal for events that differ only in numbering: `seq`, `{{rpc:4}}`. */
  shape: string
}

/** The label of a line that is no event. */
export const textLabel = 'line'

/** Numbers of session events that move when an event is added before them. */
const numberKeys: ReadonlySet<string> = new Set(['seq', 'seq0', 'sourceEventSeqs'])

export function readEvents(lines: readonly string[]): Event[] {
  return lines.map((text, index) => {
    const value = parse(text)
    const content = value === null ? text : canonical(value)
    return {
      line: index + 1,
      text,
      value,
      label: value === null ? textLabel : labelOf(value),
      identity: value === null ? '' : identityOf(value),
      content,
      shape: value === null ? text : unnumbered(value),
    }
  })
}

function parse(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).toSorted(byKey)) : item,
  )
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1)

function unnumbered(value: Record<string, unknown>): string {
  const bare = Object.fromEntries(Object.entries(value).filter(([key]) => !numberKeys.has(key)))
  return canonical(bare).replaceAll(/\{\{([\w-]+):\d+\}\}/g, '{{$1}}')
}

function labelOf(value: Record<string, unknown>): string {
  const { method, params, type, kind, data } = value
  if (isRecord(params) && isRecord(params['update'])) {
    const update = params['update']['sessionUpdate']
    if (typeof update === 'string') return update
  }
  if (typeof method === 'string') return method
  if ('error' in value) return 'error response'
  if ('result' in value) return 'response'
  if (type === 'session') return 'session header'
  if (typeof type === 'string') {
    const chunk = isRecord(data) ? data['chunk'] : undefined
    const part = isRecord(chunk) ? chunk['type'] : undefined
    return typeof part === 'string' ? `${type} ${part}` : type
  }
  return typeof kind === 'string' ? kind : textLabel
}

function identityOf(value: Record<string, unknown>): string {
  const { params, data, id } = value
  const owner = isRecord(params) ? params['update'] : data
  const call = isRecord(owner) ? (owner['toolCallId'] ?? owner['callId']) : undefined
  if (typeof call === 'string') return call
  return typeof id === 'string' || typeof id === 'number' ? String(id) : ''
}

/** What a line says but for its numbering and the id of its call: alike in many scenarios. */
export function gistOf(text: string): string {
  const value = parse(text)
  if (value === null) return text
  const identity = identityOf(value)
  const shape = unnumbered(value)
  return identity === '' ? shape : shape.replaceAll(JSON.stringify(identity), '""')
}

/** What a line says: the update, parameters, result or data of an event, else the line. */
export function bodyOf(text: string): string {
  const value = parse(text)
  if (value === null) return text
  const { params, result, error, data } = value
  const body =
    (isRecord(params) ? (params['update'] ?? params) : undefined) ?? result ?? error ?? data
  return JSON.stringify(body ?? value)
}
