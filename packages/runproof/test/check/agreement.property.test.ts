/**
 * Two readers of one transcript: what `check` calls an open call at the end of a
 * turn, the reducer must not pass over, and the other way round.
 */
import { createTask } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/acp'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createAcpAudit } from '../../src/check/acp/audit.ts'

type Message = Record<string, unknown>
const client = (m: Message): Message => ({ dir: '>', m: { jsonrpc: '2.0', ...m } })
const agent = (m: Message): Message => ({ dir: '<', m: { jsonrpc: '2.0', ...m } })
const update = (kind: string, toolCallId: string, status: string): Message =>
  agent({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: kind, toolCallId, status } },
  })
const options = [
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
]

const calls = fc.constantFrom('c', 'd')
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('ask' as const),
      call: calls,
      status: fc.constantFrom('pending', null),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('answer' as const),
      of: fc.nat(1),
      optionId: fc.constantFrom('yes', 'no'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constantFrom('announce' as const, 'complete' as const),
      call: calls,
    }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

/** A turn of these events; a call is announced, and completed, at most once. */
function transcript(events: readonly Event[]): Message[] {
  const told = new Set<string>()
  const waiting: number[] = []
  const lines = events.flatMap((one, index): Message[] => {
    if (one.op === 'ask') {
      waiting.push(index)
      const toolCall = { toolCallId: one.call, ...(one.status !== null && { status: one.status }) }
      const params = { sessionId: 's', toolCall, options }
      return [agent({ id: index, method: 'session/request_permission', params })]
    }
    if (one.op === 'answer') {
      const [id] = waiting.splice(one.of, 1)
      const outcome = { outcome: 'selected', optionId: one.optionId }
      return id === undefined ? [] : [client({ id, result: { outcome } })]
    }
    const mark = `${one.op} ${one.call}`
    if (told.has(mark)) return []
    told.add(mark)
    return one.op === 'announce'
      ? [update('tool_call', one.call, 'pending')]
      : [update('tool_call_update', one.call, 'completed')]
  })
  return [
    client({ id: 'p', method: 'session/prompt', params: { sessionId: 's', prompt: [] } }),
    ...lines,
    agent({ id: 'p', result: { stopReason: 'end_turn' } }),
  ]
}

function claimOf(lines: readonly Message[]): string {
  const adapter = createAdapter({ run: 'p' })
  const task = createTask({ task: 'p-1' })
  for (const line of lines) for (const envelope of adapter.push(line)) task.feed(envelope)
  for (const envelope of adapter.finish({})) task.feed(envelope)
  task.end()
  return task.status
}

function broken(lines: readonly Message[]): string[] {
  const audit = createAcpAudit()
  const found = lines.flatMap((line, index) =>
    audit.push({ number: index + 1, text: JSON.stringify(line) }),
  )
  return [...found, ...audit.end().violations].map(({ rule }) => rule)
}

it('agree on which calls are open when a turn ends', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 9 }), (events) => {
      const lines = transcript(events)
      // An update that nobody announced and a question that nobody answered make the claim unknown too.
      const faults = broken(lines).filter((rule) => ['R3', 'R4', 'R12'].includes(rule))
      expect(claimOf(lines)).toBe(faults.length === 0 ? 'checking' : 'unknown')
    }),
    { numRuns: 500 },
  )
})
