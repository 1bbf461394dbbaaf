/**
 * OpenAI chat completions, and the many servers that speak it. Reasoning is
 * read (`reasoning_content` or `reasoning`) but not sent back: OpenAI refuses
 * fields it does not know.
 *
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
import { openAiErrors } from '../chat-completions/error.ts'
import { createChatWire } from '../chat-completions/wire.ts'
import type { Wire } from '../wire.ts'

export const openAiChat: Wire = createChatWire(
  'https://api.openai.com',
  {
    name: 'openai-chat',
    path: '/v1/chat/completions',
    maxTokensField: 'max_completion_tokens',
    takesImages: true,
    takesReasoning: false,
    reasoning: (effort) => ({ reasoning_effort: effort }),
  },
  openAiErrors,
)
