import { describe, expect, it } from 'vitest'
import type { WireName } from '@runproof/llm'
import { requestKey } from '@runproof/replay'

function canonical(wire: WireName, body: unknown, path = '/elsewhere'): unknown {
  return requestKey(wire, { method: 'POST', path, body }).canonical.body
}

describe('what a wire leaves out', () => {
  it.each<[string, WireName, unknown, unknown]>([
    [
      'chat: who asked, and caching',
      'openai-chat',
      { user: 'u', metadata: {}, safety_identifier: 's', prompt_cache_retention: '1h', seed: 1 },
      { seed: 1 },
    ],
    [
      'chat: ids of messages, not of parts',
      'deepseek',
      { messages: [{ role: 'user', id: 'm', messageId: 'n', content: [{ id: 'p' }] }] },
      { messages: [{ role: 'user', content: [{ id: 'p' }] }] },
    ],
    [
      'responses: ids of items, not of references',
      'openai-responses',
      {
        input: [
          { type: 'reasoning', id: 'rs_1' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
      { input: [{ type: 'reasoning' }, { type: 'item_reference', id: 'msg_1' }] },
    ],
    [
      'anthropic: the billing line of Claude Code',
      'anthropic',
      {
        system: [{ type: 'text', text: 'x-anthropic-billing-header: cch=1' }, { text: 'Be kind.' }],
      },
      { system: [{ text: 'Be kind.' }] },
    ],
    [
      'anthropic: no block that says more than that',
      'anthropic',
      { system: [{ text: 'x-anthropic-billing-header: cch=1\nBe kind.' }] },
      { system: [{ text: 'x-anthropic-billing-header: cch=1\nBe kind.' }] },
    ],
    ['gemini: labels', 'gemini', { labels: { run: '1' }, contents: [] }, { contents: [] }],
    ['a text that is no JSON is masked', 'gemini', 'at 2026-11-30T18:55Z', 'at {{time}}'],
    ['no body is none', 'gemini', null, null],
  ])('%s', (_name, wire, body, expected) => {
    expect(canonical(wire, body)).toEqual(expected)
  })

  it('the rules are those of the endpoint, not of the recording', () => {
    const body = { messages: [{ role: 'user', id: 'm' }] }
    expect(canonical('gemini', body, '/v1/messages')).toEqual({ messages: [{ role: 'user' }] })
  })
})

const tool = (id: string): unknown => ({ type: 'tool_use', id, name: 'read', input: {} })
const result = (id: string): unknown => ({ type: 'tool_result', tool_use_id: id, content: id })

describe('calls', () => {
  it('are numbered as they are first seen', () => {
    const body = {
      messages: [
        { role: 'assistant', content: [tool('b'), tool('a')] },
        { role: 'user', content: [result('a'), result('b')] },
      ],
    }
    expect(JSON.stringify(canonical('anthropic', body))).toBe(
      JSON.stringify({
        messages: [
          {
            content: [
              { id: '{{call:1}}', input: {}, name: 'read', type: 'tool_use' },
              { id: '{{call:2}}', input: {}, name: 'read', type: 'tool_use' },
            ],
            role: 'assistant',
          },
          {
            content: [
              { content: 'a', tool_use_id: '{{call:2}}', type: 'tool_result' },
              { content: 'b', tool_use_id: '{{call:1}}', type: 'tool_result' },
            ],
            role: 'user',
          },
        ],
      }),
    )
  })
})

describe('endpoints', () => {
  it.each([
    ['/v1/chat/completions', 'chat/completions'],
    ['/chat/completions?x=1', 'chat/completions'],
    ['/openai/deployments/d/chat/completions?api-version=1', 'deployments/d/chat/completions'],
    ['/v1/threads/t/messages', '/v1/threads/t/messages'],
    ['/v1beta/models/m:streamGenerateContent', 'models/m:streamGenerateContent?alt=json'],
    ['/v1beta/models/m:streamGenerateContent?key=k&alt=sse', 'models/m:streamGenerateContent'],
    ['/v1beta/models/m:embedContent?key=secret', '/v1beta/models/m:embedContent?key='],
    ['/api/v1/responses', 'responses'],
    ['/v1/messages?beta=true', 'messages'],
    ['/v1/messages/count_tokens', 'messages/count_tokens'],
    ['/v1beta/models/m-1.5:streamGenerateContent?alt=sse', 'models/m-1.5:streamGenerateContent'],
    [
      '/v1/projects/p/locations/l/publishers/google/models/m:generateContent',
      'models/m:generateContent',
    ],
    ['/v1beta/models/m:countTokens?key={{secret:1}}', 'models/m:countTokens'],
    ['/v1/embeddings?x=1', '/v1/embeddings?x=1'],
    ['/v1/submessages', '/v1/submessages'],
  ])('%s is %s', (path, endpoint) => {
    const request = { method: 'POST', path, body: null }
    expect(requestKey('openai-chat', request).canonical.endpoint).toBe(endpoint)
  })

  it('only what is posted has one', () => {
    const { canonical: asked } = requestKey('gemini', {
      method: 'GET',
      path: '/v1/messages',
      body: null,
    })
    expect(asked).toEqual({ method: 'GET', endpoint: '/v1/messages', body: null })
  })
})
