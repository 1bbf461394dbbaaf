/**
 * What an answer says, apart from what the provider draws anew for every answer
 * however equal it is otherwise: its ids and times. By path, per wire: the same
 * names inside a tool's arguments say something.
 */
import { isDeepStrictEqual } from 'node:util'
import type { WireName } from '@runproof/llm'
import { parseBody } from '../body.ts'
import { endpointOf, familyOf, type WireFamily } from '../match/endpoint.ts'
import { isObject } from '../object.ts'
import type { Exchange } from './recording.ts'

const responsePaths = [
  'id',
  'created_at',
  'completed_at',
  // The request's own, said back.
  'metadata',
  'prompt_cache_key',
  'safety_identifier',
  'user',
  'output.*.id',
  'output.*.call_id',
]

/** Paths of JSON values: keys with dots, `*` for a member of an array. */
const drawnPaths: Readonly<Record<WireFamily, readonly string[]>> = {
  chat: [
    'id',
    'created',
    'obfuscation',
    'system_fingerprint',
    ...['delta', 'message'].map((part) => `choices.*.${part}.tool_calls.*.id`),
  ],
  responses: [
    'item_id',
    'item.id',
    'item.call_id',
    'obfuscation',
    ...responsePaths.flatMap((path) => [path, `response.${path}`]),
  ],
  anthropic: ['id', 'request_id', 'message.id', 'content_block.id', 'content.*.id'],
  gemini: ['responseId', 'createTime', 'candidates.*.content.parts.*.functionCall.id'],
}

/**
 * Whether a new answer says what the old one said, so that the old one can stand
 * for it. What is drawn does not count, unless it went somewhere: into one of
 * the texts `shown`, which an old one would not fit.
 */
export function saysTheSame(
  wire: WireName,
  before: Exchange,
  after: Exchange,
  shown: readonly string[],
): boolean {
  const [old, fresh] = [readAnswer(wire, before), readAnswer(wire, after)]
  if (!isDeepStrictEqual(old.said, fresh.said)) return false
  if (isDeepStrictEqual(old.drawn, fresh.drawn)) return true
  return !fresh.drawn.some((value) => shown.some((text) => text.includes(value)))
}

type Answer = { said: unknown; drawn: string[] }

/** Without headers and the times of its pieces, which differ with every call. */
function readAnswer(wire: WireName, { request, response, events, body, end }: Exchange): Answer {
  const endpoint = endpointOf(request.method, request.path)
  const paths = new Set(drawnPaths[endpoint?.family ?? familyOf(wire)])
  const drawn: string[] = []
  const read = (value: unknown, path: string): unknown => {
    if (paths.has(path)) {
      drawn.push(...leavesOf(value))
      return null
    }
    if (Array.isArray(value)) return value.map((one) => read(one, join(path, '*')))
    if (!isObject(value)) return value
    const members = Object.entries(value)
    return Object.fromEntries(members.map(([name, one]) => [name, read(one, join(path, name))]))
  }
  const said = [
    response?.status,
    events.map(({ event, id, data }) => [event, id, read(parseBody(data), '')]),
    body === null ? null : read(parseBody(body), ''),
    end.kind,
    end.tail,
  ]
  return { said, drawn }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf)
  return typeof value === 'number' ? [String(value)] : []
}
