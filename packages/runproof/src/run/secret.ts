/**
 * What agents, providers and the machine said is told and kept without the
 * secrets of the run: no screen and no file shows one. A replay has no key, but
 * the machine has, and the configuration may.
 */
import { isDeepStrictEqual } from 'node:util'
import type { KnownSecret, Redactor } from '@runproof/replay/redact'
import type { Difference, EventChange } from '../compare/difference.ts'
import type { AgentConfig } from '../config/config.ts'
import { RunproofError } from '../error.ts'
import type { Failure } from './failure.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Of the environment, the key of the provider however short it is and whatever
 * it looks like, and what the configuration gives the agent.
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
  /** Whether they hold no secret. */
  isClean: (lines: readonly string[]) => boolean
  failure: (failure: Failure) => Failure
  error: (error: unknown) => unknown
}

export async function createHiding(secrets: readonly KnownSecret[]): Promise<Hiding> {
  const { createRedactor, redactLines, redactValue } = await import('@runproof/replay/redact')
  const finder = await createRedactor(secrets)
  const text = (given: string): string => hideText(given, finder)
  const difference = ({ changes, ...given }: Difference): Difference => ({
    ...given,
    summary: text(given.summary),
    file: text(given.file),
    cause: text(given.cause),
    changes: changes.map((change) =>
      hideChange(change, text, (value) => redactValue(value, finder)),
    ),
  })
  const lines = (given: readonly string[]): string[] => redactLines(given, finder)
  const failure = ({ message, details, ...given }: Failure): Failure => {
    const told = { ...given, message: text(message), details: details.map(text) }
    if (given.difference === undefined) return told
    const hidden = difference(given.difference)
    const isSame = isDeepStrictEqual(hidden, given.difference)
    return {
      ...told,
      details: isSame ? told.details : [...told.details, noGolden],
      difference: hidden,
    }
  }
  return {
    text,
    lines,
    failure,
    isClean: (given) => lines(given).every((line, at) => line === given[at]),
    error: (error) =>
      error instanceof RunproofError ? new RunproofError(error.code, text(error.message)) : error,
  }
}

const noGolden =
  'it holds a secret, shown as {{secret:N}}, which no golden may hold: see that the agent does not get it, or does not say it'

function hideText(text: string, finder: Redactor): string {
  finder.learn([text])
  return finder.redact([text])[0] ?? ''
}

function hideChange(
  change: EventChange,
  text: (text: string) => string,
  value: (value: unknown) => unknown,
): EventChange {
  const hidden = { ...change, event: text(change.event) }
  if ('expected' in hidden) hidden.expected = text(hidden.expected)
  if ('actual' in hidden) hidden.actual = text(hidden.actual)
  if ('fields' in hidden) {
    hidden.fields = hidden.fields.map(({ path, ...sides }) => ({
      path: text(path),
      ...('expected' in sides && { expected: value(sides.expected) }),
      ...('actual' in sides && { actual: value(sides.actual) }),
    }))
  }
  return hidden
}
