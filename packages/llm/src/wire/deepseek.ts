/**
 * DeepSeek: chat completions with `reasoning_content`, which goes back with the
 * history (an answer that called tools is refused without it).
 *
 * https://api-docs.deepseek.com/api/create-chat-completion
 */
import { deepSeekErrors } from '../chat-completions/error.ts'
import { createChatWire } from '../chat-completions/wire.ts'
import type { Wire } from '../wire.ts'

export const deepseek: Wire = createChatWire(
  'https://api.deepseek.com',
  {
    name: 'deepseek',
    path: '/chat/completions',
    maxTokensField: 'max_tokens',
    takesImages: false,
    takesReasoning: true,
    reasoning: (effort) =>
      effort === 'none'
        ? { thinking: { type: 'disabled' } }
        : { thinking: { type: 'enabled' }, reasoning_effort: effort },
  },
  deepSeekErrors,
)
