/**
 * What kind of call a request is: the system text and the tools it offers.
 * Lanes only help to explain a miss; nothing is ever served by them.
 */
import { isObject } from '../object.ts'

/** Enough of a system text to tell the main loop from a title or a router. */
const systemUnitsMax = 200

/** Requests with the same lane are of one kind. `body` is canonical. */
export function laneOf(body: unknown): string {
  return JSON.stringify([systemText(body).slice(0, systemUnitsMax), ...toolNames(body).toSorted()])
}

/** The system text of a body of any wire, or `''`. */
function systemText(body: unknown): string {
  if (!isObject(body)) return ''
  const { systemInstruction, system, instructions, messages, input } = body
  const stated = systemInstruction ?? system ?? instructions
  if (stated !== undefined) return textIn(stated)
  const said = [messages, input].find((list) => Array.isArray(list)) ?? []
  const first = said.find(
    (message) => isObject(message) && (message.role === 'system' || message.role === 'developer'),
  )
  return isObject(first) ? textIn(first.content) : ''
}

/** All text of a string, a content block, or a list of them. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map((block) => textIn(block)).join('\n')
  if (!isObject(content)) return ''
  return typeof content.text === 'string' ? content.text : textIn(content.parts)
}

/** Names of the tools that a body of any wire offers. */
export function toolNames(body: unknown): string[] {
  if (!isObject(body)) return []
  const { tools, input } = body
  // Codex says its tools to newer models as an item of the conversation.
  const items = Array.isArray(input) ? input.filter((item) => isAdditionalTools(item)) : []
  return [...namesIn(tools), ...items.flatMap((item) => namesIn(item.tools))]
}

function isAdditionalTools(item: unknown): item is { tools: unknown } {
  return isObject(item) && item.type === 'additional_tools'
}

function namesIn(tools: unknown): string[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool) => {
    if (!isObject(tool)) return []
    const group = tool.functionDeclarations ?? (tool.type === 'namespace' ? tool.tools : undefined)
    if (Array.isArray(group)) return namesIn(group)
    const name = tool.name ?? (isObject(tool.function) ? tool.function.name : tool.type)
    return typeof name === 'string' ? [name] : []
  })
}
