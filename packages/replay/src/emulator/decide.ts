/**
 * Which answer a request gets. No I/O: requests come as values, answers go as
 * values, so the order of the calls is all that counts.
 *
 * 1. the recorded exchange with the same key that was not given out yet;
 * 2. the call of a session log that stands where the request stands;
 * 3. a probe's answer; 4. a neutral answer, when the emulator is told to give
 * them; 5. a miss.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { WireName } from '@runproof/llm'
import { endpointOf, familyOf } from '../match/endpoint.ts'
import { createKeyer } from '../match/key.ts'
import { secretsOfRequest } from '../redact/value.ts'
import type { RunContext } from '../match/context.ts'
import { createMatcher } from '../match/matcher.ts'
import type { Answer } from './answer.ts'
import type { AuxiliaryAnswers } from './auxiliary.ts'
import type { Loaded, ServedExchange } from './load.ts'
import type { EmulatorMiss, Problem } from './miss.ts'
import { answerProbe, modelsOf } from './probe.ts'
import type { ScriptedCall } from './script.ts'

export type Incoming = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: unknown
}

/** What a request was given. */
export type Outcome = 'recorded' | 'fault' | 'scripted' | 'probe' | 'auxiliary' | 'miss'

export type Decision = {
  outcome: Outcome
  answer: Answer
  /** Of `recorded` and `fault`. */
  served?: ServedExchange
  /** Of `scripted`. */
  call?: ScriptedCall
  /** Of `miss`. */
  miss?: EmulatorMiss
}

export type DecideOptions = {
  /** Folders of the live run. */
  context: RunContext
  repeat: boolean
  /** Which auxiliary calls that nobody recorded get neutral answers. */
  auxiliary: AuxiliaryAnswers
}

export type Decider = {
  /**
   * Takes what was recorded for the request at once; what nobody recorded may
   * take a moment to put into words.
   */
  decide(incoming: Incoming): Decision | Promise<Decision>
  /** The answer to a request that cannot even be looked at. */
  refuse(sent: Sent, problem: Problem): Promise<Decision>
  unusedExchanges(): ServedExchange[]
  unusedCalls(): ScriptedCall[]
}

export async function createDecider(
  { exchanges, calls }: Loaded,
  options: DecideOptions,
): Promise<Decider> {
  const { context, repeat, auxiliary } = options
  const keyer = createKeyer(context)
  const matcher = createMatcher(exchanges, { repeat })
  // Loaded for those who need it: an emulator starts in the time of its agent.
  const improviser =
    calls.length === 0 && auxiliary === 'refuse'
      ? null
      : (await import('./improvise.ts')).createImproviser(calls, options)
  const models = modelsOf(exchanges)
  const wireFor = createWireChooser([...exchanges, ...calls].map(({ wire }) => wire))

  const serve = (served: ServedExchange): Decision => {
    const fault = served.faults.find(({ left }) => left > 0)
    if (fault === undefined) return { outcome: 'recorded', answer: served.answer, served }
    fault.left--
    matcher.putBack(served)
    return { outcome: 'fault', answer: fault.answer, served }
  }
  const refuse = async (sent: Sent, problem: Problem): Promise<Decision> => {
    const { answerMiss, missOf } = await import('./miss.ts')
    const miss = missOf(sent, problem)
    return { outcome: 'miss', answer: answerMiss(miss, wireFor(sent)), miss }
  }

  return {
    refuse,
    decide(incoming) {
      const { method, path, body } = incoming
      const wire = wireFor(incoming)
      const { key, canonical } = keyer(wire, incoming)
      const taken = matcher.take(key)
      if (taken.kind === 'found') return serve(taken.item)
      if (taken.kind === 'exhausted') return refuse(incoming, { code: 'exhausted', ...taken })
      const endpoint = endpointOf(method, path)
      if (endpoint === null) {
        const probe = answerProbe(incoming, wire, models)
        if (probe !== null) return { outcome: 'probe', answer: probe }
        return refuse(incoming, { code: 'unknown-path' })
      }
      const improvised = improviser?.answer(endpoint, body, wire) ?? null
      if (improvised !== null) return improvised
      if (exchanges.length === 0 && improviser !== null && calls.length > 0) {
        return refuse(incoming, { code: 'off-script', calls, free: improviser.free() })
      }
      const candidates = exchanges.map((served) => {
        return { served, canonical: served.canonical(), isServed: matcher.isUsed(served) }
      })
      return createHider(incoming).then((hide) =>
        refuse(incoming, { code: 'request-mismatch', canonical, candidates, hide }),
      )
    },
    unusedExchanges: () => matcher.unused(),
    unusedCalls: () => improviser?.unused() ?? [],
  }
}

/** Takes out of a report what looks like a secret, and what the request authenticates with. */
async function createHider({ headers, path }: Sent): Promise<(value: unknown) => unknown> {
  const { createBodyRedactor } = await import('../redact/body.ts')
  return createBodyRedactor(secretsOfRequest(headers, path))
}

type Sent = Pick<Incoming, 'method' | 'path' | 'headers'>

/** Finds the wire of a request, by its endpoint or else by its headers, among those served first. */
function createWireChooser(served: readonly WireName[]): (sent: Sent) => WireName {
  const wires = [...new Set(served)]
  return ({ method, path, headers }) => {
    const family = endpointOf(method, path)?.family
    if (family !== undefined) {
      return wires.find((wire) => familyOf(wire) === family) ?? firstOfFamily[family]
    }
    if (headers['anthropic-version'] !== undefined) return 'anthropic'
    if (headers['x-goog-api-key'] !== undefined) return 'gemini'
    return wires[0] ?? 'openai-chat'
  }
}

const firstOfFamily = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
} as const
