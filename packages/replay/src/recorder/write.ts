/** A recording on disk: for its owner alone, whole or not at all, and never with a secret. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { ReplayError } from '../error.ts'
import type { Recording } from '../recording/recording.ts'
import { serializeRecording } from '../recording/serialize.ts'
import { findLeaks } from '../redact/recording.ts'
import { createRedactor } from '../redact/redactor.ts'
import { secretsOfEnvironment, type KnownSecret } from '../redact/value.ts'

export type WriteOptions = {
  /** What its names call a secret must not be in the text. */
  env?: Readonly<Record<string, string | undefined>>
  /** Nor must these. */
  secrets?: readonly KnownSecret[]
}

/** Leaks that a message names. */
const leaksMax = 5

/**
 * Writes the text of a recording, mode 0600, in place of what was there.
 * @throws ReplayError `secret-left` when a secret is in it; nothing is written then.
 */
export async function writeRecording(
  file: string,
  recording: Recording,
  { env = {}, secrets = [] }: WriteOptions = {},
): Promise<void> {
  const redactor = await createRedactor([...secrets, ...secretsOfEnvironment(env)])
  const text = serializeRecording(recording)
  const spelled = redactor.find(text, { isOpaque: true }).map(({ rule }) => `value of ${rule}`)
  const leaks = [...new Set([...findLeaks(recording, redactor), ...spelled])]
  if (leaks.length > 0) {
    const more = leaks.length > leaksMax ? ` and ${leaks.length - leaksMax} more` : ''
    throw new ReplayError(
      'secret-left',
      `${file} is not written, for it would hold secrets (${leaks.slice(0, leaksMax).join('; ')}${more}); redact the recording first`,
      { file },
    )
  }
  const draft = `${file}.${process.pid}.tmp`
  try {
    // A left-over draft may be open to others: a mode counts for new files only.
    await rm(draft, { force: true })
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
