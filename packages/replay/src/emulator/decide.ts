/**
 * Which answer a request gets. No I/O: requests come as values, answers go as
 * values, so the order of the calls is all that counts.
 *
 * 1. the recorded exchange with the same key that was not given out yet;
 * 2. the call of a session log that stands where the request stands;
 * 3. a probe's answer; 4. a neutral answer, when the emulator is told to give
 * them; 5. a miss.
 */
import type { WireName } from '@runproof/llm'
import { isObject } from '../entry.ts'
import { endpointOf, familyOf } from '../match/endpoint.ts'
import type { Endpoint } from '../match/endpoint.ts'
import { createKeyer } from '../match/key.ts'
import { createFolderMask } from '../match/mask.ts'
import type { RunContext } from '../match/context.ts'
import { createMatcher } from '../match/matcher.ts'
import type { Answer } from './answer.ts'
import { answerNeutrally, isAuxiliary } from './auxiliary.ts'
import type { Loaded, ServedExchange } from './load.ts'
import { answerMiss, exhausted, mismatched, offScript, unknownPath } from './miss.ts'
import type { EmulatorMiss } from './miss.ts'
import { answerProbe, modelsOf } from './probe.ts'
import { createScriptMatcher } from './script-matcher.ts'
import type { ScriptedCall } from './script.ts'

export type Incoming = {
  method: string
  path: string
  headers: Readonly<Record<string, unknown>>
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
  /** Give neutral answers to auxiliary calls that nobody recorded. */
  answersAuxiliary: boolean
}

export type Decider = {
  decide(incoming: Incoming): Decision
  /** The wire whose error a request understands. */
  wireFor(incoming: Omit<Incoming, 'body'>): WireName
  unusedExchanges(): ServedExchange[]
  unusedCalls(): ScriptedCall[]
}

export function createDecider(
  { exchanges, calls }: Loaded,
  { context, repeat, answersAuxiliary }: DecideOptions,
): Decider {
  const keyer = createKeyer(context)
  const matcher = createMatcher(exchanges, { repeat })
  const scripts = createScriptMatcher(calls, { folders: createFolderMask(context), repeat })
  const models = modelsOf(exchanges)
  const wireFor = createWireChooser([...exchanges, ...calls].map(({ wire }) => wire))

  const serve = (served: ServedExchange): Decision => {
    const fault = served.faults.find(({ left }) => left > 0)
    if (fault === undefined) return { outcome: 'recorded', answer: served.answer, served }
    fault.left--
    matcher.putBack(served)
    return { outcome: 'fault', answer: fault.answer, served }
  }
  /** What is said to a request of a provider's endpoint that has no recorded exchange. */
  const improvise = (endpoint: Endpoint, { body }: Incoming, wire: WireName): Decision | null => {
    const { family } = endpoint
    const hasForm = isAuxiliary(family, body)
    const asksStream = isStream(endpoint, body)
    const call = answersAuxiliary && hasForm ? null : scripts.take(family, body)
    if (call !== null) return { outcome: 'scripted', answer: call.answer(asksStream), call }
    const isBeside = hasForm || (calls.length > 0 && !scripts.endsWithPrompt(family, body))
    if (!answersAuxiliary || !isBeside) return null
    return { outcome: 'auxiliary', answer: answerNeutrally(wire, body, asksStream) }
  }

  return {
    wireFor,
    decide(incoming) {
      const wire = wireFor(incoming)
      const { key, canonical } = keyer(wire, incoming)
      const taken = matcher.take(key)
      if (taken.kind === 'found') return serve(taken.item)
      if (taken.kind === 'exhausted') return refuse(exhausted(incoming, taken.items), wire)
      const endpoint = endpointOf(incoming.method, incoming.path)
      if (endpoint === null) {
        const probe = answerProbe(incoming, wire, models)
        return probe === null
          ? refuse(unknownPath(incoming), wire)
          : { outcome: 'probe', answer: probe }
      }
      const improvised = improvise(endpoint, incoming, wire)
      if (improvised !== null) return improvised
      if (exchanges.length === 0 && calls.length > 0) {
        return refuse(offScript(incoming, calls, scripts.free()), wire)
      }
      const isUsed = (served: ServedExchange): boolean => matcher.isUsed(served)
      return refuse(mismatched(incoming, canonical, exchanges, isUsed), wire)
    },
    unusedExchanges: () => matcher.unused(),
    unusedCalls: () => scripts.unused(),
  }
}

function refuse(miss: EmulatorMiss, wire: WireName): Decision {
  return { outcome: 'miss', answer: answerMiss(miss, wire), miss }
}

/** Finds the wire of a request, by its endpoint or else by its headers, among those served first. */
function createWireChooser(served: readonly WireName[]): Decider['wireFor'] {
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

/** Whether a request asks for events, not for one JSON body. */
function isStream({ family, name }: Endpoint, body: unknown): boolean {
  if (family === 'gemini') return name.endsWith(':streamGenerateContent')
  return isObject(body) && body.stream === true
}
