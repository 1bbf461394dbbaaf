/**
 * Request bodies: one conversation on every wire, and what goes back of a
 * response that carried state of its provider's.
 */
import {
  assembleMessage,
  wireNames,
  wires,
  type AssistantMessage,
  type LlmMessage,
  type LlmRequest,
  type SseEvent,
  type WireName,
} from '@runproof/llm'
import { describe, expect, it } from 'vitest'
import { decode, fixture, hasShared, shared, sharedNote } from './support/responses.ts'

const conversation: LlmMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'What is in a.txt and b.txt?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Two files.' },
      { type: 'text', text: 'Reading.' },
      { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"path":"a.txt"}' },
      { type: 'tool-call', id: 'c2', name: 'read', arguments: 'not json' },
    ],
  },
  { role: 'tool', callId: 'c1', content: [{ type: 'text', text: 'alpha' }] },
  { role: 'tool', callId: 'c2', content: [{ type: 'text', text: 'no such file' }], isError: true },
  { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
]

const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const request: LlmRequest = {
  model: 'some-model',
  system: 'Be brief.',
  messages: conversation,
  tools: [{ name: 'read', description: 'Reads a file.', parameters }],
  maxTokens: 100,
  temperature: 0.5,
  reasoningEffort: 'high',
}

const chatCalls = [
  { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } },
  { id: 'c2', type: 'function', function: { name: 'read', arguments: 'not json' } },
]
const chatMessages = (assistant: object): object[] => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is in a.txt and b.txt?' },
  { role: 'assistant', content: 'Reading.', ...assistant, tool_calls: chatCalls },
  { role: 'tool', tool_call_id: 'c1', content: 'alpha' },
  { role: 'tool', tool_call_id: 'c2', content: 'no such file' },
  { role: 'user', content: 'Thanks.' },
]
const chatTools = [
  { type: 'function', function: { name: 'read', description: 'Reads a file.', parameters } },
]

const expected: Record<WireName, { path: string; body: object }> = {
  deepseek: {
    path: '/chat/completions',
    body: {
      model: 'some-model',
      messages: chatMessages({ reasoning_content: 'Two files.' }),
      tools: chatTools,
      max_tokens: 100,
      temperature: 0.5,
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  'openai-chat': {
    path: '/v1/chat/completions',
    body: {
      model: 'some-model',
      messages: chatMessages({}),
      tools: chatTools,
      max_completion_tokens: 100,
      temperature: 0.5,
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  'openai-responses': {
    path: '/v1/responses',
    body: {
      model: 'some-model',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'What is in a.txt and b.txt?' }] },
        { role: 'assistant', content: 'Reading.' },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a.txt"}' },
        { type: 'function_call', call_id: 'c2', name: 'read', arguments: 'not json' },
        { type: 'function_call_output', call_id: 'c1', output: 'alpha' },
        { type: 'function_call_output', call_id: 'c2', output: 'no such file' },
        { role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
      ],
      tools: [
        { type: 'function', name: 'read', description: 'Reads a file.', parameters, strict: false },
      ],
      max_output_tokens: 100,
      temperature: 0.5,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    },
  },
  anthropic: {
    path: '/v1/messages',
    body: {
      model: 'some-model',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is in a.txt and b.txt?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Reading.' },
            { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.txt' } },
            { type: 'tool_use', id: 'c2', name: 'read', input: { invalid_arguments: 'not json' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'alpha' }] },
            {
              type: 'tool_result',
              tool_use_id: 'c2',
              content: [{ type: 'text', text: 'no such file' }],
              is_error: true,
            },
            { type: 'text', text: 'Thanks.' },
          ],
        },
      ],
      tools: [{ name: 'read', description: 'Reads a file.', input_schema: parameters }],
      temperature: 0.5,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
      stream: true,
    },
  },
  gemini: {
    path: '/v1beta/models/some-model:streamGenerateContent?alt=sse',
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'What is in a.txt and b.txt?' }] },
        {
          role: 'model',
          parts: [
            { text: 'Reading.' },
            { functionCall: { id: 'c1', name: 'read', args: { path: 'a.txt' } } },
            { functionCall: { id: 'c2', name: 'read', args: { invalid_arguments: 'not json' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'read', response: { output: 'alpha' } } },
            { functionResponse: { id: 'c2', name: 'read', response: { error: 'no such file' } } },
            { text: 'Thanks.' },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'read', description: 'Reads a file.', parametersJsonSchema: parameters },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0.5,
        thinkingConfig: { thinkingLevel: 'high', includeThoughts: true },
      },
    },
  },
}

