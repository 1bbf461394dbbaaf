/**
 * The ways a live request does not fit the recording, each as an error that
 * says which call, what differs and what to do.
 */
import { ReplayError, recordCommand } from './error.ts'
import type { ReplayScript } from './load.ts'

/** Which call of which script. */
export type Place = { script: ReplayScript; at: number }

export function mismatched({ script, at }: Place, diff: string): ReplayError {
  const { file } = script
  const message = `${file}: ${nameCall(script, at)}: the request is not the recorded one\n${diff}\n${recordAgain(file)}`
  return new ReplayError('request-mismatch', message, { file, call: at, diff })
}

export function exhausted({ script, at }: Place): ReplayError {
  const { file, entries } = script
  const message = `${file}: the agent made request ${at + 1}, but the script has ${entries.length} calls. ${recordAgain(file)}`
  return new ReplayError('exhausted', message, { file, call: at })
}

export function concurrent({ script, at }: Place): ReplayError {
  const { file } = script
  const message = `${file}: request ${at + 1} came while request ${at} was still streaming; a session has one stream in flight, so take each stream to its end, or return it, before the next`
  return new ReplayError('concurrent-call', message, { file, call: at })
}

export function unknownSession(id: string, scripts: readonly ReplayScript[]): ReplayError {
  const files = scripts.map(({ file }) => file).join(', ')
  const message = `session "${id}" made a request, but all ${scripts.length} recorded sessions are taken (${files}); record the scenario with its child sessions, or list their logs`
  return new ReplayError('unknown-session', message)
}

export function unsupportedPurpose(purpose: string): ReplayError {
  const message = `a request for "${purpose}" is in no session log; leave the plugin that makes it out of the replay composition`
  return new ReplayError('unsupported-purpose', message)
}

export function unused(places: readonly Place[]): ReplayError {
  const parts = places.map(({ script, at }) => {
    const { file, entries } = script
    return `${file}: ${entries.length - at} of ${entries.length} recorded calls were not asked for, the first is ${nameCall(script, at)}. ${recordAgain(file)}`
  })
  return new ReplayError('unused-calls', parts.join('\n'))
}

function recordAgain(file: string): string {
  return `If the change is meant, record the scenario again: ${recordCommand(file)}`
}

function nameCall(script: ReplayScript, at: number): string {
  const call = script.isAligned ? script.recorded[at] : undefined
  const number = `call ${at + 1} of ${script.entries.length}`
  return call === undefined ? number : `${number} (turn ${call.turn}, step ${call.step})`
}
