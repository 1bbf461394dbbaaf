/**
 * Acceptance: the application's verdict, bound to the text it was given on.
 *
 * Follows seed `000_…`: the digest is SHA-256 of the final text's UTF-8, in
 * lower-case hex. It binds a verdict to a text, so that the pass of an old
 * result cannot be put on a new one. It does not authenticate who gave the
 * verdict: who may append to the log may append one.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Outcome, Payloads } from './envelope.ts'

/** The digest of a well-formed text: 64 lower-case hex digits. */
export function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

/**
 * The data of the `app.checked` event that accepts or rejects the candidate.
 * @param accepted what the application's own check said of `progress.finalText`.
 * @throws TypeError when the run has no candidate, that is, has not ended
 *   `succeeded`, or when `accepted` is no boolean.
 */
export function verdictFor(
  progress: { readonly terminal: Outcome | null; readonly finalText: string | null },
  accepted: boolean,
): Payloads['app.checked'] {
  if (progress.terminal !== 'succeeded' || progress.finalText === null) {
    throw new TypeError('verdictFor: no candidate; the run has not ended succeeded')
  }
  if (typeof accepted !== 'boolean') throw new TypeError('verdictFor: accepted must be a boolean')
  return { digest: digestOf(progress.finalText), ok: accepted }
}
