/**
 * The canonical body of a request: what it asks the model, without what
 * differs from run to run.
 *
 * Everything here is by path. What is left out, and which members hold call
 * ids or text of the model, is said by the rules of a wire below, which end
 * where a tool's own data begins: inside arguments, results and schemas
 * nothing is ever left out. Texts everywhere are masked (`mask.ts`).
 *
 * Members come out sorted, since masks number what they see in order.
 */
import { isObject } from '../object.ts'
import type { WireFamily } from './endpoint.ts'
import type { Masker, Speaker } from './mask.ts'

/** What holds for an object; an array stands for each of its members. */
type Rule = {
  /** Members that are left out. */
  drop?: readonly string[]
  /** Members that hold the id of a tool call. Ids become tokens, so that only the links count. */
  calls?: readonly string[]
  /** Members that the model wrote. */
  model?: readonly string[]
  /** Rules for members. */
  members?: Readonly<Record<string, Rule | RuleOf>>
}

/** A rule that depends on the object, or null for one that is left out. */
type RuleOf = (object: Record<string, unknown>) => Rule | null

const none: Rule = {}

const chat: Rule = {
  drop: [
    'client_metadata',
    'metadata',
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'user',
  ],
  members: {
    messages: ({ role }) => ({
      drop: ['id', 'messageId'],
      calls: ['tool_call_id'],
      ...(role === 'assistant' && {
        model: ['content', 'reasoning', 'reasoning_content', 'reasoning_details', 'refusal'],
      }),
      members: {
        tool_calls: {
          calls: ['id'],
          members: { function: { model: ['arguments'] }, custom: { model: ['input'] } },
        },
      },
    }),
  },
}

/** What the model wrote of an item that is no message: calls and reasoning. */
const itemParts = ['action', 'arguments', 'content', 'input', 'operation', 'summary']

const responses: Rule = {
  drop: chat.drop ?? [],
  members: {
    input: ({ type, role }) => ({
      // A reference is nothing but its id.
      drop: type === 'item_reference' ? [] : ['id'],
      calls: ['call_id'],
      model: role === undefined ? itemParts : role === 'assistant' ? ['content'] : [],
    }),
  },
}

const billingLine = /^x-anthropic-billing[^\n]*\n?$/

const anthropic: Rule = {
  drop: ['metadata'],
  members: {
    // Claude Code puts a block with a line of billing data before its system prompt.
    system: ({ text }) => (typeof text === 'string' && billingLine.test(text) ? null : none),
    messages: ({ role }) => ({
      drop: ['id'],
      ...(role === 'assistant' && { model: ['content'] }),
      members: {
        content: ({ type }) =>
          String(type).endsWith('tool_use') ? { calls: ['id'] } : { calls: ['tool_use_id'] },
      },
    }),
  },
}

const gemini: Rule = {
  drop: ['labels'],
  members: {
    contents: ({ role }) => ({
      ...(role === 'model' && { model: ['parts'] }),
      members: {
        parts: {
          members: {
            functionCall: { calls: ['id'], model: ['args'] },
            functionResponse: { calls: ['id'] },
          },
        },
      },
    }),
  },
}

const rules: Readonly<Record<WireFamily, Rule>> = { chat, responses, anthropic, gemini }

/** The canonical form of a JSON body, or of a text that is none. `mask` is used for this body only. */
export function canonicalBody(family: WireFamily, body: unknown, mask: Masker): unknown {
  const calls = new Map<unknown, string>()
  const callToken = (id: string): string => {
    const token = calls.get(id) ?? `{{call:${calls.size + 1}}}`
    calls.set(id, token)
    return token
  }
  const walk = (value: unknown, given: Rule | RuleOf, speaker: Speaker): unknown => {
    if (typeof value === 'string') return wellFormed(mask(value, speaker))
    if (Array.isArray(value)) {
      return value.flatMap((member) => {
        const walked = walk(member, given, speaker)
        return walked === undefined ? [] : [walked]
      })
    }
    if (!isObject(value)) return value
    const rule = typeof given === 'function' ? given(value) : given
    if (rule === null) return undefined
    const members: [string, unknown][] = []
    for (const name of Object.keys(value).toSorted()) {
      if (rule.drop?.includes(name)) continue
      const member = value[name]
      const isCall = rule.calls?.includes(name) && typeof member === 'string'
      const who = rule.model?.includes(name) ? 'model' : speaker
      const walked = isCall ? callToken(member) : walk(member, ruleOf(rule, name), who)
      members.push([wellFormed(name), walked])
    }
    return Object.fromEntries(members)
  }
  return walk(body, rules[family], 'run')
}

function ruleOf({ members }: Rule, name: string): Rule | RuleOf {
  return members !== undefined && Object.hasOwn(members, name) ? (members[name] ?? none) : none
}

/** Canonical JSON has no lone surrogates; spelled out, different ones stay different. */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text
  return text.replaceAll(/\p{Surrogate}/gu, (unit) => `{{unit:${unit.charCodeAt(0).toString(16)}}}`)
}
