/**
 * The shape of one parsed line: header or event.
 *
 * Invariant: what passes here has every field its type promises, so readers
 * of `SessionHeader` and `CoreEvent` need no checks of their own. Fields this
 * package does not know pass unseen. Chunks are checked for a `type` only:
 * their order and fields belong to `@runproof/llm`.
 */
import type { SessionLogErrorCode } from './error.ts'
import { fieldsOf, formatVersion } from './event.ts'
import type { FieldKind, SessionEvent, SessionHeader } from './event.ts'

/** Why a line is refused. */
export type Defect = { code: SessionLogErrorCode; message: string }

type Json = Record<string, unknown>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** Times are milliseconds; a fraction or a scrubbed 0 is as good as any. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** True for a header; else `refuse` hears why not. */
export function isHeader(value: unknown, refuse: (defect: Defect) => void): value is SessionHeader {
  const defect = headerDefect(value)
  if (defect !== undefined) refuse(defect)
  return defect === undefined
}

/** True for event number `seq` of a log; else `refuse` hears why not. */
export function isEvent(
  value: unknown,
  seq: number,
  refuse: (defect: Defect) => void,
): value is SessionEvent {
  const defect = eventDefect(value, seq)
  if (defect !== undefined) refuse(defect)
  return defect === undefined
}

function bad(code: SessionLogErrorCode, message: string): Defect {
  return { code, message }
}

function headerDefect(value: unknown): Defect | undefined {
  if (!isObject(value) || value.type !== 'session') {
    return bad(
      'bad-header',
      'not a session header; the first line is {"type":"session","version":0,"id",…}',
    )
  }
  if (!isCount(value.version)) return bad('bad-header', 'header: version is not a whole number')
  if (value.version > formatVersion) {
    return bad(
      'newer-version',
      `format version ${value.version}, this reader knows up to ${formatVersion}; read the log with the program that wrote it`,
    )
  }
  if (!isString(value.id) || value.id === '') return bad('bad-header', 'header: id is not a text')
  if (!isTime(value.createdAt))
    return bad('bad-header', 'header: createdAt is not a time in milliseconds')
  for (const key of ['cwd', 'parentSession', 'origin', 'agentPreset']) {
    if (value[key] !== undefined && !isString(value[key]))
      return bad('bad-header', `header: ${key} is not a text`)
  }
  for (const key of ['seedLength', 'delegationDepth']) {
    if (value[key] !== undefined && !isCount(value[key]))
      return bad('bad-header', `header: ${key} is not a count`)
  }
  return undefined
}

function eventDefect(value: unknown, seq: number): Defect | undefined {
  if (!isObject(value)) return bad('bad-event', 'not a JSON object')
  const { type, time } = value
  if (!isString(type) || type === '') return bad('bad-event', 'event: type is not a text')
  if (value.seq !== seq) {
    const got = value.seq === undefined ? 'missing' : JSON.stringify(value.seq)
    const why = 'an event is missing, doubled or out of order'
    return bad('bad-seq', `${type}: seq is ${got} where ${seq} must follow; ${why}`)
  }
  if (!isTime(time)) return bad('bad-event', `${type}: time is not a number of milliseconds`)
  const detail = contentDefect({ ...value, type })
  return detail === undefined ? undefined : bad('bad-event', detail)
}

/** Says what is wrong with `data` and the marks of an event, or nothing. */
function contentDefect(event: { type: string } & Json): string | undefined {
  const { type, data, sourceEventSeqs: sources, surfaceOp } = event
  if (!isObject(data)) return `${type}: data is not an object`
  for (const [name, { kind, optional }] of Object.entries(fieldsOf(type))) {
    const value = data[name]
    const problem = optional && value === undefined ? undefined : problemOf[kind](value)
    if (problem !== undefined) return `${type}: data.${name}${problem}`
  }
  if (sources !== undefined && !(Array.isArray(sources) && sources.every(isCount))) {
    return `${type}: sourceEventSeqs is not a list of event numbers`
  }
  if (surfaceOp !== undefined && !isSurfaceOp(surfaceOp)) {
    return `${type}: surfaceOp is neither "append" nor {"op":"replace","start","end"}`
  }
  return undefined
}

function isSurfaceOp(value: unknown): boolean {
  if (value === 'append') return true
  return isObject(value) && value.op === 'replace' && isCount(value.start) && isCount(value.end)
}

/** Says what is wrong with a value, as the end of a sentence that begins with its path, or nothing. */
type Problem = (value: unknown) => string | undefined

function unless(holds: (value: unknown) => boolean, problem: string): Problem {
  return (value) => (holds(value) ? undefined : problem)
}

const problemOf: Record<FieldKind, Problem> = {
  integer: unless(isCount, ' is not a count'),
  string: unless(isString, ' is not a text'),
  boolean: unless((value) => typeof value === 'boolean', ' is neither true nor false'),
  object: unless(isObject, ' is not an object'),
  array: unless((value) => Array.isArray(value), ' is not a list'),
  tagged: unless(
    (value) => isObject(value) && (isString(value.kind) || isString(value.type)),
    ' is not an object with a kind or type',
  ),
  texts: blocksProblem(['text']),
  'user-blocks': blocksProblem(['text', 'image']),
  'model-blocks': blocksProblem(['text', 'reasoning', 'tool-call']),
}

/** The texts each block type must have. */
const blockFields = new Map([
  ['text', ['text']],
  ['reasoning', ['text']],
  ['tool-call', ['id', 'name', 'arguments']],
  ['image', ['mediaType', 'data']],
])

function blocksProblem(types: readonly string[]): Problem {
  return (value) => {
    if (!Array.isArray(value)) return ' is not a list of blocks'
    for (const [i, block] of value.entries()) {
      if (!isObject(block) || !isString(block.type) || !types.includes(block.type)) {
        return `[${i}] is not a block of type ${types.join(' or ')}`
      }
      const missing = blockFields.get(block.type)?.find((name) => !isString(block[name]))
      if (missing !== undefined) return `[${i}].${missing} is not a text`
    }
    return undefined
  }
}
