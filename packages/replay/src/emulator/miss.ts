/**
 * Requests that get no recorded answer: what the report says, and what the
 * agent is told.
 */
import type { WireName } from '@runproof/llm'
import { recordCommand } from '../error.ts'
import { renderDifferences } from '../match/difference.ts'
import type { FieldDifference } from '../match/difference.ts'
import { findNearest } from '../match/explain.ts'
import type { Candidate } from '../match/explain.ts'
import type { CanonicalRequest } from '../match/key.ts'
import { answerError } from './error-answer.ts'
import type { Answer } from './answer.ts'
import type { ServedExchange } from './load.ts'
import type { ScriptedCall } from './script.ts'

export type EmulatorMissCode =
  /** No recorded request is the same. */
  | 'request-mismatch'
  /** The same request was recorded, but not as often. */
  | 'exhausted'
  /** No provider has such a path. */
  | 'unknown-path'
  /** The body cannot be read. */
  | 'bad-request'
  /** The answer has no form in which it can be given, or the emulator failed. */
  | 'cannot-serve'

export type EmulatorMiss = {
  code: EmulatorMissCode
  /** For people: what happened, the nearest recorded request, field by field, and what to do. */
  message: string
  method: string
  path: string
  /** The nearest recorded request, or the one that was used up. */
  file?: string
  exchange?: number
  /** Between the nearest recorded request and this one. */
  differences?: FieldDifference[]
}

/** What happened, with what is needed to say it. */
export type Problem =
  | { code: 'request-mismatch'; canonical: CanonicalRequest; candidates: readonly Recorded[] }
  | { code: 'exhausted'; same: readonly ServedExchange[] }
  /** No call of the session logs stands where the request stands; `free` were not given out yet. */
  | { code: 'off-script'; calls: readonly ScriptedCall[]; free: readonly ScriptedCall[] }
  | { code: 'unknown-path' }
  | { code: 'bad-request' | 'cannot-serve'; reason: string }

type Recorded = Candidate & { served: ServedExchange }

type Sent = { method: string; path: string }

export function missOf(sent: Sent, problem: Problem): EmulatorMiss {
  const { method, path } = sent
  const miss = (code: EmulatorMissCode, message: string): EmulatorMiss => {
    return { code, message: `${method} ${path}: ${message}`, method, path }
  }
  switch (problem.code) {
    case 'request-mismatch':
      return { ...miss('request-mismatch', ''), ...mismatched(sent, problem) }
    case 'exhausted': {
      const [first] = problem.same
      const times = problem.same.length === 1 ? 'once' : `${problem.same.length} times`
      const said = `this request was recorded ${times} and came once more`
      if (first === undefined) return miss('exhausted', `${said}.`)
      const message = `${said} (${nameExchange(first)}).\n${recordAgain(first)}`
      return { ...miss('exhausted', message), ...placeOf(first) }
    }
    case 'off-script': {
      const code = problem.free.length === 0 ? 'exhausted' : 'request-mismatch'
      return miss(code, describeScripts(problem))
    }
    case 'unknown-path':
      return miss('unknown-path', 'no provider has such a path; check the base URL of the agent.')
    default:
      return miss(problem.code, `${problem.reason}.`)
  }
}

function mismatched(
  { method, path }: Sent,
  { canonical, candidates }: Extract<Problem, { code: 'request-mismatch' }>,
): Partial<EmulatorMiss> & { message: string } {
  const nearest = findNearest(canonical, candidates)
  const said = `${method} ${path}: no recorded request is the same.`
  if (nearest === null) {
    return { message: `${said} There are no recorded requests at all; add a recording.` }
  }
  const { differences } = nearest
  const { served } = nearest.candidate
  const count = differences.length === 1 ? '1 field differs' : `${differences.length} fields differ`
  const message = [
    `${said} The nearest is ${nameExchange(served)}; ${count}:`,
    renderDifferences(differences),
    recordAgain(served),
  ].join('\n')
  return { message, ...placeOf(served), differences }
}

function describeScripts({ calls, free }: Extract<Problem, { code: 'off-script' }>): string {
  const files = [...new Set(calls.map(({ script }) => script.file))].join(', ')
  const [next] = free
  const expected =
    next === undefined
      ? 'all their calls were given out'
      : `the next call, ${next.n} of ${next.script.file}, belongs to ${describePlace(next)}`
  return `no call of ${files} stands where this request stands; ${expected}.`
}

function describePlace({ place }: ScriptedCall): string {
  if (place === null) return 'any request'
  return `the prompt ${JSON.stringify(place.prompt)} after ${place.answerCount} answers of the model`
}

/** Tells SDKs that know it not to try again; the status says the same to others. */
const noRetry = { 'x-should-retry': 'false' }

/** The error as the provider of the wire writes it, of a kind that nobody tries again. */
export function answerMiss(miss: EmulatorMiss, wire: WireName): Answer {
  const status = miss.code === 'unknown-path' ? 404 : 400
  return answerError(wire, { status, message: `runproof: ${tellAgent(miss)}`, headers: noRetry })
}

/** Without what was said: an agent may show it to its user or send it on. */
function tellAgent({ code, exchange, differences, method, path }: EmulatorMiss): string {
  if (code === 'unknown-path') return `no such path: ${method} ${path}`
  if (code === 'bad-request') return 'the request body cannot be read'
  if (code === 'cannot-serve') return 'the recorded answer cannot be given to this request'
  if (code === 'exhausted') return 'this request was recorded less often than it came'
  const [first] = differences ?? []
  const where = first === undefined ? '' : `, which differs in ${first.path}`
  return exchange === undefined
    ? 'this request was not recorded'
    : `this request was not recorded; the nearest is exchange ${exchange}${where}`
}

function placeOf({ file, exchange }: ServedExchange): { file?: string; exchange: number } {
  return { ...(file === null ? {} : { file }), exchange: exchange.n }
}

function nameExchange({ file, exchange, recording }: ServedExchange): string {
  return `exchange ${exchange.n} of ${file ?? `recording ${recording}`}`
}

function recordAgain({ file }: ServedExchange): string {
  const command = file === null ? '' : `: ${recordCommand(file)}`
  return `If the change is meant, record the scenario again${command}`
}