describe.each(wireNames)('buildRequest of %s', (name) => {
  const wire = wires[name]

  it('carries the conversation and every setting', () => {
    const { method, path, headers, body } = wire.buildRequest(request)
    expect({ path, body }).toEqual(expected[name])
    expect(method).toBe('POST')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'text/event-stream',
    })
  })

  it('sends nothing that was not asked for', () => {
    const { body } = wire.buildRequest({ model: 'm', messages: conversation.slice(0, 1) })
    for (const field of ['temperature', 'tools', 'system', 'instructions', 'systemInstruction']) {
      expect(body).not.toHaveProperty(field)
    }
    expect(JSON.stringify(body)).not.toMatch(/reason|think|include"/)
  })

  it('reads a frozen request, and lays the extra fields on top', () => {
    const deepFreeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze)
      return Object.freeze(value)
    }
    const { body } = wire.buildRequest(
      deepFreeze({ ...request, extra: { model: 'x', metadata: { a: 1 } } }),
    )
    expect(body).toMatchObject({ model: 'x', metadata: { a: 1 } })
  })

  it('sends pictures, or says that it cannot', () => {
    const picture: LlmMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', mediaType: 'image/png', data: 'aGk=' },
      ],
    }
    const build = () => JSON.stringify(wire.buildRequest({ model: 'm', messages: [picture] }).body)
    if (name === 'deepseek') expect(build).toThrow('deepseek cannot send an image')
    else expect(build()).toMatch(/aGk=/)
  })

  it('sends stop sequences, or says that it cannot', () => {
    const stopping = { model: 'm', messages: [], stop: ['END'] }
    if (name === 'openai-responses') {
      expect(() => wire.buildRequest(stopping)).toThrow('cannot send stop sequences')
    } else expect(JSON.stringify(wire.buildRequest(stopping).body)).toContain('["END"]')
  })

  it('turns reasoning off, or says that it cannot', () => {
    const plain: LlmRequest = { model: 'm', messages: [], reasoningEffort: 'none' }
    if (name === 'gemini') {
      expect(() => wire.buildRequest(plain)).toThrow('gemini has no reasoning effort none')
    } else expect(JSON.stringify(wire.buildRequest(plain).body)).toMatch(/"(disabled|none)"/)
  })
})

it('gives Anthropic the max_tokens it requires and a model its least effort', () => {
  const { body } = wires.anthropic.buildRequest({
    model: 'm',
    messages: [],
    reasoningEffort: 'minimal',
  })
  expect(body).toMatchObject({ max_tokens: 8192, output_config: { effort: 'low' } })
})

it('takes Gemini models of other collections', () => {
  expect(wires.gemini.buildRequest({ model: 'tunedModels/mine', messages: [] }).path).toBe(
    '/v1beta/tunedModels/mine:streamGenerateContent?alt=sse',
  )
})

it('refuses a Gemini tool result whose call it cannot name', () => {
  expect(() =>
    wires.gemini.buildRequest({ model: 'm', messages: conversation.slice(2, 3) }),
  ).toThrow('gemini cannot send the result of call c1')
})

/** The message a caller keeps of a response. */
function remember(wire: WireName, events: SseEvent[]): AssistantMessage {
  const { content, replayState } = assembleMessage(decode(wires[wire], events))
  // What a log does to it.
  return JSON.parse(JSON.stringify({ role: 'assistant', content, replayState }))
}

const sent = (wire: WireName, ...messages: LlmMessage[]): Record<string, unknown> =>
  wires[wire].buildRequest({ model: 'm', messages }).body

