/**
 * Answers to requests that no recording has: the calls of session logs, and,
 * when it is asked for, neutral answers to auxiliary calls.
 */
import { isObject } from '../object.ts'
import type { WireName } from '@runproof/llm'
import type { RunContext } from '../match/context.ts'
import { isCount, type Endpoint } from '../match/endpoint.ts'
import { createFolderMask } from '../match/folder.ts'
import { answerCount, answerNeutrally, isAuxiliary } from './auxiliary.ts'
import type { AuxiliaryAnswers } from './auxiliary.ts'
import type { Decision } from './decide.ts'
import { createScriptMatcher } from './script-matcher.ts'
import type { ScriptedCall } from './script.ts'

export type Improviser = {
  /** null: nothing may be said. */
  answer(endpoint: Endpoint, body: unknown, wire: WireName): Decision | null
  /** Calls that can still be given out. */
  free(): readonly ScriptedCall[]
  /** Calls that nobody asked for. */
  unused(): ScriptedCall[]
}

export type ImproviseOptions = {
  context: RunContext
  repeat: boolean
  auxiliary: AuxiliaryAnswers
}

export function createImproviser(
  calls: readonly ScriptedCall[],
  { context, repeat, auxiliary }: ImproviseOptions,
): Improviser {
  const scripts = createScriptMatcher(calls, { folders: createFolderMask(context), repeat })
  const answersAuxiliary = auxiliary !== 'refuse'
  return {
    answer(endpoint, body, wire) {
      const { family } = endpoint
      if (isCount(endpoint)) {
        return answersAuxiliary ? { outcome: 'auxiliary', answer: answerCount(family) } : null
      }
      const hasForm = isAuxiliary(family, body, auxiliary)
      const asksStream = isStream(endpoint, body)
      const call = answersAuxiliary && hasForm ? null : scripts.take(family, body)
      if (call !== null) return { outcome: 'scripted', answer: call.answer(asksStream), call }
      // Said by its form, or by its last words, which are none of the user's of the logs.
      const isBeside = hasForm || (calls.length > 0 && !scripts.endsWithPrompt(family, body))
      if (!answersAuxiliary || !isBeside) return null
      return { outcome: 'auxiliary', answer: answerNeutrally(wire, body, asksStream) }
    },
    free: () => scripts.free(),
    unused: () => scripts.unused(),
  }
}

/** Whether a request asks for events, not for one JSON body. */
function isStream({ family, name }: Endpoint, body: unknown): boolean {
  if (family === 'gemini') return name.endsWith(':streamGenerateContent')
  return isObject(body) && body.stream === true
}
