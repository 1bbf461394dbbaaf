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
import { createBodyRedactor, holdsSecrets } from '../redact/body.ts'
import type { Redactor } from '../redact/redactor.ts'
import { withoutCredentials, type KnownSecret } from '../redact/value.ts'

/**
 * Not all of a text is a value of its JSON: a name that comes twice, a number.
 * @param redactor knows what was taken out.
 * @throws ReplayError `secret-left`
 */
export function refuseLeftSecrets(recording: Recording, redactor: Redactor): void {
  for (const exchange of recording.exchanges) {
    const text = serializeRecording({ ...recording, exchanges: [exchange] })
    const [left] = redactor.find(text, { isOpaque: true })
    if (left === undefined) continue
    throw new ReplayError(
      'secret-left',
      `a secret (${left.rule}) stands in exchange ${exchange.n} where it cannot be taken out: as a number, or in a member that comes twice`,
    )
  }
}

/**
 * @param sent the exchanges as they were, in the order of the recording.
 * @param values secrets that a replay knows: what else the recorder found, it must find again.
 * @throws ReplayError `proof-failed`, which names the exchanges and shows nothing of them.
 */
export async function proveRecording(
  recording: Recording,
  sent: readonly Exchange[],
  values: readonly KnownSecret[],
): Promise<void> {
  const read = parseRecording(serializeRecording(recording))
  const [issue] = read.issues
  if (issue !== undefined || read.recording === null) {
    throw failure(`line ${issue?.line ?? 1} of its text cannot be read back (${issue?.code})`)
  }
  if (!holdsSecrets(recording)) return
  const { wire, exchanges, provenance } = read.recording
  const keyOf = createKeyer(contextOf(provenance))
  const matcher = createMatcher(
    exchanges.map(({ request }) => ({ key: keyOf(wire, request).key, isOptional: false })),
  )
  const redact = await createBodyRedactor(values)
  const missed = sent.filter(({ request }) => {
    const live = { ...request, path: withoutCredentials(request.path), body: redact(request.body) }
    return matcher.take(keyOf(wire, live).key).kind !== 'found'
  })
  if (missed.length === 0) return
  const list = missed.map(({ n }) => n).join(', ')
  throw failure(
    `without its secrets it no longer matches the requests of exchange ${list}: a secret is known there only by a header, or by what another exchange says; put it into a variable of the environment whose name says that it is a secret`,
  )
}

const failure = (why: string): ReplayError =>
  new ReplayError('proof-failed', `the recording is of no use: ${why}`)
