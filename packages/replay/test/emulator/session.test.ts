import { describe, expect, it } from 'vitest'
import { assembleMessage, wireNames, wires } from '@runproof/llm'
import type { LlmMessage, StreamChunk, WireName } from '@runproof/llm'
import type { EmulatorRecording } from '@runproof/replay/emulator'
import { decodeSse } from '@runproof/sse'
import { wholeBody } from '../../src/emulator/whole.ts'
import {
  fixtureFile,
  fixtureScript,
  messagesOf,
  realScenarios,
  recordingsNote,
  user,
} from '../scenarios.ts'
import { emulate, send } from './client.ts'
import type { Received, Sent } from './client.ts'

const tools = [{ name: 'bash', description: 'Runs a command.', parameters: { type: 'object' } }]

/** The request an agent with that wire would make of these messages. */
function requestOf(
  wire: WireName,
  messages: readonly LlmMessage[],
  system = 'Be brief.',
): { path: string; body: Record<string, unknown> } {
  const { path, body } = wires[wire].buildRequest({ model: 'm', system, messages, tools })
  return { path, body }
}

function decode(wire: WireName, { text }: Received): StreamChunk[] {
  const decoder = wires[wire].createDecoder()
  const { events } = decodeSse([Buffer.from(text)])
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
}

const session = (name: string, wire: WireName): EmulatorRecording => {
  return { session: fixtureFile(`${name}/session.jsonl`), wire }
}

/** Content as any wire gives it back: Gemini's arguments have a spelling of their own. */
const spell = (content: ReturnType<typeof assembleMessage>['content']): unknown =>
  content.map((block) =>
    block.type === 'tool-call' ? { ...block, arguments: JSON.parse(block.arguments) } : block,
  )

describe('a session log as a provider', () => {
  it.each(wireNames)(
    '%s: an agent it never saw gets its calls, each where it stood',
    async (wire) => {
      const script = fixtureScript('kitchen')
      const { url, misses, unused } = await emulate({ recordings: [session('kitchen', wire)] })
      for (const [call, { chunks }] of script.recorded.entries()) {
        const messages = messagesOf(script, call).map((message) =>
          message.role === 'user'
            ? {
                ...message,
                content: [
                  { type: 'text' as const, text: '<context>in a cellar</context>' },
                  ...message.content,
                ],
              }
            : message,
        )
        const received = await send(url, requestOf(wire, messages))
        expect(received.headers['content-type']).toBe('text/event-stream')
        const { content, finish } = assembleMessage(decode(wire, received))
        const expected = assembleMessage(chunks)
        expect([spell(content), finish]).toEqual([spell(expected.content), expected.finish])
      }
      expect([misses, unused()]).toEqual([[], []])
    },
  )

  it.each(wireNames)('%s: a request that asks for no stream gets one body', async (wire) => {
    const script = fixtureScript('kitchen')
    const { url } = await emulate({ recordings: [session('kitchen', wire)] })
    for (const [call, { chunks }] of script.recorded.entries()) {
      const { path, body } = requestOf(wire, messagesOf(script, call))
      const received = await send(url, {
        path: path.replace(':streamGenerateContent?alt=sse', ':generateContent'),
        body: { ...body, stream: false },
      })
      expect(received.headers['content-type']).toBe('application/json')
      const said = JSON.stringify(JSON.parse(received.text))
      for (const block of assembleMessage(chunks).content) {
        expect(said).toContain(block.type === 'tool-call' ? block.id : block.text)
      }
    }
  })

  it('serves a call once, and a request it has none for is told where the next one stands', async () => {
    const { url, misses, unused } = await emulate({ recordings: [session('kitchen', 'anthropic')] })
    const first = requestOf('anthropic', [user('List the pantry.')])
    expect((await send(url, first)).status).toBe(200)
    expect((await send(url, first)).status).toBe(400)
    expect((await send(url, requestOf('anthropic', [user('List the cellar.')]))).status).toBe(400)
    expect(misses.map(({ code }) => code)).toEqual(['request-mismatch', 'request-mismatch'])
    expect(misses[1]?.message).toContain('"List the pantry." after 1 answers of the model')
    expect(unused()).toMatchObject([{ exchange: 2 }, { exchange: 3 }])
  })

  it('finds the words of a prompt, not parts of longer ones', async () => {
    const { url, misses } = await emulate({ recordings: [session('kitchen', 'anthropic')] })
    const shopping = requestOf('anthropic', [user('Restock it: XList the pantry.')])
    expect((await send(url, shopping)).status).toBe(400)
    expect(misses).toHaveLength(1)
    const inside = requestOf('anthropic', [user('<context/>List the pantry.<date/>')])
    expect((await send(url, inside)).status).toBe(200)
  })

  it('may begin again', async () => {
    const { url, misses } = await emulate({
      recordings: [session('children', 'deepseek')],
      repeat: true,
    })
    const script = fixtureScript('children')
    for (let round = 0; round < 2; round++) {
      for (const call of script.recorded.keys()) {
        const messages = messagesOf(script, call)
        expect((await send(url, requestOf('deepseek', messages))).status).toBe(200)
      }
    }
    expect(misses).toEqual([])
  })

  it('when all is said, says so', async () => {
    const { url, misses } = await emulate({ recordings: [session('throw-first', 'openai-chat')] })
    for (let i = 0; i < 9; i++) await send(url, requestOf('openai-chat', [user('anything')]))
    expect(misses.at(-1)).toMatchObject({ code: 'exhausted' })
  })

  it.each(wireNames)('%s: an override that throws is an error of the provider', async (wire) => {
    const { url } = await emulate({ recordings: [session('throw-first', wire)] })
    const { status, headers, text } = await send(url, requestOf(wire, [user('Is the oven on?')]))
    const failure = wires[wire].parseError(
      status,
      { 'retry-after': headers['retry-after'] ?? '' },
      text,
    )
    expect(failure).toMatchObject({ code: 'RATE_LIMIT', status: 429, message: 'too many bakers' })
  })

  it('an override that hangs is silence', async () => {
    const told = Promise.withResolvers<void>()
    const { url } = await emulate({
      recordings: [session('hang', 'gemini')],
      onRequest: () => told.resolve(),
    })
    const stop = new AbortController()
    const [message] = messagesOf(fixtureScript('hang'), 0)
    const sent = requestOf('gemini', message === undefined ? [] : [message])
    const pending = expect(send(url, { ...sent, signal: stop.signal })).rejects.toThrow('aborted')
    await told.promise
    stop.abort()
    await pending
  })
})

