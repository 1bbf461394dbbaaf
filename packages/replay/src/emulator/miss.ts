/**
 * Requests that get no recorded answer: what the report says, and what the
 * agent is told.
 */
import type { WireName } from '@runproof/llm'
import { recordCommand } from '../error.ts'
import { renderDifferences } from '../match/difference.ts'
import type { FieldDifference } from '../match/difference.ts'
import { findNearest } from '../match/explain.ts'
import type { CanonicalRequest } from '../match/key.ts'
import { answerError } from './answer.ts'
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

type Sent = { method: string; path: string }

export function mismatched(
  sent: Sent,
  canonical: CanonicalRequest,
  exchanges: readonly ServedExchange[],
  isUsed: (exchange: ServedExchange) => boolean,
): EmulatorMiss {
  const candidates = exchanges.map((served) => ({
    served,
    canonical: served.canonical(),
    isServed: isUsed(served),
  }))
  const nearest = findNearest(canonical, candidates)
  const { method, path } = sent
  const said = `${method} ${path}: no recorded request is the same.`
  if (nearest === null) {
    const message = `${said} There are no recorded requests at all; add a recording.`
    return { code: 'request-mismatch', message, method, path }
  }
  const { differences } = nearest
  const { served } = nearest.candidate
  const fields =
    differences.length === 1 ? '1 field differs' : `${differences.length} fields differ`
  const message = [
    `${said} The nearest is ${nameExchange(served)}; ${fields}:`,
    renderDifferences(differences),
    recordAgain(served),
  ].join('\n')
  return { code: 'request-mismatch', message, method, path, ...placeOf(served), differences }
}

export function exhausted(sent: Sent, same: readonly ServedExchange[]): EmulatorMiss {
  const { method, path } = sent
  const last = same.at(-1)
  if (last === undefined) throw new TypeError('an exhausted request has recorded ones')
  const times = same.length === 1 ? 'once' : `${same.length} times`
  const message = [
    `${method} ${path}: this request was recorded ${times} and came once more (${nameExchange(last)}).`,
    recordAgain(last),
  ].join('\n')
  return { code: 'exhausted', message, method, path, ...placeOf(last) }
}

/** @param free the calls that were not given out yet. */
export function offScript(
  { method, path }: Sent,
  calls: readonly ScriptedCall[],
  free: readonly ScriptedCall[],
): EmulatorMiss {
  const files = [...new Set(calls.map(({ script }) => script.file))].join(', ')
  const [next] = free
  const code = next === undefined ? 'exhausted' : 'request-mismatch'
  const expected =
    next === undefined
      ? 'all their calls were given out'
      : `the next call, ${next.n} of ${next.script.file}, belongs to ${describePlace(next)}`
  const message = `${method} ${path}: no call of ${files} stands where this request stands; ${expected}.`
  return { code, message, method, path }
}

function describePlace({ place }: ScriptedCall): string {
  if (place === null) return 'any request'
  return `the prompt ${JSON.stringify(place.prompt)} after ${place.answerCount} answers of the model`
}

export function unknownPath({ method, path }: Sent): EmulatorMiss {
  const message = `${method} ${path}: no provider has such a path; check the base URL of the agent.`
  return { code: 'unknown-path', message, method, path }
}

export function badRequest({ method, path }: Sent, problem: string): EmulatorMiss {
  return { code: 'bad-request', message: `${method} ${path}: ${problem}.`, method, path }
}

export function cannotServe({ method, path }: Sent, error: unknown): EmulatorMiss {
  const reason = error instanceof Error ? error.message : String(error)
  return { code: 'cannot-serve', message: `${method} ${path}: ${reason}`, method, path }
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
