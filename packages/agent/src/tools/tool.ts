/**
 * What a tool is to the loop, the permission modes and the editor's cards.
 * A tool turns the model's raw argument text into a call that knows how it
 * looks, what it touches and how to run; everything else treats calls alike.
 */
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk'
import { toJSONSchema, prettifyError, type ZodType } from 'zod'
import type { Backend } from '../backend.ts'

/** What a call touches; decides whether it must be approved. */
export type Access =
  | { kind: 'read'; path: string }
  | { kind: 'write'; path: string }
  | { kind: 'execute' }

/** How an editor shows a call, in the terms of ACP `tool_call`. */
export type ToolCard = {
  title: string
  kind: ToolKind
  rawInput?: unknown
  locations?: ToolCallLocation[]
  content?: ToolCallContent[]
}

/** How an editor shows its result; absent parts stay as they were announced. */
export type ResultCard = { content: ToolCallContent[]; title?: string }

export type ToolResult = {
  /** What the model reads. */
  text: string
  isError: boolean
  /** Kept in the log beside the text, for the card. */
  meta?: Record<string, unknown>
}

export type ToolContext = {
  cwd: string
  signal: AbortSignal
  backend: Backend
  /** Adds an event of the tool's own to the session log, between call and result. */
  record: (type: `${string}/${string}`, data: Record<string, unknown>) => void
}

/** One call of a tool with its arguments understood. Paths are as the model wrote them. */
export type ToolCall = {
  card: ToolCard
  accesses: Access[]
  run: (context: ToolContext) => Promise<ToolResult>
  showResult: (result: ToolResult) => ResultCard
}

export type Tool = {
  name: string
  description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>
  /** The call, or what is wrong with `argumentsText` in words for the model. */
  open: (argumentsText: string) => ToolCall | { problem: string }
}

/** The part of a call that a tool author writes; text results are the default. */
export type ToolDefinition<Arguments> = {
  name: string
  description: string
  arguments: ZodType<Arguments>
  open: (args: Arguments) => Omit<ToolCall, 'showResult'> & Partial<Pick<ToolCall, 'showResult'>>
}

export function defineTool<Arguments>(definition: ToolDefinition<Arguments>): Tool {
  return {
    name: definition.name,
    description: definition.description,
    // On demand: an agent that only shakes hands need not describe its tools.
    get parameters() {
      const { $schema: _, ...parameters } = toJSONSchema(definition.arguments)
      return parameters
    },
    open(argumentsText) {
      const json = parseJson(argumentsText)
      if (json === undefined) {
        return { problem: `The arguments of ${definition.name} are not JSON: ${argumentsText}` }
      }
      const parsed = definition.arguments.safeParse(json)
      return parsed.success
        ? { showResult: showText, ...definition.open(parsed.data) }
        : {
            problem: `The arguments of ${definition.name} are wrong:\n${prettifyError(parsed.error)}`,
          }
    },
  }
}

/** The card of a call that no tool understands: unknown name or broken arguments. */
export function plainCard(name: string, argumentsText: string): ToolCard {
  return { title: name, kind: 'other', rawInput: parseJson(argumentsText) ?? argumentsText }
}

export function showText(result: ToolResult): ResultCard {
  return { content: [textContent(result.text)] }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