/** A log of one call with these entries in place of its script. */
function overridden(entries: unknown[], wire: WireName): EmulatorRecording {
  const log = [
    { type: 'session', version: 0, id: 's', createdAt: 1, cwd: '/rec' },
    { type: 'turn/start', seq: 0, time: 1, data: { turn: 1 } },
  ]
  const text = log.map((line) => `${JSON.stringify(line)}\n`).join('')
  const override = { file: 'replay.override.json', text: JSON.stringify(entries) }
  return { session: { file: '/nowhere/session.jsonl', text }, override, wire }
}

const anything = (wire: WireName): Sent => requestOf(wire, [user('anything')])

describe('scripted entries', () => {
  const said: StreamChunk[] = [
    { type: 'block-start', index: 0, blockType: 'text' },
    { type: 'text-delta', index: 0, text: 'half a ' },
  ]

  it.each(wireNames)('%s: a failure in mid-stream comes after what was said', async (wire) => {
    const entry = { kind: 'throw', chunks: said, message: 'no power', code: 'SERVER' }
    const { url } = await emulate({ recordings: [overridden([entry], wire)] })
    const { content, finish } = assembleMessage(decode(wire, await send(url, anything(wire))))
    expect(content).toEqual([{ type: 'text', text: 'half a ' }])
    expect(finish).toMatchObject({ kind: 'error', message: 'no power' })
  })

  it.each(['TRANSPORT', 'TIMEOUT'])('%s is a connection that breaks off', async (code) => {
    const entries = [
      { kind: 'throw', chunks: said, message: 'gone', code },
      { kind: 'throw', chunks: [], message: 'gone', code },
    ]
    const { url } = await emulate({ recordings: [overridden(entries, 'anthropic')] })
    const received = await send(url, anything('anthropic'))
    expect(received.end).toBe('ECONNRESET')
    expect(received.text).toContain('half a ')
    await expect(send(url, anything('anthropic'))).rejects.toThrow('socket hang up')
  })

  it.each(wireNames)('%s: a hang is silence after what was said', async (wire) => {
    const { url } = await emulate({
      recordings: [overridden([{ kind: 'hang', chunks: said }], wire)],
    })
    const stop = new AbortController()
    const received = await send(url, {
      ...anything(wire),
      signal: stop.signal,
      onChunk: (_chunk, all) => {
        if (all.join('').includes('half a ')) stop.abort()
      },
    })
    expect(received.end).toBe('ECONNRESET')
    expect(assembleMessage(decode(wire, received)).content).toEqual([
      { type: 'text', text: 'half a ' },
    ])
  })

  it('an answer that only failed is an HTTP error', async () => {
    const entry = {
      kind: 'chunks',
      chunks: [
        { type: 'finish', reason: { kind: 'error', message: 'busy', code: 'SERVER', status: 503 } },
      ],
    }
    const { url } = await emulate({ recordings: [overridden([entry], 'anthropic')] })
    expect(await send(url, anything('anthropic'))).toMatchObject({ status: 503 })
  })

  it('an error no provider has a response for is a 500', async () => {
    const entry = { kind: 'throw', chunks: [], message: 'odd', code: 'MALFORMED_RESPONSE' }
    const { url } = await emulate({ recordings: [overridden([entry], 'gemini')] })
    expect(await send(url, anything('gemini'))).toMatchObject({
      status: 500,
      text: expect.stringContaining('odd'),
    })
  })

  it('a state that only another provider reads is left out', async () => {
    const chunks = [
      ...said,
      { type: 'block-end', index: 0, block: { type: 'text', text: 'half a ' } },
      { type: 'finish', reason: { kind: 'stop' }, replayState: { wire: 'anthropic', items: [] } },
    ]
    const { url } = await emulate({
      recordings: [overridden([{ kind: 'chunks', chunks }], 'gemini')],
    })
    expect((await send(url, anything('gemini'))).text).toContain('half a ')
  })

  it('what a wire cannot say is refused before the first request', async () => {
    const entry = { kind: 'chunks', chunks: [{ type: 'finish', reason: { kind: 'refusal' } }] }
    await expect(emulate({ recordings: [overridden([entry], 'gemini')] })).rejects.toMatchObject({
      code: 'bad-log',
      call: 0,
    })
  })

  it('arguments that are no JSON go to Gemini as the wire can take them, or not at all', async () => {
    const chunks = [
      { type: 'block-start', index: 0, blockType: 'tool-call' },
      { type: 'tool-call-delta', index: 0, id: 'c', name: 'bash', argumentsDelta: '{"a"' },
      {
        type: 'block-end',
        index: 0,
        block: { type: 'tool-call', id: 'c', name: 'bash', arguments: '{"a"' },
      },
      { type: 'finish', reason: { kind: 'tool-calls' } },
    ]
    await expect(
      emulate({ recordings: [overridden([{ kind: 'chunks', chunks }], 'gemini')] }),
    ).rejects.toMatchObject({ code: 'bad-log' })
  })
})

