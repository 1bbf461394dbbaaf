/**
 * Logs to judge, each a good run that ends accepted, made event by event so
 * that no log has to be in memory. The same index always gives the same event.
 */
import { createHash } from 'node:crypto'
import { createProducer, type Envelope } from '@runproof/progress'

export type Workload = {
  name: string
  what: string
  /** Kinds that the reducer must be told to pass over. */
  ignoreKinds: readonly string[]
  /** The envelopes of a run of `eventCount` events, the last two its end and its verdict. */
  events: (eventCount: number) => Generator<Envelope>
}

export const run = 'run-7f3a'
const finalText = 'Filed 3 receipts, total 84.20 EUR.'

/** What the `index`-th event says. */
type Content = (index: number) => Pick<Envelope, 'kind' | 'data'>

const words = ['The ', 'total ', 'of ', 'all ', 'receipts ', 'is ', '84.20 ', 'EUR', '. ', '\n']
const delta: Content = (index) => ({
  kind: 'text.delta',
  data: { text: words[(index * 7) % words.length] ?? '' },
})

const toolSteps = ['tool.requested', 'tool.started', 'tool.finished'] as const
const tool: Content = (index) => ({
  kind: toolSteps[index % 3] ?? 'tool.requested',
  data: { call_id: `call_${String(Math.floor(index / 3)).padStart(10, '0')}` },
})

/** Twenty tokens, then a response's end and a tool: about what an agent's run looks like. */
const agent: Content = (index) => {
  const place = index % 24
  if (place < 20) return delta(index)
  if (place === 20) return { kind: 'model.completed', data: { response_id: `resp_${index}` } }
  return tool(Math.floor(index / 24) * 3 + (place - 21))
}

const heartbeat: Content = (index) => ({
  kind: 'trace.heartbeat',
  data: { at: index, load: [index % 7, 0.25], source: { host: 'a', process: 'agent' } },
})

/** An id of 36 characters that says nothing of its seq. */
const uuid = (seq: number): string => {
  const hex = createHash('md5').update(String(seq)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function* eventsOf(
  content: Content,
  name: ((seq: number) => string) | null,
  eventCount: number,
): Generator<Envelope> {
  const { emit } = createProducer(run)
  const named = (event: Envelope): Envelope =>
    name === null ? event : { ...event, id: name(event.seq) }
  // Whole calls only, so that the run may end: 3 divides the turns of 24 and the calls of 3.
  const body = Math.floor((eventCount - 2) / 24) * 24
  for (let index = 0; index < body; index++) {
    const { kind, data } = content(index)
    yield named(emit(kind, data))
  }
  yield named(emit('run.ended', { outcome: 'succeeded', final_text: finalText }))
  const digest = createHash('sha256').update(finalText).digest('hex')
  yield named(emit('app.checked', { digest, ok: true }))
}

const workload = (
  name: string,
  what: string,
  content: Content,
  rest: { ids?: (seq: number) => string; ignoreKinds?: readonly string[] } = {},
): Workload => ({
  name,
  what,
  ignoreKinds: rest.ignoreKinds ?? [],
  events: (eventCount) => eventsOf(content, rest.ids ?? null, eventCount),
})

export const workloads: readonly Workload[] = [
  workload('deltas', 'text deltas of one token', delta),
  workload('agent', '20 deltas, a response, a tool call; again', agent),
  workload('uuid ids', 'as agent, every id a UUID', agent, { ids: uuid }),
  workload('tools', 'tool events only', tool),
  workload('ignored', 'nested events of an ignorable kind only', heartbeat, {
    ignoreKinds: ['trace.heartbeat'],
  }),
]
