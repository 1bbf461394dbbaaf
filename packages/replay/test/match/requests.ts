/** One conversation with a tool round as a request of each wire. */
import type { WireName } from '@runproof/llm'

/** What is said in it. Each text may hold whatever a test needs. */
export type Said = {
  system: string
  prompt: string
  /** What the model wrote before its call. */
  thought: string
  /** Arguments of the call. */
  args: Record<string, unknown>
  callId: string
  result: string
  /** Schema of the tool's parameters. */
  schema: Record<string, unknown>
  /** What a client adds and no model reads. */
  meta: string
}

export const said: Said = {
  system: 'You keep a garden. Be brief.',
  prompt: 'When were the carrots sown?',
  thought: 'The notes will tell.',
  args: { path: 'notes/carrots.txt', id: 'bed-1', user: 'anna', metadata: { id: 'x' } },
  callId: 'call_1',
  result: 'sown in April by anna',
  schema: {
    type: 'object',
    properties: { path: { type: 'string' }, id: { type: 'string' }, user: { type: 'string' } },
    required: ['path'],
  },
  meta: 'session-1',
}

export type Request = { method: string; path: string; body: unknown }

const name = 'read_note'
const description = 'Reads a note.'

const chat = (what: Said): unknown => ({
  model: 'm',
  stream: true,
  temperature: 0,
  user: what.meta,
  metadata: { session: what.meta },
  prompt_cache_key: what.meta,
  messages: [
    { role: 'system', content: what.system },
    { role: 'user', content: what.prompt, id: what.meta },
    {
      role: 'assistant',
      id: what.meta,
      content: what.thought,
      tool_calls: [
        {
          id: what.callId,
          type: 'function',
          function: { name, arguments: JSON.stringify(what.args) },
        },
      ],
    },
    { role: 'tool', tool_call_id: what.callId, content: what.result },
  ],
  tools: [{ type: 'function', function: { name, description, parameters: what.schema } }],
})

const bodies: Record<WireName, (what: Said) => Request> = {
  deepseek: (what) => ({ method: 'POST', path: '/chat/completions', body: chat(what) }),
  'openai-chat': (what) => ({ method: 'POST', path: '/v1/chat/completions', body: chat(what) }),
  'openai-responses': (what) => ({
    method: 'POST',
    path: '/v1/responses',
    body: {
      model: 'm',
      stream: true,
      instructions: what.system,
      prompt_cache_key: what.meta,
      client_metadata: { turn: what.meta },
      input: [
        {
          type: 'message',
          role: 'user',
          id: what.meta,
          content: [{ type: 'input_text', text: what.prompt }],
        },
        {
          type: 'message',
          role: 'assistant',
          id: what.meta,
          content: [{ type: 'output_text', text: what.thought }],
        },
        {
          type: 'function_call',
          id: what.meta,
          call_id: what.callId,
          name,
          arguments: JSON.stringify(what.args),
        },
        { type: 'function_call_output', call_id: what.callId, output: what.result },
      ],
      tools: [{ type: 'function', name, description, parameters: what.schema }],
    },
  }),
  anthropic: (what) => ({
    method: 'POST',
    path: '/v1/messages?beta=true',
    body: {
      model: 'm',
      max_tokens: 100,
      stream: true,
      metadata: { user_id: what.meta },
      system: [
        { type: 'text', text: `x-anthropic-billing-header: cc_version=${what.meta}` },
        { type: 'text', text: what.system },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: what.prompt }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: what.thought },
            { type: 'tool_use', id: what.callId, name, input: what.args },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: what.callId,
              content: [{ type: 'text', text: what.result }],
            },
          ],
        },
      ],
      tools: [{ name, description, input_schema: what.schema }],
    },
  }),
  gemini: (what) => ({
    method: 'POST',
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      labels: { session: what.meta },
      systemInstruction: { parts: [{ text: what.system }] },
      contents: [
        { role: 'user', parts: [{ text: what.prompt }] },
        {
          role: 'model',
          parts: [
            { text: what.thought },
            { functionCall: { id: what.callId, name, args: what.args } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: what.callId, name, response: { output: what.result } } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: what.schema }] }],
    },
  }),
}

export function requestOf(wire: WireName, what: Said): Request {
  return bodies[wire](what)
}
