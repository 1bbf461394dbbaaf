/**
 * A recording of a provider as envelopes: each exchange is a run, `exchange-<n>`.
 *
 * All the evidence there is in an exchange is one stream of the model: its text,
 * the tools it asked for, and whether the response came whole, which is
 * `model.completed` and ends no run. So no `run.ended` comes from here, and at
 * the end of the input every exchange is `unknown`.
 *
 * - A response that did not come whole (error, limit, cut, abort, none at all):
 *   `adapter.unresolved_terminal`. What it means for the run only the agent knows.
 * - An answer that is no stream of events: `adapter.unsupported_event`.
 * - A request that asks for no model, which is anything but POST: nothing.
 */
import { wires, type FinishReason, type SseEvent, type StreamChunk, type Wire } from '@runproof/llm'
import { createProducer, type Envelope } from '@runproof/progress'
import { createRecordingReader, type Exchange, type RecordedEvent } from '@runproof/replay'
import type { Translate } from './formats.ts'

export function createRecordingTranslate(): Translate {
  const reader = createRecordingReader()
  const responses = new Map<Exchange, Response>()
  let lineCount = 0
  return {
    push(value) {
      const { issue, exchange } = reader.push(++lineCount, value)
      if (issue !== null) return issue.message
      const { wire } = reader
      if (exchange === null || wire === null || exchange.request.method !== 'POST') return []
      const response = responses.get(exchange) ?? createResponse(exchange, wires[wire])
      responses.set(exchange, response)
      return response.read(Reflect.get(Object(value), 'type'))
    },
    finish: () => [],
    hasTasks: false,
  }
}

/** One exchange as it goes on. */
type Response = { read(lineType: unknown): Envelope[] }

function createResponse(exchange: Exchange, wire: Wire): Response {
  const producer = createProducer(`exchange-${exchange.n}`)
  const decoder = wire.createDecoder()
  let isSettled = false
  const settle = (kind: SettledKind): Envelope[] => {
    if (isSettled) return []
    isSettled = true
    // No wire tells the id of its response; here the name of the exchange is one.
    return kind === 'model.completed'
      ? [producer.emit(kind, { response_id: producer.run })]
      : [producer.emit(kind, {})]
  }
  const tell = (chunks: readonly StreamChunk[]): Envelope[] =>
    chunks.flatMap((chunk) => {
      if (chunk.type === 'text-delta') return [producer.emit('text.delta', { text: chunk.text })]
      if (chunk.type === 'block-end' && chunk.block.type === 'tool-call') {
        return [producer.emit('tool.requested', { call_id: chunk.block.id })]
      }
      return chunk.type === 'finish' ? settle(settledBy(chunk.reason)) : []
    })
  return {
    read(lineType) {
      const { response, events, end } = exchange
      const isRefused = response !== null && (response.status < 200 || response.status > 299)
      if (lineType === 'exchange/event' && !isRefused) {
        const last = events.at(-1)
        return last === undefined ? [] : tell(decoder.push(asSseEvent(last)))
      }
      if (lineType === 'exchange/body' && !isRefused) return settle('adapter.unsupported_event')
      if (lineType !== 'exchange/end') return []
      const rest = end.kind === 'eof' && events.length > 0 && !isRefused ? decoder.end() : []
      return [...tell(rest), ...settle('adapter.unresolved_terminal')]
    },
  }
}

type SettledKind = 'model.completed' | 'adapter.unresolved_terminal' | 'adapter.unsupported_event'

/** Only `stop` and `tool-calls` say that the model said all that it had to say. */
function settledBy({ kind }: FinishReason): SettledKind {
  return kind === 'stop' || kind === 'tool-calls'
    ? 'model.completed'
    : 'adapter.unresolved_terminal'
}

function asSseEvent({ event = 'message', data, id = '' }: RecordedEvent): SseEvent {
  return { event, data, id }
}
