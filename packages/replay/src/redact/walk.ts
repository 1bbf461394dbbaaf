/**
 * Every text of a JSON value, names of members included, and where it stands.
 *
 * A path says what a text is: keys with dots, `*` for a member of an array. A
 * channel says which text it continues when values follow each other (the
 * events of a stream): the path with array indexes, and the members that tell
 * blocks, items and calls apart. It needs no knowledge of the wire, so members
 * of any provider are covered.
 */
import { isNestedDeeper, nestingMax } from '../body.ts'
import { isObject } from '../object.ts'

/** `channel` is null for the name of a member, which continues nothing. */
export type TextVisitor = (text: string, path: string, channel: string | null) => string

/**
 * Members that say what an event or a block belongs to: of providers, then of
 * ACP. `type` does not: only the first part has it.
 */
const discriminators = [
  'index',
  'output_index',
  'content_index',
  'summary_index',
  'item_id',
  'sessionId',
  'sessionUpdate',
  'toolCallId',
  'terminal_id',
] as const

/**
 * The value with its texts as `visit` gives them, visited in the order of the
 * JSON text. What nothing changes in is the same object as before.
 */
export function mapTexts(value: unknown, visit: TextVisitor, path = '', channel = ''): unknown {
  if (typeof value === 'string') return visit(value, path, channel)
  if (Array.isArray(value)) {
    const inside = join(path, '*')
    let isSame = true
    const members = value.map((member, index) => {
      const place = isObject(member) && typeof member.index === 'number' ? member.index : index
      const mapped = mapTexts(member, visit, inside, `${channel}[${place}]`)
      isSame &&= mapped === member
      return mapped
    })
    return isSame ? value : members
  }
  if (!isObject(value)) return value
  // The index of a member of an array has been taken into account as its place.
  const block = channel.endsWith(']') ? channel : channel + marksOf(value)
  const members: [string, unknown][] = []
  let isSame = true
  for (const name of Object.keys(value)) {
    const inside = join(path, name)
    const mappedName = visit(name, inside, null)
    const mapped = mapTexts(value[name], visit, inside, `${block}.${name}`)
    isSame &&= mappedName === name && mapped === value[name]
    members.push([mappedName, mapped])
  }
  return isSame ? value : Object.fromEntries(members)
}

/**
 * As `mapTexts`, for JSON as text. A text that is no JSON is visited as one; one
 * in which nothing changes is given back as it is.
 */
export function mapJsonTexts(text: string, visit: TextVisitor): string {
  const value = parseJson(text)
  if (value === undefined) return visit(text, '', '')
  const mapped = mapTexts(value, visit)
  return mapped === value ? text : JSON.stringify(mapped)
}

const jsonBeginning = /^[\t\n\r ]*["\d[{tfn-]/

/** Undefined for what is no JSON, or too deep to be walked through: that is a text, as a request's body is. */
export function parseJson(text: string): unknown {
  // To find out by an exception takes longer than all else that is done with a short line.
  if (!jsonBeginning.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isNestedDeeper(value, nestingMax) ? undefined : value
  } catch {
    return undefined
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function marksOf(value: Record<string, unknown>): string {
  let marks = ''
  for (const name of discriminators) {
    const mark = value[name]
    if (typeof mark === 'string' || typeof mark === 'number') marks += `(${name}=${mark})`
  }
  return marks
}

/**
 * Members whose texts name something: they never continue from one event to
 * the next, and a long drawn one is no secret.
 */
export function isIdentifier(path: string): boolean {
  // Behind the last dot; a blank ends the name of the part that the path is in.
  const start = Math.max(path.lastIndexOf('.'), path.lastIndexOf(' ')) + 1
  return identifiers.has(path.slice(start))
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
  'requestId',
  'responseId',
  'role',
  'service_tier',
  'sessionId',
  'status',
  'system_fingerprint',
  'tool_call_id',
  'tool_use_id',
  'toolCallId',
  'type',
])
