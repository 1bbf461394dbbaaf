/**
 * Calls an agent makes beside its work: titles, routing, suggestions. Those
 * that nobody recorded can be answered neutrally, when a test asks for it.
 */
import { wires } from '@runproof/llm'
import type { WireName } from '@runproof/llm'
import { familyOf } from '../match/endpoint.ts'
import type { WireFamily } from '../match/endpoint.ts'
import { demandOf } from '../match/demand.ts'
import { toolNames } from '../match/lane.ts'
import { answerBody, answerEvents } from './answer.ts'
import type { Answer } from './answer.ts'
import { exampleOf } from './schema-example.ts'
import { wholeBody } from './whole.ts'

/** What is said where anything will do. */
const neutralText = 'OK'

/** Which of them get an answer; `answer-schema`: those that want it in a given form. */
export type AuxiliaryAnswers = 'refuse' | 'answer' | 'answer-schema'

/** True for a request that wants its answer in a given form or, of agents with tools, offers none. */
export function isAuxiliary(family: WireFamily, body: unknown, answers: AuxiliaryAnswers): boolean {
  if (demandOf(family, body) !== undefined) return true
  return answers !== 'answer-schema' && toolNames(body).length === 0
}

/** A short answer, in the form that the request demands. */
export function answerNeutrally(wire: WireName, body: unknown, isStream: boolean): Answer {
  const family = familyOf(wire)
  const demand = demandOf(family, body)
  const text = demand === undefined ? neutralText : JSON.stringify(exampleOf(demand, neutralText))
  const events = wires[wire].encode([
    { type: 'block-start', index: 0, blockType: 'text' },
    { type: 'text-delta', index: 0, text },
    { type: 'block-end', index: 0, block: { type: 'text', text } },
    { type: 'usage', usage: { inputTokens: 0, outputTokens: 1 } },
    { type: 'finish', reason: { kind: 'stop' } },
  ])
  if (isStream) return answerEvents(events)
  return answerBody(200, {}, JSON.stringify(wholeBody(family, events)))
}

/** A count of tokens; nobody counted them. */
export function answerCount(family: WireFamily): Answer {
  return answerBody(
    200,
    {},
    JSON.stringify({ [family === 'gemini' ? 'totalTokens' : 'input_tokens']: 1 }),
  )
}
