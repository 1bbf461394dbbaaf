/**
 * What `done` needs, said once more from the events themselves and not from
 * the reducer's state. `events` are one producer's, all delivered once in order.
 */
import type { Envelope } from '@runproof/progress'
import { digestOf } from './arbitrary.ts'

export function provesDone(events: readonly Pick<Envelope, 'kind' | 'data'>[]): boolean {
  const end = events.findIndex(({ kind }) => kind === 'run.ended')
  if (end < 0) return false
  const [ended, verdict, ...more] = events.slice(end)
  const before = events.slice(0, end)
  const finalText = ended?.data['final_text']
  const isSuccess = ended?.data['outcome'] === 'succeeded' && typeof finalText === 'string'
  const isAccepted =
    isSuccess &&
    verdict?.kind === 'app.checked' &&
    verdict.data['ok'] === true &&
    verdict.data['digest'] === digestOf(finalText)
  const isQuiet = before.every(
    ({ kind }) => kind === 'text.delta' || kind === 'model.completed' || kind.startsWith('tool.'),
  )
  return isAccepted && isQuiet && more.length === 0 && before.every(isSettledIn(before))
}

/** Whether the call that the event requests comes back later. */
function isSettledIn(events: readonly Pick<Envelope, 'kind' | 'data'>[]) {
  return ({ kind, data }: Pick<Envelope, 'kind' | 'data'>, index: number): boolean =>
    kind !== 'tool.requested' ||
    events
      .slice(index)
      .some(
        (later) =>
          (later.kind === 'tool.finished' || later.kind === 'tool.failed') &&
          later.data['call_id'] === data['call_id'],
      )
}
