/** What a request demands, in the shapes in which real agents were seen to say it. */
import { describeDemand } from '@runproof/replay'
import { describe, expect, it } from 'vitest'

const schema = { type: 'object', properties: { title: { type: 'string' } } }
const tool = { type: 'function', name: 'read', parameters: {} }

describe('tools', () => {
  it.each([
    ['openai-chat', { tools: [{ type: 'function', function: { name: 'read' } }] }, true],
    ['openai-chat', { tools: [] }, false],
    ['openai-chat', { messages: [] }, false],
    ['openai-responses', { tools: [tool] }, true],
    // A tool of the provider's own has no name.
    ['openai-responses', { tools: [{ type: 'web_search' }] }, true],
    ['openai-responses', { input: [{ type: 'additional_tools', tools: [tool] }] }, true],
    [
      'openai-responses',
      { input: [{ type: 'additional_tools', tools: [{ type: 'namespace', tools: [tool] }] }] },
      true,
    ],
    [
      'openai-responses',
      { input: [{ type: 'additional_tools', tools: [{ type: 'namespace', tools: [] }] }] },
      false,
    ],
    ['openai-responses', { input: [{ type: 'message', tools: [tool] }] }, false],
    ['openai-responses', { input: 'Which colour?' }, false],
    ['anthropic', { tools: [{ name: 'read', input_schema: {} }] }, true],
    ['gemini', { tools: [{ functionDeclarations: [{ name: 'read' }] }] }, true],
    ['gemini', { tools: [{ functionDeclarations: [] }] }, false],
    ['gemini', null, false],
  ] as const)('%s %j: %s', (wire, body, tools) => {
    expect(describeDemand(wire, body)).toEqual({ tools, schema: false })
  })
})

describe('a schema for the answer', () => {
  it.each([
    ['openai-chat', { response_format: { type: 'json_schema', json_schema: { schema } } }, true],
    ['openai-chat', { response_format: { type: 'json_object' } }, true],
    ['openai-chat', { response_format: { type: 'text' } }, false],
    ['openai-responses', { text: { format: { type: 'json_schema', schema } } }, true],
    ['openai-responses', { text: { verbosity: 'low' } }, false],
    ['anthropic', { output_config: { format: { type: 'json_schema', schema } } }, true],
    ['anthropic', { output_config: { effort: 'low' } }, false],
    ['gemini', { generationConfig: { responseJsonSchema: schema } }, true],
    ['gemini', { generationConfig: { temperature: 0 } }, false],
  ] as const)('%s %j: %s', (wire, body, expected) => {
    expect(describeDemand(wire, body)).toEqual({ tools: false, schema: expected })
  })
})