describe('provider state goes back', () => {
  it('Anthropic: thinking with its signature', () => {
    expect(
      sent('anthropic', remember('anthropic', fixture('anthropic', 'reasoning'))),
    ).toMatchObject({
      messages: [
        {
          role: 'assistant',
          content: [
            {
              type: 'thinking',
              thinking: 'Exit code 0 means success.',
              signature: 'c2lnbmVkLWJ5LW5vYm9keQ==',
            },
            { type: 'text', text: 'It passed.' },
          ],
        },
      ],
    })
  })

  it('Anthropic: a paused turn as it stood', () => {
    expect(sent('anthropic', remember('anthropic', fixture('anthropic', 'pause')))).toMatchObject({
      messages: [
        {
          content: [
            { type: 'server_tool_use', name: 'web_search', input: { query: 'build status' } },
          ],
        },
      ],
    })
  })

  it('OpenAI Responses: encrypted reasoning', () => {
    const name = 'openai-responses'
    expect(sent(name, remember(name, fixture(name, 'reasoning')))).toMatchObject({
      input: [
        {
          type: 'reasoning',
          id: 'rs_0',
          encrypted_content: 'ZW5jcnlwdGVkLWJ5LW5vYm9keQ',
          summary: [{ type: 'summary_text', text: 'Exit code 0 means success.' }],
        },
        {
          type: 'message',
          content: [{ type: 'output_text', text: 'It passed.', annotations: [] }],
        },
      ],
    })
  })

  it('Gemini: thought signatures, on the parts that had them', () => {
    expect(sent('gemini', remember('gemini', fixture('gemini', 'reasoning')))).toMatchObject({
      contents: [
        {
          role: 'model',
          parts: [{ text: 'It passed.' }, { thoughtSignature: expect.any(String) }],
        },
      ],
    })
    expect(
      sent('gemini', remember('gemini', fixture('gemini', 'parallel-tool-calls'))),
    ).toMatchObject({
      contents: [
        {
          parts: [
            { text: 'Looking.' },
            { functionCall: { id: 'call_a1' }, thoughtSignature: expect.any(String) },
            { functionCall: { id: 'call_b2' } },
          ],
        },
      ],
    })
  })

  it('not to another wire, and not with a message that was edited', () => {
    const message = remember('anthropic', fixture('anthropic', 'reasoning'))
    expect(JSON.stringify(sent('gemini', message))).not.toContain('signature')
    const edited = { ...message, content: message.content.slice(1) }
    expect(sent('anthropic', edited)).toMatchObject({
      messages: [{ content: [{ type: 'text', text: 'It passed.' }] }],
    })
    expect(
      sent('anthropic', { ...message, replayState: { wire: 'anthropic', items: [7] } }),
    ).toMatchObject({ messages: [{ content: [{ type: 'text', text: 'It passed.' }] }] })
  })

  it.skipIf(!hasShared)(`exactly as real providers gave it${sharedNote}`, () => {
    const [step = []] = shared('openai-responses', 'openai-reasoning-encrypted-content.1')
    const { response } = JSON.parse(step.at(-1)?.data ?? '')
    const done = step
      .filter(({ event }) => event === 'response.output_item.done')
      .map(({ data }) => JSON.parse(data).item)
    expect(response.output).toHaveLength(2)
    expect(sent('openai-responses', remember('openai-responses', step)).input).toEqual(done)

    const [custom = []] = shared('openai-responses', 'openai-custom-tool.1')
    const answer: LlmMessage = {
      role: 'tool',
      callId: 'call_custom_sql_001',
      content: [{ type: 'text', text: '3 rows' }],
    }
    expect(
      sent('openai-responses', remember('openai-responses', custom), answer).input,
    ).toMatchObject([
      { type: 'custom_tool_call', name: 'write_sql', input: 'SELECT * FROM users WHERE age > 25' },
      { type: 'custom_tool_call_output', call_id: 'call_custom_sql_001', output: '3 rows' },
    ])

    const [shell = []] = shared('openai-responses', 'openai-local-shell-tool.1')
    const shellMessage = remember('openai-responses', shell)
    expect(shellMessage.content).toMatchObject([
      {
        name: 'local_shell',
        arguments: '{"action":{"type":"exec","command":["ls","-a","~"],"env":{}}}',
      },
    ])
    expect(sent('openai-responses', shellMessage).input).toMatchObject([
      { type: 'local_shell_call', action: { command: ['ls', '-a', '~'] } },
    ])

    const [thinking = []] = shared('anthropic', 'anthropic-clear-thinking.1')
    expect(JSON.stringify(sent('anthropic', remember('anthropic', thinking)))).toContain(
      'EvQBCkYICxgCKkAxhD4NUKFzudtZ6NzbZdEiBACIScTzqjPViM596iWLZIk4',
    )
    const [program = []] = shared('anthropic', 'anthropic-programmatic-tool-calling.1')
    expect(sent('anthropic', remember('anthropic', program))).toMatchObject({
      container: 'container_011CWHPPTDTn1XufeRB9uHeH',
      messages: [
        {
          content: [
            { type: 'text' },
            {
              type: 'server_tool_use',
              name: 'code_execution',
              input: { code: expect.any(String) },
            },
            { type: 'tool_use', name: 'rollDie', caller: { type: 'code_execution_20250825' } },
          ],
        },
      ],
    })
  })
})

const callOf = (type: string, fields: object): LlmMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', id: 'c', name: 'n', arguments: JSON.stringify(fields) }],
  replayState: { wire: 'openai-responses', items: [{ raw: { type }, blocks: [0] }] },
})

describe('results of the calls that OpenAI has forms of its own for', () => {
  const result: LlmMessage = {
    role: 'tool',
    callId: 'c',
    content: [{ type: 'text', text: 'out' }],
    isError: true,
  }

  it.each([
    ['local_shell_call', { type: 'local_shell_call_output', id: 'c', output: 'out' }],
    [
      'shell_call',
      {
        type: 'shell_call_output',
        call_id: 'c',
        output: [{ stdout: 'out', stderr: '', outcome: { type: 'exit', exit_code: 1 } }],
      },
    ],
    [
      'apply_patch_call',
      { type: 'apply_patch_call_output', call_id: 'c', status: 'failed', output: 'out' },
    ],
  ])('%s', (type, output) => {
    const { input } = sent('openai-responses', callOf(type, { action: {} }), result)
    expect(input).toEqual([{ type, call_id: 'c', status: 'completed', action: {} }, output])
  })

  it('refuses a result that is no text', () => {
    expect(() => sent('openai-responses', callOf('computer_call', {}), result)).toThrow(
      'openai-responses cannot send the result of a computer_call',
    )
  })
})
