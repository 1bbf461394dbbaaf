/**
 * The provider-neutral request: messages, tools and settings that every wire
 * turns into its own body. Requests are read, never changed: a frozen one is
 * fine.
 */
import type { Block } from './chunk.ts'
import { LlmError } from './error.ts'
import { isObject, parseJson, type JsonObject } from './json.ts'

export type TextBlock = { type: 'text'; text: string }

/** A picture a user shows; `data` is base64, `mediaType` for example `image/png`. */
export type ImageBlock = { type: 'image'; mediaType: string; data: string }

export type UserMessage = { role: 'user'; content: readonly (TextBlock | ImageBlock)[] }

/** `replayState` is the one of the `finish` chunk that ended this message; keep both unedited. */
export type AssistantMessage = {
  role: 'assistant'
  content: readonly Block[]
  replayState?: unknown
}

/** The result of one tool call. Results directly follow the message that made the calls. */
export type ToolMessage = {
  role: 'tool'
  callId: string
  content: readonly TextBlock[]
  isError?: boolean
}

export type LlmMessage = UserMessage | AssistantMessage | ToolMessage

/** A function the model may call; `parameters` is a JSON Schema of an object. */
export type LlmTool = { name: string; description?: string; parameters: JsonObject }

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type LlmRequest = {
  model: string
  messages: readonly LlmMessage[]
  system?: string
  tools?: readonly LlmTool[]
  maxTokens?: number
  temperature?: number
  /** Sequences that end the answer. */
  stop?: readonly string[]
  /** Absent: the model's default. */
  reasoningEffort?: ReasoningEffort
  /** Fields laid over the provider's body last, as they are: whatever this type does not cover. */
  extra?: Readonly<JsonObject>
}

/** The text blocks, one after the other. */
export function joinText(content: readonly (Block | ImageBlock)[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** A tool's arguments as the object some providers want; text that is no JSON object is wrapped. */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {}
  const value = parseJson(text)
  return isObject(value) ? value : { invalid_arguments: text }
}

/** The name of the tool that each call id of the history asked for. */
export function callNames(messages: readonly LlmMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const block of message.content) {
      if (block.type === 'tool-call') names.set(block.id, block.name)
    }
  }
  return names
}

/** Throws for a setting that the wire has no field for: dropping it silently would be a lie. */
export function refuse(wire: string, what: string): never {
  throw new LlmError(`${wire} cannot send ${what}; leave it out`, 'UNSUPPORTED_CONTENT')
}
