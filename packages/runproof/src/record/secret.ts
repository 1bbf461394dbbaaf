/**
 * Keys are there while a provider is asked, and agents and providers repeat
 * them: none reaches a screen or a disk.
 */
import type { Redactor } from '@runproof/replay/redact'
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

/**
 * Knows the secrets of a run: of the environment, the key of the provider
 * however short it is, and what the configuration gives the agent.
 */
export async function createRunFinder(
  agent: AgentConfig,
  { env }: Pick<RecordOptions, 'env'>,
): Promise<Redactor> {
  const { secretsOfEnvironment, secretsOfRequest } = await import('@runproof/replay/redact')
  const { key = null, set = null } = agent.provider ?? {}
  const value = key === null ? undefined : env[key]
  return createSecretFinder(env, [
    ...secretsOfEnvironment({ ...agent.env, ...agent.record.env }),
    ...(key === null || value === undefined ? [] : [{ name: key, value }]),
    ...secretsOfRequest(set?.headers ?? {}, ''),
  ])
}

/** What is told of a run. */
export function withoutSecrets(result: RecordResult, finder: Redactor): RecordResult {
  const hide = (text: string): string => {
    finder.learn([text])
    return finder.redact([text])[0] ?? ''
  }
  const { stderr, troubles, asides, failures } = result
  return {
    ...result,
    stderr: hide(stderr),
    troubles: troubles.map(hide),
    asides: asides.map(hide),
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
