/**
 * Service `tools`: the tools that the model is offered, the five built-in ones
 * and whatever other entries register. The order offered is by name, so that
 * it does not depend on the order in which entries start.
 */
import { array, strictObject, enum as oneOf, type ZodType } from 'zod'
import type { Context } from '../services.ts'
import { bash } from '../tools/bash.ts'
import { edit, read, write } from '../tools/files.ts'
import { todoWrite } from '../tools/todo.ts'
import type { Tool } from '../tools/tool.ts'

export const name = 'tools'

const builtInNames = ['bash', 'read', 'write', 'edit', 'todo_write'] as const
type BuiltIn = (typeof builtInNames)[number]
const builtIn: Record<BuiltIn, Tool> = { bash, read, write, edit, todo_write: todoWrite }

export type ToolsConfig = {
  /** Which of the built-in tools to offer. */
  builtIn: BuiltIn[]
}

export const Config: ZodType<ToolsConfig> = strictObject({
  builtIn: array(oneOf(builtInNames)).default([...builtInNames]),
}).prefault({})

export type ToolRegistry = {
  /**
   * Offers a tool until the returned function is called.
   * @throws TypeError when the name is taken
   */
  register(tool: Tool): () => void
  /** All tools by name. */
  list(): Tool[]
  get(name: string): Tool | undefined
}

export function apply(ctx: Context, config: ToolsConfig): void {
  const tools = new Map<string, Tool>()
  const registry: ToolRegistry = {
    register(tool) {
      if (tools.has(tool.name)) throw new TypeError(`there is a tool "${tool.name}" already`)
      tools.set(tool.name, tool)
      return () => void tools.delete(tool.name)
    },
    list: () => [...tools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    get: (toolName) => tools.get(toolName),
  }
  for (const toolName of config.builtIn) registry.register(builtIn[toolName])
  ctx.provide('tools', registry)
}
