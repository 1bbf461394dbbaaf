/**
 * Adapter from the streaming events of the OpenAI Agents SDKs.
 *
 * Follows the stream events of `openai-agents` 0.23 (Python) and
 * `@openai/agents-core` 0.20 (JavaScript), in both spellings. Only a small list
 * is understood: text deltas, the end of a model response, ordinary function
 * calls and their outputs. A call item proves that a call was requested, not
 * that it runs; an output item proves that something came back, not that it is
 * good. A failed, incomplete or broken model response is
 * `adapter.unresolved_terminal`: what it means for the run only the owner knows.
 *
 * The JavaScript SDK sends provider events twice: in its own form, and wrapped
 * as `{type: 'model', event}`. The wrapped copy of what its own form already
 * said gives no envelope, so that no text appears twice.
 */
import { signEnd, textAt, valueAt } from './adapter.ts'
import type { Adapter } from './adapter.ts'
import { createProducer } from './producer.ts'
import type { Kind, Payloads } from './envelope.ts'

export type { Adapter, Observation } from './adapter.ts'

export type OpenaiAgentsOptions = {
  readonly run: string
  /**
   * Foreign events that carry no evidence and give no envelope, by their
   * innermost name: `response.created`, `message_output_created`,
   * `agent_updated_stream_event` … Affects only events that are unsupported
   * otherwise. Empty by default.
   */
  readonly observeOnly?: readonly string[]
}

/**
 * How to observe the end. Python: `exhausted` once `stream_events()` has run
 * out, `isComplete` from `is_complete`, `runtimeFailed` from an exception or
 * `run_loop_exception`. JavaScript: `exhausted` once the iterator has run out,
 * `isComplete` once `completed` has resolved (it does on a cancel, too),
 * `runtimeFailed` from `error`, `cancelRequested` from `cancelled` or your own
 * record.
 * @throws TypeError when `run` is not a non-empty string.
 */
export function createAdapter({ run, observeOnly = [] }: OpenaiAgentsOptions): Adapter {
  const producer = createProducer(run)
  const observed = new Set(observeOnly)
  return {
    push(event) {
      const projection = project(event)
      switch (projection.is) {
        case 'evidence':
          return [producer.emit(projection.kind, projection.data)]
        case 'copy':
          return []
        case 'unresolved':
          return [producer.emit('adapter.unresolved_terminal', {})]
        default:
          if (observed.has(projection.name)) return []
          return [producer.emit('adapter.unsupported_event', {})]
      }
    },
    finish: (observation) => signEnd(producer, observation),
  }
}

/** What one foreign event says. */
type Projection =
  | { is: 'evidence'; kind: Kind; data: Payloads[Kind] }
  | { is: 'copy' }
  | { is: 'unresolved' }
  | { is: 'unsupported'; name: string }

function project(event: unknown): Projection {
  const type = textAt(event, 'type') ?? ''
  switch (type) {
    case 'raw_response_event':
    case 'raw_model_stream_event':
      return projectResponse(valueAt(event, 'data'))
    case 'run_item_stream_event':
      return projectItem(textAt(event, 'name') ?? '', valueAt(event, 'item'))
    default:
      return { is: 'unsupported', name: type }
  }
}

/** A raw provider event, or the JavaScript SDK's own form of one. */
function projectResponse(data: unknown): Projection {
  const name = textAt(data, 'type') ?? ''
  switch (name) {
    case 'response.output_text.delta':
    case 'output_text_delta': {
      const text = valueAt(data, 'delta')
      if (typeof text !== 'string') break
      return evidence('text.delta', { text })
    }
    case 'response.completed':
    case 'response_done': {
      const status = valueAt(data, 'response', 'status')
      // The object's status outweighs the event's name.
      if (status !== undefined && status !== 'completed') return { is: 'unresolved' }
      const id = textAt(data, 'response', 'id')
      if (id === null) break
      return evidence('model.completed', { response_id: id })
    }
    case 'response.failed':
    case 'response.incomplete':
    case 'response.error':
    case 'error':
      return { is: 'unresolved' }
    case 'model': {
      const wrapped = valueAt(data, 'event')
      const type = textAt(wrapped, 'type')
      if (type === null || type === 'model') break
      const projection = projectResponse(wrapped)
      return projection.is === 'evidence' ? { is: 'copy' } : projection
    }
    default:
  }
  return { is: 'unsupported', name }
}

/** An item of the run; only ordinary function tools are known. */
function projectItem(name: string, item: unknown): Projection {
  const raw = valueAt(item, 'raw_item') ?? valueAt(item, 'rawItem')
  const type = textAt(raw, 'type')
  const call = textAt(raw, 'call_id') ?? textAt(raw, 'callId')
  if (call !== null && name === 'tool_called' && type === 'function_call') {
    return evidence('tool.requested', { call_id: call })
  }
  const isOutput = type === 'function_call_output' || type === 'function_call_result'
  if (call !== null && name === 'tool_output' && isOutput) {
    return evidence('tool.finished', { call_id: call })
  }
  return { is: 'unsupported', name }
}

function evidence<K extends Kind>(kind: K, data: Payloads[K]): Projection {
  return { is: 'evidence', kind, data }
}
