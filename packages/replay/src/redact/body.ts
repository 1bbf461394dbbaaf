/**
 * Request bodies of a replay, redacted as recorded ones were, so that both can
 * be compared: a live request has the secret where the recorded one has
 * `{{secret:1}}`. Numbers may differ; a request key takes all of them for one.
 */
import type { Recording } from '../recording/recording.ts'
import { secretsOfJson } from './member.ts'
import { createRedactor, type Redactor } from './redactor.ts'
import { hasPlaceholder } from './span.ts'
import type { KnownSecret } from './value.ts'
import { mapTexts } from './walk.ts'

/** Gives a body without its secrets; fits `redact` of an emulator. */
export type BodyRedactor = (body: unknown) => unknown

/**
 * A redactor for the bodies of one run, which remembers the secrets it has seen.
 * @param values secrets known beforehand: those of the agent's environment.
 */
export async function createBodyRedactor(
  values: readonly KnownSecret[] = [],
): Promise<BodyRedactor> {
  const redactor = await createRedactor(values)
  return (body) => redactValue(body, redactor)
}

/** A JSON value without its secrets; the same object when it has none. */
export function redactValue(value: unknown, redactor: Redactor): unknown {
  for (const secret of secretsOfJson(value)) redactor.know(secret)
  mapTexts(value, (text) => {
    redactor.learn([text])
    return text
  })
  return mapTexts(value, (text) => redactor.redact([text])[0] ?? '')
}

/** Whether requests of this recording had secrets; without one a replay needs no redactor. */
export function holdsSecrets({ exchanges }: Recording): boolean {
  return exchanges.some(({ request }) => hasPlaceholder(JSON.stringify(request)))
}
