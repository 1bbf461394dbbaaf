/**
 * What an emulator is given → what it serves. Everything that can be known to
 * be wrong is refused here, before the first request.
 */
import { constants, isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import type { WireName } from '@runproof/llm'
import { ReplayError, overrideBeside } from '../error.ts'
import type { TextFile } from '../load.ts'
import { isWireName, wireList } from '../match/endpoint.ts'
import { createKeyer } from '../match/key.ts'
import type { CanonicalRequest } from '../match/key.ts'
import { contextOf, type RunContext } from '../match/context.ts'
import type { Matchable } from '../match/matcher.ts'
import { parseRecording } from '../recording/parse.ts'
import type { Exchange, Recording } from '../recording/recording.ts'
import { answerOf } from './answer.ts'
import type { Answer } from './answer.ts'
import type { ExchangeRef, Fault } from './fault.ts'
import { placeFolders } from './folders.ts'
import type { ScriptedCall } from './script.ts'

/**
 * A recording: its path, its text or its value. Or a session log, which any
 * wire can be made of; an override beside it is read too.
 */
export type EmulatorRecording =
  | string
  | TextFile
  | Recording
  | { session: string | TextFile; override?: string | TextFile; wire: WireName }

/** An exchange that can be served. */
export type ServedExchange = Matchable & {
  /** Of the recording; null for one that was given as a value. */
  file: string | null
  /** Number of the recording among those given, from 0. */
  recording: number
  wire: WireName
  exchange: Exchange
  /** What its key is made of, computed when it is asked for: only a miss needs it. */
  canonical(): CanonicalRequest
  answer: Answer
  /** Answers of its faults, with how many requests still meet each. */
  faults: { answer: Answer; left: number }[]
}

export type Loaded = { exchanges: ServedExchange[]; calls: ScriptedCall[] }

/** @param live folders of the run that will be served. */
export async function loadRecordings(
  recordings: readonly EmulatorRecording[],
  faults: readonly Fault[],
  live: RunContext,
): Promise<Loaded> {
  const exchanges: ServedExchange[] = []
  const calls: ScriptedCall[] = []
  for (const [index, given] of recordings.entries()) {
    if (typeof given === 'object' && 'session' in given) {
      calls.push(...(await loadSession(given)))
    } else if (typeof given === 'object' && 'exchanges' in given) {
      exchanges.push(...loadExchanges(given, null, index, live))
    } else {
      const source = readText(given)
      exchanges.push(...loadExchanges(parseFile(source), source.file, index, live))
    }
  }
  if (faults.length > 0) await addFaults(faults, exchanges)
  return { exchanges, calls }
}

async function loadSession(
  given: Extract<EmulatorRecording, { session: unknown }>,
): Promise<ScriptedCall[]> {
  if (!isWireName(given.wire)) {
    const message = `the wire of a session log is none of ${wireList}`
    throw new ReplayError('bad-config', message)
  }
  const log = readText(given.session)
  const beside = overrideBeside(log.file)
  const override = given.override ?? (existsSync(beside) ? beside : undefined)
  const { loadReplayScript } = await import('../load.ts')
  const { scriptCalls } = await import('./script.ts')
  const script = loadReplayScript(log, override === undefined ? undefined : readText(override))
  return scriptCalls(script, given.wire)
}

function loadExchanges(
  { wire, exchanges, provenance }: Recording,
  file: string | null,
  recording: number,
  live: RunContext,
): ServedExchange[] {
  const recorded = contextOf(provenance)
  const keyer = createKeyer(recorded)
  return exchanges.map((exchange) => ({
    file,
    recording,
    wire,
    exchange,
    key: keyer(wire, exchange.request).key,
    isOptional: exchange.end.optional ?? false,
    canonical: () => keyer(wire, exchange.request).canonical,
    answer: answerOf(placeFolders(exchange, recorded, live)),
    faults: [],
  }))
}

function readText(given: string | TextFile): TextFile {
  if (typeof given !== 'string') return given
  let bytes
  try {
    bytes = readFileSync(given)
  } catch (error) {
    throw new ReplayError('missing-file', `cannot read ${given}`, { file: given, cause: error })
  }
  if (bytes.length > constants.MAX_STRING_LENGTH) {
    const message = `${given} is larger than a text can be (${constants.MAX_STRING_LENGTH} bytes)`
    throw new ReplayError('bad-recording', message, { file: given })
  }
  if (isUtf8(bytes)) return { file: given, text: bytes.toString() }
  throw new ReplayError('bad-recording', `${given} is no UTF-8 text`, { file: given })
}

function parseFile({ file, text }: TextFile): Recording {
  const { recording, issues } = parseRecording(text)
  const [first] = issues
  if (recording !== null && first === undefined) return recording
  const isSession = /^\s*\{[^\n]*"type"\s*:\s*"session"/.test(text)
  const message = isSession
    ? `${file} is a session log: give it as {session, wire}, since a wire must be chosen for it`
    : issues.map((issue) => `${file}:${issue.line}: ${issue.message}`).join('\n')
  throw new ReplayError('bad-recording', message, { file })
}

async function addFaults(
  faults: readonly Fault[],
  exchanges: readonly ServedExchange[],
): Promise<void> {
  const { faultedAnswer } = await import('./fault.ts')
  for (const fault of faults) {
    const served = findExchange(fault.exchange, exchanges)
    const { times = 1 } = fault
    if (times !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(times) || times < 1)) {
      throw new ReplayError('bad-config', `times of a fault is ${times}, not a number from 1`)
    }
    served.faults.push({ answer: faultedAnswer(fault, served.exchange, served.wire), left: times })
  }
}

/** @throws ReplayError `bad-config` when there is no such exchange. */
export function findExchange(
  wanted: number | ExchangeRef,
  exchanges: readonly ServedExchange[],
): ServedExchange {
  const { n, recording = 0 } = typeof wanted === 'number' ? { n: wanted } : wanted
  const found = exchanges.find(
    (served) => served.exchange.n === n && served.recording === recording,
  )
  if (found !== undefined) return found
  throw new ReplayError('bad-config', `recording ${recording} has no exchange ${n}`)
}
