/**
 * `@runproof/agent` is a program: start its bin. What is exported here is for
 * those who write an entry of its composition: a tool, a backend, a host.
 */
export type { Backend, CommandRequest, FolderEntry } from './backend.ts'
export { AgentError, type AgentErrorCode } from './error.ts'
export type { Clock, Host, Mode } from './host.ts'
export type { PermissionMode } from './permission.ts'
export type { LlmAdapter, LlmCall, LlmRuntime } from './plugins/llm.ts'
export type { ToolRegistry } from './plugins/tools.ts'
export type { Context } from './services.ts'
export type { ShellResult } from './shell.ts'
export { startAgent, type Agent, type AgentOptions, type LogLevel } from './start.ts'
export {
  defineTool,
  type Access,
  type ResultCard,
  type Tool,
  type ToolCall,
  type ToolCard,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from './tools/tool.ts'
