/**
 * The services that entries provide to each other, by the name under which
 * they stand on a context. One file, because the compiler merges these
 * declarations only where cordis is imported first.
 */
// Plugins take the context type from here, with all services on it.
export type { Context } from '@deepseek-ai/cordis'
import type { Backend } from './backend.ts'
import type { StreamChunk } from '@runproof/llm'
import type { Host } from './host.ts'
import type { LlmCall, LlmRuntime } from './plugins/llm.ts'
import type { Loop } from './plugins/loop.ts'
import type { Permissions } from './plugins/permissions.ts'
import type { SessionStore } from './plugins/session-files.ts'
import type { ToolRegistry } from './plugins/tools.ts'

declare module '@deepseek-ai/cordis' {
  interface Context {
    host: Host
    backend: Backend
    llm: LlmRuntime
    loop: Loop
    permissions: Permissions
    sessions: SessionStore
    tools: ToolRegistry
  }
  interface Events {
    /** Every model call: wrap the rest of the chain with `next()`, or answer instead of it. */
    'llm/stream'(call: LlmCall, next: () => AsyncIterable<StreamChunk>): AsyncIterable<StreamChunk>
  }
}
