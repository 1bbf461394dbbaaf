/**
 * Requests that get no recorded answer: what the report says, and what the
 * agent is told.
 */
import type { WireName } from '@runproof/llm'
import { recordCommand } from '../error.ts'
import { renderDifferences } from '../match/difference.ts'
import type { FieldDifference } from '../match/difference.ts'
import { withoutQuery } from '../match/endpoint.ts'
import { findNearest } from '../match/explain.ts'
import type { Candidate, Nearest } from '../match/explain.ts'
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
  /** Empty, as the path is, for what was no HTTP request. */
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
  | {
      code: 'request-mismatch'
      canonical: CanonicalRequest
      candidates: readonly Recorded[]
      /** Takes the secrets out of a value that is shown. */
      hide: (value: unknown) => unknown
    }
  /** `same` exchanges were recorded for the request. */
  | { code: 'exhausted'; same: number; last: ServedExchange }
  /** No call of the session logs stands where the request stands; `free` were not given out yet. */
  | { code: 'off-script'; calls: readonly ScriptedCall[]; free: readonly ScriptedCall[] }
  | { code: 'unknown-path' }
  | { code: 'bad-request' | 'cannot-serve'; reason: string }

type Recorded = Candidate & { served: ServedExchange }

type Sent = { method: string; path: string }

/** The path goes without its query, which may hold a key. */
export function missOf({ method, path }: Sent, problem: Problem): EmulatorMiss {
  const where = { method, path: withoutQuery(path) }
  const miss = (code: EmulatorMissCode, message: string): EmulatorMiss => {
    const named = method === '' ? '' : `${method} ${where.path}: `
    return { code, message: named + message, ...where }
  }
  switch (problem.code) {
    case 'request-mismatch': {
      const nearest = withoutSecrets(
        findNearest(problem.canonical, problem.candidates),
        problem.hide,
      )
      const message = `no recorded request is the same. ${describeNearest(nearest)}`
      if (nearest === null) return miss(problem.code, message)
      const { candidate, differences } = nearest
      return { ...miss(problem.code, message), ...placeOf(candidate.served), differences }
    }
    case 'exhausted': {
      const { same, last } = problem
      const times = same === 1 ? 'once' : `${same} times`
      const message = `this request was recorded ${times} and came once more (${nameExchange(last)}).\n${recordAgain(last)}`
      return { ...miss(problem.code, message), ...placeOf(last) }
    }
    case 'off-script': {
      const code = problem.free.length === 0 ? 'exhausted' : 'request-mismatch'
      return miss(code, describeScripts(problem))
    }
    case 'unknown-path':
      return miss(problem.code, 'no provider has such a path; check the base URL of the agent.')
    default:
      return miss(problem.code, `${problem.reason}.`)
  }
}

/** The live request, and a recording that somebody wrote by hand, may hold some. */
function withoutSecrets(
  nearest: Nearest<Recorded> | null,
  hide: (value: unknown) => unknown,
): Nearest<Recorded> | null {
  if (nearest === null) return null
  const differences = nearest.differences.map(({ path, ...values }) => ({
    path: String(hide(path)),
    ...('recorded' in values && { recorded: hide(values.recorded) }),
    ...('sent' in values && { sent: hide(values.sent) }),
  }))
  return { ...nearest, differences }
}

function describeNearest(nearest: Nearest<Recorded> | null): string {
  if (nearest === null) return 'There are no recorded requests at all; add a recording.'
  const { candidate, differences } = nearest
  const { length } = differences
  return [
    `The nearest is ${nameExchange(candidate.served)}; ${length === 1 ? '1 field differs' : `${length} fields differ`}:`,
    renderDifferences(differences),
    recordAgain(candidate.served),
  ].join('\n')
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
