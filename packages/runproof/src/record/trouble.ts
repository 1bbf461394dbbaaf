/**
 * What a real provider did instead of answering, in words: refusals, streams
 * that broke off, silence. An agent may retry, swallow it or tell it as its own
 * answer; whoever records must hear of it all the same. Only a model call can be
 * why a run ended otherwise than it should: a list of models that is not there
 * says nothing of the turn.
 */
import type { Wire } from '@runproof/llm'
import type { Exchange } from '@runproof/replay'
import type { AgentConfig } from '../config/config.ts'
import type { Execution } from '../run/execute.ts'
import type { Failure } from '../run/failure.ts'

/** Of the body of a refusal, in UTF-16 units. */
const bodyShownUnits = 200

/** A sentence each, with the exchanges that it is about; none for a scripted model. */
export type Troubles = {
  /** Of model calls. */
  troubles: string[]
  /** Of requests beside them, which ask no model. */
  asides: string[]
}

export async function troublesOf(
  { recorded }: Execution,
  { provider }: AgentConfig,
): Promise<Troubles> {
  if (recorded === null || recorded.recording.source !== 'live') return { troubles: [], asides: [] }
  const [{ asksModel }, { wires }] = await Promise.all([
    import('@runproof/replay'),
    import('@runproof/llm'),
  ])
  const base = (provider?.upstream ?? '').replace(/\/$/, '')
  const wire = wires[recorded.recording.wire]
  const exchanges = recorded.recording.exchanges.filter((one) => !wasLeftAtItsEnd(one, wire))
  const isOfModel = ({ request }: Exchange): boolean => asksModel(request)
  return {
    troubles: describeTroubles(exchanges.filter(isOfModel), base),
    asides: describeTroubles(
      exchanges.filter((one) => !isOfModel(one)),
      base,
    ).map((sentence) => `beside the model, ${sentence}`),
  }
}

/** Whether the agent had the whole answer when it left: some wait for no end of the connection. */
function wasLeftAtItsEnd({ events, end }: Exchange, wire: Wire): boolean {
  if (end.kind !== 'aborted') return false
  const decoder = wire.createDecoder()
  return events.some(({ event = 'message', data, id = '' }) =>
    decoder.push({ event, data, id }).some(({ type }) => type === 'finish'),
  )
}

function describeTroubles(exchanges: readonly Exchange[], base: string): string[] {
  const numbers = new Map<string, number[]>()
  for (const exchange of exchanges) {
    const what = troubleOf(exchange)
    if (what === null) continue
    const { method, path } = exchange.request
    const sentence = `${method} ${base}${path} ${what}`
    numbers.set(sentence, [...(numbers.get(sentence) ?? []), exchange.n])
  }
  return [...numbers].map(([sentence, all]) => `${sentence} (exchange ${all.join(', ')})`)
}

/** The cause of a run that failed, or ended otherwise than the scenario expects. */
export function judgeProvider(troubles: readonly string[]): Failure[] {
  if (troubles.length === 0) return []
  const message = 'not written, for the provider did not answer as it should'
  return [{ code: 'provider', step: null, message, details: [...troubles] }]
}

function troubleOf({ response, body, end }: Exchange): string | null {
  if (response !== null && response.status >= 400) {
    const said = (body ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, bodyShownUnits)
    return `was answered ${response.status}${said === '' ? '' : `: ${said}`}`
  }
  if (end.kind === 'eof') return null
  if (end.kind === 'timeout') return 'was not answered to the end: the provider fell silent'
  if (end.kind === 'aborted') {
    return `${response === null ? 'had got no answer' : 'was in the middle of its answer'} when the agent left or was ended`
  }
  // Why something could not be reached at all is said by the recorder.
  return response === null ? 'got no answer' : 'broke off in the middle of the answer'
}
