/**
 * Errors of the Gemini API: `{"error": {code, message, status, details}}`, as
 * an HTTP response or as a payload of the stream.
 *
 * Google has one word, RESOURCE_EXHAUSTED, for "too fast" and "used up"; a
 * daily limit among the violated quotas makes it QUOTA. A wrong key is
 * INVALID_ARGUMENT with the reason API_KEY_INVALID.
 *
 * https://ai.google.dev/gemini-api/docs/troubleshooting
 */
import { objectOf, objectsOf, textOf, type JsonObject } from '../json.ts'
import { contextWindowText, statusIn, wordsOf, type ErrorFormat } from '../provider-error.ts'

const spellings: Readonly<Record<string, { status: number; word: string }>> = {
  AUTH: { status: 401, word: 'UNAUTHENTICATED' },
  QUOTA: { status: 429, word: 'RESOURCE_EXHAUSTED' },
  RATE_LIMIT: { status: 429, word: 'RESOURCE_EXHAUSTED' },
  CONTEXT_WINDOW_EXCEEDED: { status: 400, word: 'INVALID_ARGUMENT' },
  INVALID_REQUEST: { status: 400, word: 'INVALID_ARGUMENT' },
  SERVER: { status: 500, word: 'INTERNAL' },
  HTTP_404: { status: 404, word: 'NOT_FOUND' },
}

const wordsByStatus: Readonly<Record<number, string>> = {
  403: 'PERMISSION_DENIED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const typePrefix = 'type.googleapis.com/google.rpc.'

export const geminiErrors: ErrorFormat = {
  wire: 'gemini',
  requestIdHeader: 'x-goog-request-id',
  read(body) {
    const error = objectOf(body.error)
    const details = objectsOf(error.details)
    const isUsedUp = details.some(isDailyQuota)
    return {
      message: textOf(error.message),
      words: [
        ...(isUsedUp ? ['insufficient_quota'] : []),
        ...wordsOf(error.status, ...details.map(({ reason }) => reason)),
      ],
      status: statusIn(error.code),
      retryAfterMs: details.map(retryDelayMs).find((delayMs) => delayMs !== undefined),
    }
  },
  write({ code, message, status: statusInside, retryAfterMs }, status) {
    const number = status ?? statusInside
    const spelling = spellings[code]
    const word = wordsByStatus[number ?? 0] ?? spelling?.word ?? code
    const isWordless = code === 'CONTEXT_WINDOW_EXCEEDED'
    const details = [
      ...(code === 'QUOTA' ? [dailyQuota] : []),
      ...(retryAfterMs === undefined
        ? []
        : [{ '@type': `${typePrefix}RetryInfo`, retryDelay: `${retryAfterMs / 1000}s` }]),
    ]
    return {
      error: {
        ...(number !== undefined && { code: number }),
        message: isWordless ? contextWindowText(message) : message,
        status: word,
        ...(details.length > 0 && { details }),
      },
    }
  },
  statusOf: (code) => spellings[code]?.status,
}

const dailyQuota: JsonObject = {
  '@type': `${typePrefix}QuotaFailure`,
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
}

function isDailyQuota(detail: JsonObject): boolean {
  const ids = objectsOf(detail.violations).map(({ quotaId }) => textOf(quotaId))
  return [...ids, textOf(objectOf(detail.metadata).quota_limit)].some((id) => id.includes('PerDay'))
}

/** A protobuf duration in JSON: seconds with a fraction and an `s`. */
function retryDelayMs(detail: JsonObject): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textOf(detail.retryDelay))?.[1]
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000)
}
