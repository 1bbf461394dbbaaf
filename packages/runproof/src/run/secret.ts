/**
 * What agents, providers and the machine said is told and kept without the
 * secrets of the run: no screen and no file shows one. A replay has no key, but
 * the machine has, and the configuration may.
 */
import type { KnownSecret } from '@runproof/replay/redact'
import { compareLines } from '../compare/compare.ts'
import type { AgentConfig } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import type { Failure } from './failure.ts'
import type { Output } from './goldens.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Of the environment, the key of the provider whatever it looks like (no secret
 * has less than 8 characters), and what the configuration gives the agent.
 */
export async function secretsOfRun(
  { env: set, record, provider }: Pick<AgentConfig, 'env' | 'record' | 'provider'>,
  env: Environment,
): Promise<KnownSecret[]> {
  const { secretsOfEnvironment, secretsOfRequest } = await import('@runproof/replay/redact')
  const key = provider?.key ?? null
  const value = key === null ? undefined : env[key]
  return [
    ...secretsOfEnvironment({ ...set, ...record.env }),
    ...(key === null || value === undefined ? [] : [{ name: key, value }]),
    ...secretsOfRequest(provider?.set?.headers ?? {}, ''),
    ...secretsOfEnvironment(env),
  ]
}

export type Hiding = {
  text: (text: string) => string
  /** Together: a secret may be spelled over several. */
  lines: (lines: readonly string[]) => string[]
  failure: (failure: Failure) => Failure
  /** One that is as it should be is left as it is: goldens hold no secret. */
  output: (output: Output) => Output
  error: (error: unknown) => unknown
}

export async function createHiding(secrets: readonly KnownSecret[]): Promise<Hiding> {
  const { createRedactor, redactLines } = await import('@runproof/replay/redact')
  const finder = await createRedactor(secrets)
  const text = (given: string): string => {
    finder.learn([given])
    return finder.redact([given])[0] ?? ''
  }
  const lines = (given: readonly string[]): string[] => redactLines(given, finder)
  return {
    text,
    lines,
    failure: (failure) => ({
      ...failure,
      message: text(failure.message),
      details: failure.details.map(text),
    }),
    output: (output) => hideOutput(output, lines),
    error: (error) =>
      error instanceof RunproofError ? new RunproofError(error.code, text(error.message)) : error,
  }
}

/** With a difference that is made of what may be shown. */
function hideOutput(output: Output, hide: Hiding['lines']): Output {
  const { file, expected, actual, difference } = output
  if (difference === null || actual === null) return output
  const [shownFile = '', ...shown] = hide([file, ...actual])
  if (shownFile === file && shown.every((line, at) => line === actual[at])) return output
  const { scenario } = difference
  const hidden = compareLines({ scenario, file: shownFile, expected, actual: shown })
  return {
    ...output,
    file: shownFile,
    actual: shown,
    difference: hidden ?? { ...difference, file: shownFile, changes: [] },
    holdsSecret: true,
  }
}