describe(`real session logs${recordingsNote}`, () => {
  const aligned = realScenarios.filter(
    ({ script }) => script.isAligned && script.recorded.length > 0,
  )

  it.each(aligned)('$name can be served as every wire', async ({ script }) => {
    for (const wire of wireNames) {
      const recordings = [{ session: script.file, wire }]
      const { url, misses, unused, close } = await emulate({ recordings })
      for (const [call, entry] of script.entries.entries()) {
        if (entry.kind !== 'chunks') continue
        const { content } = assembleMessage(
          decode(wire, await send(url, requestOf(wire, messagesOf(script, call)))),
        )
        expect(spell(content)).toEqual(spell(assembleMessage(entry.chunks).content))
      }
      expect(misses).toEqual([])
      expect(unused().length).toBe(script.entries.filter(({ kind }) => kind !== 'chunks').length)
      await close()
    }
  })
})

describe('one body of many events', () => {
  it('holds what a stream of calls and texts said', () => {
    const chunks: StreamChunk[] = [
      { type: 'block-start', index: 0, blockType: 'reasoning' },
      { type: 'reasoning-delta', index: 0, text: 'Hm' },
      { type: 'reasoning-delta', index: 0, text: 'm.' },
      { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'Hmm.' } },
      { type: 'block-start', index: 1, blockType: 'tool-call' },
      { type: 'tool-call-delta', index: 1, id: 'c1', name: 'read', argumentsDelta: '{"a"' },
      { type: 'tool-call-delta', index: 1, id: 'c1', argumentsDelta: ':1}' },
      {
        type: 'block-end',
        index: 1,
        block: { type: 'tool-call', id: 'c1', name: 'read', arguments: '{"a":1}' },
      },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
      { type: 'finish', reason: { kind: 'tool-calls' } },
    ]
    expect(wholeBody('chat', wires.deepseek.encode(chunks))).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            reasoning_content: 'Hmm.',
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"a":1}' } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3 },
    })
    expect(wholeBody('anthropic', wires.anthropic.encode(chunks))).toMatchObject({
      type: 'message',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hmm.' },
        { type: 'tool_use', id: 'c1', name: 'read', input: { a: 1 } },
      ],
      usage: { input_tokens: 3, output_tokens: 2 },
    })
    expect(wholeBody('gemini', wires.gemini.encode(chunks))).toMatchObject({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'Hmm.', thought: true },
              { functionCall: { name: 'read', args: { a: 1 } } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    })
    expect(wholeBody('responses', wires['openai-responses'].encode(chunks))).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning' },
        { type: 'function_call', call_id: 'c1', arguments: '{"a":1}' },
      ],
    })
  })
})
