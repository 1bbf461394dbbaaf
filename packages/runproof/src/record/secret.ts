/**
 * Keys are there while a provider is asked, and agents and providers repeat
 * them: none reaches a screen or a disk.
 */
import type { KnownSecret } from '@runproof/replay/redact'
import { guardSecrets } from '../guard/secret.ts'
import type { Failure } from '../run/failure.ts'
import type { Hiding } from '../run/secret.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { RecordResult } from './record.ts'

/** What is told of a run. */
export function withoutSecrets(result: RecordResult, { text, failure }: Hiding): RecordResult {
  const { stderr, troubles, asides, failures } = result
  return {
    ...result,
    stderr: text(stderr),
    troubles: troubles.map(text),
    asides: asides.map(text),
    failures: failures.map(failure),
  }
}

/** What is about to be written: a secret in it, and it is not. */
export async function findLeaks(
  { name, folder }: Scenario,
  texts: ReadonlyMap<string, string>,
  secrets: readonly KnownSecret[],
): Promise<Failure[]> {
  const { createRedactor } = await import('@runproof/replay/redact')
  const found = await guardSecrets({ name, folder, texts }, await createRedactor(secrets))
  return found.map(({ path, line, message }) => ({
    code: 'guard',
    step: null,
    message: `not written, ${path.slice(folder.length + 1)}:${line}: ${message}`,
    details: [],
  }))
}
