/** The adapter from the OpenAI Agents SDKs, in both spellings, and the owner's observation. */
import { createProgress, verdictFor } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/openai-agents'
import type { Observation } from '@runproof/progress/openai-agents'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const run = 'r'
const raw = (data: unknown): object => ({ type: 'raw_response_event', data })
const rawJs = (data: unknown): object => ({ type: 'raw_model_stream_event', data })
const item = (name: string, raw_item: unknown): object => ({
  type: 'run_item_stream_event',
  name,
  item: { type: 'x', raw_item },
})
const itemJs = (name: string, rawItem: unknown): object => ({
  type: 'run_item_stream_event',
  name,
  item: { type: 'x', rawItem },
})

const delta = { kind: 'text.delta', data: { text: 'Hi' } }
const model = { kind: 'model.completed', data: { response_id: 'resp_1' } }
const requested = { kind: 'tool.requested', data: { call_id: 'c' } }
const finished = { kind: 'tool.finished', data: { call_id: 'c' } }
const unresolved = { kind: 'adapter.unresolved_terminal', data: {} }
const unsupported = { kind: 'adapter.unsupported_event', data: {} }

const textDelta = { type: 'response.output_text.delta', delta: 'Hi' }
const completed = { type: 'response.completed', response: { id: 'resp_1', status: 'completed' } }

describe('one event', () => {
  test.each<[string, unknown, object | null]>([
    ['Python: text', raw(textDelta), delta],
    ['Python: a response that ended', raw(completed), model],
    [
      'Python: the same without a status',
      raw({ type: 'response.completed', response: { id: 'resp_1' } }),
      model,
    ],
    ['Python: a call', item('tool_called', { type: 'function_call', call_id: 'c' }), requested],
    [
      'Python: an output',
      item('tool_output', { type: 'function_call_output', call_id: 'c' }),
      finished,
    ],
    ['JavaScript: text', rawJs({ type: 'output_text_delta', delta: 'Hi' }), delta],
    [
      'JavaScript: a response that ended',
      rawJs({ type: 'response_done', response: { id: 'resp_1' } }),
      model,
    ],
    [
      'JavaScript: a call',
      itemJs('tool_called', { type: 'function_call', callId: 'c' }),
      requested,
    ],
    [
      'JavaScript: an output',
      itemJs('tool_output', { type: 'function_call_result', callId: 'c' }),
      finished,
    ],
    ['JavaScript: provider text as it is', rawJs(textDelta), delta],
    ['JavaScript: the wrapped copy of a text', rawJs({ type: 'model', event: textDelta }), null],
    ['JavaScript: the wrapped copy of an end', rawJs({ type: 'model', event: completed }), null],
    ['a failed response', raw({ type: 'response.failed' }), unresolved],
    ['an incomplete response', raw({ type: 'response.incomplete' }), unresolved],
    ['an error', raw({ type: 'error' }), unresolved],
    ['a wrapped failure', rawJs({ type: 'model', event: { type: 'response.failed' } }), unresolved],
    [
      'a status that contradicts the name',
      raw({ type: 'response.completed', response: { id: 'r', status: 'incomplete' } }),
      unresolved,
    ],
    ['a response that was created', raw({ type: 'response.created' }), unsupported],
    ['text that is none', raw({ type: 'response.output_text.delta', delta: 1 }), unsupported],
    ['a response without an id', raw({ type: 'response.completed', response: {} }), unsupported],
    ['a call without an id', item('tool_called', { type: 'function_call' }), unsupported],
    [
      'a call with an empty id',
      item('tool_called', { type: 'function_call', call_id: '' }),
      unsupported,
    ],
    ['a hosted tool', item('tool_called', { type: 'web_search_call', call_id: 'c' }), unsupported],
    [
      'an approval request',
      itemJs('tool_approval_requested', { type: 'function_call', callId: 'c' }),
      unsupported,
    ],
    ['a message item', item('message_output_created', { type: 'message' }), unsupported],
    ['a new agent', { type: 'agent_updated_stream_event' }, unsupported],
    ['a wrapped chat chunk', rawJs({ type: 'model', event: { choices: [] } }), unsupported],
    [
      'wrapping in wrapping',
      rawJs({ type: 'model', event: { type: 'model', event: textDelta } }),
      unsupported,
    ],
    ['something of the future', { type: 'future' }, unsupported],
    ['no object', 'text', unsupported],
    ['null', null, unsupported],
  ])('%s', (_, event, expected) => {
    const envelopes = createAdapter({ run }).push(event)
    expect(envelopes).toEqual(expected === null ? [] : [{ run, id: 'r:1', seq: 1, ...expected }])
  })
})

describe('an event that is observed only', () => {
  test.each<[string, string, unknown]>([
    ['by the provider’s name', 'response.created', raw({ type: 'response.created' })],
    [
      'by the name in the wrapping',
      'response.created',
      rawJs({ type: 'model', event: { type: 'response.created' } }),
    ],
    ['by the item’s name', 'message_output_created', item('message_output_created', {})],
    ['by the event’s type', 'agent_updated_stream_event', { type: 'agent_updated_stream_event' }],
    ['by the wrapping', 'model', rawJs({ type: 'model', event: { choices: [] } })],
  ])('%s gives no envelope', (_, name, event) => {
    expect(createAdapter({ run, observeOnly: [name] }).push(event)).toEqual([])
    expect(createAdapter({ run, observeOnly: ['other'] }).push(event)).toHaveLength(1)
  })

  test('evidence and failures cannot be silenced', () => {
    const adapter = createAdapter({ run, observeOnly: [textDelta.type, 'error'] })
    expect(adapter.push(raw(textDelta))).toHaveLength(1)
    expect(adapter.push(raw({ type: 'error' }))).toHaveLength(1)
  })
})

