/**
 * Keys are there while a provider is asked, and agents and providers repeat
 * them: none reaches a screen or a disk.
 */
import type { AgentConfig } from '../config/config.ts'
import { createSecretFinder, guardSecrets } from '../guard/secret.ts'
import type { Failure } from '../run/failure.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { RecordOptions, RecordResult } from './record.ts'

type Environment = RecordOptions['env']

/** With the key under a name that says what it is, whatever the project calls it. */
export function environmentOf(
  { provider }: AgentConfig,
  { env }: Pick<RecordOptions, 'env'>,
): Environment {
  return provider?.key == null ? env : { ...env, RUNPROOF_PROVIDER_KEY: env[provider.key] }
}

/** What is told of a run. */
export async function withoutSecrets(
  result: RecordResult,
  env: Environment,
): Promise<RecordResult> {
  const finder = await createSecretFinder(env)
  const hide = (text: string): string => {
    finder.learn([text])
    return finder.redact([text])[0] ?? ''
  }
  const { stderr, troubles, failures } = result
  return {
    ...result,
    stderr: hide(stderr),
    troubles: troubles.map(hide),
    failures: failures.map((failure) => ({
      ...failure,
      message: hide(failure.message),
      details: failure.details.map(hide),
    })),
  }
}

/** What is about to be written: a secret in it, and it is not. */
export async function findLeaks(
  { name, folder }: Scenario,
  texts: ReadonlyMap<string, string>,
  env: Environment,
): Promise<Failure[]> {
  const found = await guardSecrets({ name, folder, texts }, await createSecretFinder(env))
  return found.map(({ path, line, message }) => ({
    code: 'guard',
    step: null,
    message: `not written, ${path.slice(folder.length + 1)}:${line}: ${message}`,
    details: [],
  }))
}
