/**
 * Chat completions: repeated, missing, unknown and contradictory deltas.
 */
import { wires } from '@runproof/llm'
import { expect, it } from 'vitest'
import { decode, done, payload } from './support/responses.ts'
import {
  closed,
  empty,
  malformed,
  stop,
  text,
  testOddStreams,
  type OddStream,
} from './support/odd-stream.ts'

const chat = (delta: object, finish_reason: string | null = null, fields: object = {}): object => ({
  id: 'x1',
  choices: [{ index: 0, delta, finish_reason }],
  ...fields,
})
const callDelta = (call: object): object => chat({ tool_calls: [call] })

const rows: OddStream[] = [
  {
    title: 'an empty first delta opens nothing, and a stop that said nothing is an error',
    payloads: [chat({ role: 'assistant', content: '', reasoning_content: '' }), chat({}, 'stop')],
    finish: empty,
  },
  {
    title: 'a tool call in a response that says stop',
    payloads: [
      callDelta({ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }),
      chat({}, 'stop'),
    ],
    finish: { kind: 'tool-calls' },
    content: [{ id: 'c', name: 'f', arguments: '{}' }],
  },
  {
    title: 'tool_calls without a call',
    payloads: [chat({ content: 'hm' }), chat({}, 'tool_calls')],
    finish: malformed,
  },
  {
    title: 'a call that never got a name',
    payloads: [callDelta({ index: 0, function: { arguments: '{}' } }), chat({}, 'tool_calls')],
    finish: malformed,
  },
  {
    title: 'calls without index and id, told apart by place and by id',
    payloads: [
      callDelta({ function: { name: 'f', arguments: '{"a"' } }),
      callDelta({ function: { arguments: ':1}' } }),
      callDelta({ id: 'own', function: { name: 'g', arguments: '{}' } }),
      chat({}, 'tool_calls'),
    ],
    finish: { kind: 'tool-calls' },
    content: [
      { id: 'call_x1_0', name: 'f', arguments: '{"a":1}' },
      { id: 'own', name: 'g', arguments: '{}' },
    ],
  },
  {
    title: 'reasoning in the other spelling',
    payloads: [chat({ reasoning: 'hm' }), chat({ content: 'so' }), chat({}, 'stop')],
    finish: stop,
    content: [{ type: 'reasoning', text: 'hm' }, text('so')],
  },
  {
    title: 'a finish reason nobody knows',
    payloads: [chat({ content: 'hm' }), chat({}, 'insufficient_system_resource')],
    finish: { kind: 'error', code: 'INSUFFICIENT_SYSTEM_RESOURCE' },
  },
  {
    title: 'a finish reason that is the name of an object method',
    payloads: [chat({ content: 'hm' }), chat({}, 'constructor')],
    finish: { kind: 'error', code: 'CONSTRUCTOR' },
  },
  {
    title: 'another choice',
    payloads: [
      { id: 'x1', choices: [{ index: 1, delta: { content: 'other' } }] },
      chat({ content: 'own' }),
      chat({}, 'stop'),
    ],
    finish: stop,
    content: [text('own')],
  },
  {
    title: 'an error with a status in its code',
    payloads: [chat({ content: 'hm' }), { error: { code: 502, message: 'Upstream died' } }],
    finish: { kind: 'error', code: 'SERVER', status: 502, message: 'Upstream died' },
    content: [text('hm')],
  },
  {
    title: 'an error nobody knows',
    payloads: [{ error: { type: 'moon_phase', message: 'no' } }],
    finish: { kind: 'error', code: 'MOON_PHASE' },
  },
  {
    title: 'an error that says nothing',
    payloads: [{ error: {} }],
    finish: { kind: 'error', code: 'UNKNOWN', message: '' },
  },
]

testOddStreams('openai-chat', rows)
testOddStreams('deepseek', rows)

it('trusts no finish reason that comes after a premature [DONE]', () => {
  const late = [done, payload(chat({ content: 'Hi' })), payload(chat({}, 'stop')), done]
  expect(decode(wires.deepseek, late)).toMatchObject([{ type: 'finish', reason: closed }])
})