test('no JSON makes it throw, and what it gives is numbered without gaps', () => {
  const key = fc.constantFrom(
    'type',
    'data',
    'name',
    'item',
    'raw_item',
    'rawItem',
    'call_id',
    'delta',
    'response',
    'event',
    '__proto__',
  )
  const word = fc.constantFrom(
    'raw_response_event',
    'raw_model_stream_event',
    'run_item_stream_event',
    'model',
    'tool_called',
    'function_call',
    'response.completed',
    'output_text_delta',
  )
  const { event } = fc.letrec((tie) => ({
    event: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      word,
      fc.jsonValue(),
      fc
        .array(fc.tuple(key, tie('event')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }))
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), (events) => {
      const adapter = createAdapter({ run })
      const envelopes = events.flatMap((one) => adapter.push(one))
      expect(envelopes.map(({ seq }) => seq)).toEqual(envelopes.map((_, index) => index + 1))
    }),
    { numRuns: 1000 },
  )
  const deep: unknown = JSON.parse(
    `${'{"type":"model","event":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  )
  expect(createAdapter({ run }).push(rawJs(deep))).toHaveLength(1)
})

const observed: Observation = {
  exhausted: true,
  isComplete: true,
  interruptions: [],
  cancelRequested: false,
  runtimeFailed: false,
  finalText: 'All tidy.',
}

describe('the owner’s observation', () => {
  test.each<[string, Partial<Observation>, string | null, string | null]>([
    ['all is well', {}, 'succeeded', 'All tidy.'],
    ['an empty candidate', { finalText: '' }, 'succeeded', ''],
    ['a broken loop', { exhausted: false }, null, null],
    ['an SDK that is not complete', { isComplete: false }, null, null],
    ['no candidate', { finalText: null }, null, null],
    ['an undefined candidate', { finalText: undefined }, null, null],
    ['something to approve', { interruptions: ['c'], finalText: null }, 'paused', null],
    ['something to approve, said by a flag', { interruptions: true }, 'paused', 'All tidy.'],
    ['nothing to approve, said by a flag', { interruptions: false }, 'succeeded', 'All tidy.'],
    ['a cancel that raced with the end', { cancelRequested: true }, 'cancelled', 'All tidy.'],
    ['a cancel before the end is sure', { cancelRequested: true, exhausted: false }, null, null],
    ['a failure', { runtimeFailed: true }, 'failed', null],
    ['a failure that broke the loop', { runtimeFailed: true, exhausted: false }, 'failed', null],
  ])('%s', (_, change, outcome, final_text) => {
    const envelopes = createAdapter({ run }).finish({ ...observed, ...change })
    const ended = { run, id: 'r:1', seq: 1, kind: 'run.ended', data: { outcome, final_text } }
    expect(envelopes).toEqual(outcome === null ? [] : [ended])
  })
})

const judge = (events: unknown[], observation = observed) => {
  const adapter = createAdapter({ run })
  const progress = createProgress({ run })
  for (const event of events) for (const envelope of adapter.push(event)) progress.feed(envelope)
  const open = progress.status
  for (const envelope of adapter.finish(observation)) progress.feed(envelope)
  return { open, progress }
}

describe('with the reducer', () => {
  test('the end of a model response ends no run', () => {
    const { open, progress } = judge([raw(completed)], { ...observed, exhausted: false })
    expect([open, progress.status, progress.terminal]).toEqual(['running', 'running', null])
  })

  test('call and output items settle a call without a start', () => {
    const { open, progress } = judge([
      itemJs('tool_called', { type: 'function_call', callId: 'c' }),
      itemJs('tool_output', { type: 'function_call_result', callId: 'c' }),
    ])
    expect([open, progress.tools, progress.status]).toEqual([
      'running',
      { c: 'returned' },
      'checking',
    ])
  })

  test.each<[string, unknown]>([
    ['something unknown', { type: 'future' }],
    ['a failed response', raw({ type: 'response.failed' })],
    ['an incomplete response', raw({ type: 'response.incomplete' })],
    ['an error', raw({ type: 'error' })],
  ])('%s is never passed over', (_, event) => {
    expect(judge([event]).open).toBe('unknown')
    expect(judge([event]).progress.status).toBe('unknown')
  })

  test('a verdict on the candidate makes it done', () => {
    const { progress } = judge([raw(textDelta)])
    const seq = progress.lastSeq + 1
    progress.feed({
      run,
      id: `r:${seq}`,
      seq,
      kind: 'app.checked',
      data: verdictFor(progress, true),
    })
    expect(progress.status).toBe('done')
  })

  test('an end after the input was closed counts for nothing', () => {
    const adapter = createAdapter({ run })
    const progress = createProgress({ run })
    progress.end()
    for (const envelope of adapter.finish(observed)) progress.feed(envelope)
    expect([progress.status, progress.issues]).toEqual(['unknown', ['event_after_transport_close']])
  })
})
