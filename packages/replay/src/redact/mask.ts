/**
 * Secrets in requests that are to be compared: every secret and every
 * placeholder becomes one token without a number, because a live request has
 * the secret where a recorded one has `{{secret:1}}`, and has `{{secret:1}}`
 * itself where the model said it.
 */
import type { KeyedRequest } from '../match/key.ts'
import type { Recording } from '../recording/recording.ts'
import { createRedactor } from './redactor.ts'
import { flattenPlaceholders, hasPlaceholder } from './span.ts'
import { secretsOfRequest, withoutCredentials, type KnownSecret } from './value.ts'
import { mapTexts } from './walk.ts'

export type LiveRequest = KeyedRequest & {
  /** As received; what they authenticate with is looked for in the body. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A live request as it is compared with recorded ones that went through `flattenSecrets`. */
export type RequestMask = (request: LiveRequest) => KeyedRequest

/** A recorded request as it is compared: all placeholders are alike. */
export function flattenSecrets<T extends KeyedRequest>(request: T): T {
  return {
    ...request,
    path: flattenPlaceholders(withoutCredentials(request.path)),
    body: mapTexts(request.body, (text) => flattenPlaceholders(text)),
  }
}

/** Whether anything was redacted in it; without that no request needs a mask. */
export function holdsPlaceholders({ exchanges }: Recording): boolean {
  return exchanges.some(
    ({ request, events, body }) =>
      hasPlaceholder(JSON.stringify([request.path, request.body, body])) ||
      events.some(({ data }) => hasPlaceholder(data)),
  )
}

/**
 * A mask for the requests of one run, which remembers the secrets it has seen.
 * @param values secrets of the agent's environment.
 */
export async function createRequestMask(values: readonly KnownSecret[] = []): Promise<RequestMask> {
  const redactor = await createRedactor(values)
  return ({ method, path, headers, body }) => {
    for (const secret of secretsOfRequest(headers, path)) redactor.know(secret)
    const request = { method, path: withoutCredentials(path), body }
    mapTexts([request.path, body], (text) => {
      redactor.learn([text])
      return text
    })
    const redact = (text: string): string => redactor.redact([text])[0] ?? ''
    return flattenSecrets({ ...request, path: redact(request.path), body: mapTexts(body, redact) })
  }
}
