/**
 * The proof that a redacted recording is still one of its run: its text is read
 * back whole, and every request that was really sent, secrets and all, is given
 * an exchange that was recorded for the same request.
 */
import { ReplayError } from '../error.ts'
import { contextOf } from '../match/context.ts'
import { createKeyer } from '../match/key.ts'
import { createMatcher } from '../match/matcher.ts'
import { parseRecording } from '../recording/parse.ts'
import type { Exchange, Recording } from '../recording/recording.ts'
import { serializeRecording } from '../recording/serialize.ts'
import { createRequestMask, holdsPlaceholders } from '../redact/mask.ts'
import { withKeys } from '../redact/key.ts'
import type { KnownSecret } from '../redact/value.ts'
import type { Capture } from './capture.ts'

/**
 * @param sent the exchanges as they were, in the order of the recording.
 * @param values secrets of the run.
 * @throws ReplayError `proof-failed`, which names the exchanges and shows nothing of them.
 */
export async function proveRecording(
  recording: Recording,
  captures: readonly Capture[],
  sent: readonly Exchange[],
  values: readonly KnownSecret[],
): Promise<void> {
  const read = parseRecording(serializeRecording(recording))
  const [issue] = read.issues
  if (issue !== undefined || read.recording === null) {
    throw failure(`line ${issue?.line ?? 1} of its text cannot be read back (${issue?.code})`)
  }
  if (!holdsPlaceholders(recording)) return
  const { wire, exchanges, provenance } = withKeys(read.recording)
  const keyOf = createKeyer(contextOf(provenance))
  const matcher = createMatcher(
    exchanges.map(({ n, request: { key } }) => ({ n, key, isOptional: false })),
  )
  const mask = await createRequestMask(values)
  const headersOf = new Map(captures.map(({ n, headers }) => [n, headers]))
  const missed = sent.filter(({ n, request }) => {
    const live = mask({ ...request, headers: headersOf.get(n) ?? {} })
    return matcher.take(keyOf(wire, live).key).kind !== 'found'
  })
  if (missed.length === 0) return
  const list = missed.map(({ n }) => n).join(', ')
  throw failure(
    `without its secrets it no longer matches the requests of exchange ${list}: a secret is known there only from what another exchange says; put it into a variable of the environment whose name says that it is a secret`,
  )
}

const failure = (why: string): ReplayError =>
  new ReplayError('proof-failed', `the recording is of no use: ${why}`)
