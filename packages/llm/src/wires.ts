/**
 * All wires by name. A start-up that knows its provider imports the one module
 * `@runproof/llm/wire/<name>` instead.
 */
import { anthropic } from './wire/anthropic.ts'
import { deepseek } from './wire/deepseek.ts'
import { gemini } from './wire/gemini.ts'
import { openAiChat } from './wire/openai-chat.ts'
import { openAiResponses } from './wire/openai-responses.ts'
import type { Wire, WireName } from './wire.ts'

export const wires: Readonly<Record<WireName, Wire>> = {
  deepseek,
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  anthropic,
  gemini,
}
