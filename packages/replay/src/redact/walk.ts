/**
 * Every text of a JSON value, names of members included, and where it stands.
 *
 * A path says what a text is: keys with dots, `*` for a member of an array. A
 * channel says which text it continues when values follow each other (the
 * events of a stream): the path with array indexes, and the members that tell
 * blocks, items and calls apart. It needs no knowledge of the wire, so members
 * of any provider are covered.
 */
import { isObject } from '../object.ts'

/** `channel` is null for the name of a member, which continues nothing. */
export type TextVisitor = (text: string, path: string, channel: string | null) => string

/** Members that say what an event or a block belongs to. `type` does not: only the first part has it. */
const discriminators = [
  'index',
  'output_index',
  'content_index',
  'summary_index',
  'item_id',
] as const

/** The value with its texts as `visit` gives them, visited in the order of the JSON text. */
export function mapTexts(value: unknown, visit: TextVisitor, path = '', channel = ''): unknown {
  if (typeof value === 'string') return visit(value, path, channel)
  if (Array.isArray(value)) {
    const inside = join(path, '*')
    return value.map((member, index) => {
      const place = isObject(member) && typeof member.index === 'number' ? member.index : index
      return mapTexts(member, visit, inside, `${channel}[${place}]`)
    })
  }
  if (!isObject(value)) return value
  // The index of a member of an array has been taken into account as its place.
  const block = channel.endsWith(']') ? channel : channel + marksOf(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const inside = join(path, name)
      return [visit(name, inside, null), mapTexts(member, visit, inside, `${block}.${name}`)]
    }),
  )
}

/**
 * As `mapTexts`, for JSON as text. A text that is no JSON is visited as one; one
 * in which nothing changes is given back as it is.
 */
export function mapJsonTexts(text: string, visit: TextVisitor): string {
  const value = parseJson(text)
  if (value === undefined) return visit(text, '', '')
  let isChanged = false
  const mapped = mapTexts(value, (one, path, channel) => {
    const visited = visit(one, path, channel)
    isChanged ||= visited !== one
    return visited
  })
  return isChanged ? JSON.stringify(mapped) : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function marksOf(value: Record<string, unknown>): string {
  const marks = discriminators.flatMap((name) => {
    const mark = value[name]
    return typeof mark === 'string' || typeof mark === 'number' ? [`${name}=${mark}`] : []
  })
  return marks.length === 0 ? '' : `(${marks.join()})`
}

/**
 * Members whose texts name something: they never continue from one event to
 * the next, and a long drawn one is no secret.
 */
export function isIdentifier(path: string): boolean {
  return identifiers.has(path.slice(path.lastIndexOf('.') + 1))
}

const identifiers: ReadonlySet<string> = new Set([
  'call_id',
  'finish_reason',
  'finishReason',
  'id',
  'item_id',
  'messageId',
  'model',
  'modelVersion',
  'obfuscation',
  'object',
  'previous_response_id',
  'prompt_cache_key',
  'responseId',
  'role',
  'service_tier',
  'status',
  'system_fingerprint',
  'tool_call_id',
  'tool_use_id',
  'type',
])
