/**
 * What is the same in every wire's decoder.
 */
import { wireNames, wires, type SseEvent } from '@runproof/llm'
import { describe, expect, it } from 'vitest'
import { closed, malformed } from './support/odd-stream.ts'
import { decode, done } from './support/responses.ts'

const event = (data: string): SseEvent => ({ event: 'message', data, id: '' })

describe.each(wireNames)('%s', (name) => {
  const wire = wires[name]

  it.each(['{"half', 'null', '42', '"text"', '[]'])(
    'gives up at data that is no object: %s',
    (data) => {
      expect(decode(wire, [event(data)])).toMatchObject([{ type: 'finish', reason: malformed }])
    },
  )

  it('gives up at data nested deeper than the stack', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const call =
      name === 'gemini'
        ? `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":${deep}}}}]}}]}`
        : `{"type":"message_start","message":{"content":[{"type":"tool_use","input":${deep}}]}}`
    const [last] = decode(wire, [event(call)]).slice(-1)
    expect(last).toMatchObject({ type: 'finish', reason: { kind: 'error' } })
  })

  it('takes nothing from blank data and, before the end of an answer, from [DONE]', () => {
    expect(decode(wire, [event(''), event(' '), done])).toMatchObject([{ reason: closed }])
  })

  it('is deaf after its end', () => {
    const decoder = wire.createDecoder()
    expect(decoder.end()).toMatchObject([{ type: 'finish', reason: closed }])
    expect([decoder.push(event('{"half')), decoder.end()]).toEqual([[], []])
  })
})

it('gives up a response that never ends', () => {
  const decoder = wires.deepseek.createDecoder()
  const blank = event(' '.repeat(2 ** 27))
  expect([decoder.push(blank), decoder.push(blank)]).toEqual([[], []])
  expect(decoder.push(blank)).toMatchObject([{ type: 'finish', reason: malformed }])
})
