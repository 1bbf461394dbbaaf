import { wireNames, wires, type LlmFailure, type WireName } from '@runproof/llm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Case = {
  wire: WireName
  title: string
  status: number
  headers?: Record<string, string>
  body: object | string
  failure: Partial<LlmFailure>
}

const quotaDetail = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
}
const minuteDetail = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }],
}
const retryDetail = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36.5s' }

const openAi = (message: string, type: string, code: string | null): object => ({
  error: { message, type, param: null, code },
})
const claude = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_body',
})
const google = (code: number, status: string, message: string, details: object[] = []): object => ({
  error: { code, message, status, details },
})

const cases: Case[] = [
  {
    wire: 'openai-chat',
    title: 'a wrong key',
    status: 401,
    headers: { 'X-Request-Id': 'req_1' },
    body: openAi('Incorrect API key provided', 'invalid_request_error', 'invalid_api_key'),
    failure: { code: 'AUTH', status: 401, requestId: 'req_1' },
  },
  {
    wire: 'openai-chat',
    title: 'a forbidden region',
    status: 403,
    body: openAi(
      'Country not supported',
      'request_forbidden',
      'unsupported_country_region_territory',
    ),
    failure: { code: 'AUTH', status: 403 },
  },
  {
    wire: 'openai-chat',
    title: 'too many requests, in milliseconds',
    status: 429,
    headers: { 'retry-after-ms': '350', 'retry-after': '1' },
    body: openAi('Rate limit reached', 'requests', 'rate_limit_exceeded'),
    failure: { code: 'RATE_LIMIT', retryAfterMs: 350 },
  },
  {
    wire: 'openai-chat',
    title: 'no money under the status of a rate limit',
    status: 429,
    body: openAi('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
    failure: { code: 'QUOTA' },
  },
  {
    wire: 'openai-chat',
    title: 'a prompt that is too long',
    status: 400,
    body: openAi('too long', 'invalid_request_error', 'context_length_exceeded'),
    failure: { code: 'CONTEXT_WINDOW_EXCEEDED', message: 'too long' },
  },
  {
    wire: 'openai-responses',
    title: 'a server error',
    status: 500,
    body: openAi('The server had an error', 'server_error', null),
    failure: { code: 'SERVER' },
  },
  {
    wire: 'openai-responses',
    title: 'a model that is not there',
    status: 404,
    body: openAi('The model does not exist', 'invalid_request_error', 'model_not_found'),
    failure: { code: 'HTTP_404' },
  },
  {
    wire: 'deepseek',
    title: 'a wrong key, with a code that says something else',
    status: 401,
    body: openAi('Authentication Fails', 'authentication_error', 'invalid_request_error'),
    failure: { code: 'AUTH' },
  },
  {
    wire: 'deepseek',
    title: 'an empty account',
    status: 402,
    body: openAi('Insufficient Balance', 'unknown_error', 'invalid_request_error'),
    failure: { code: 'QUOTA' },
  },
  {
    wire: 'deepseek',
    title: 'a prompt that is too long, by its message only',
    status: 400,
    body: openAi(
      "This model's maximum context length is 131072 tokens. However, you requested 200000 tokens",
      'invalid_request_error',
      'invalid_request_error',
    ),
    failure: { code: 'CONTEXT_WINDOW_EXCEEDED' },
  },
  {
    wire: 'deepseek',
    title: 'wrong parameters',
    status: 422,
    body: openAi('temperature', 'invalid_request_error', 'invalid_request_error'),
    failure: { code: 'INVALID_REQUEST' },
  },
  {
    wire: 'anthropic',
    title: 'a wrong key',
    status: 401,
    headers: { 'request-id': 'req_header' },
    body: claude('authentication_error', 'invalid x-api-key'),
    failure: { code: 'AUTH', requestId: 'req_header' },
  },
  {
    wire: 'anthropic',
    title: 'no permission',
    status: 403,
    body: claude('permission_error', 'not yours'),
    failure: { code: 'AUTH', requestId: 'req_body' },
  },
  {
    wire: 'anthropic',
    title: 'too many requests',
    status: 429,
    headers: { 'retry-after': '17' },
    body: claude('rate_limit_error', 'slow down'),
    failure: { code: 'RATE_LIMIT', retryAfterMs: 17_000 },
  },
  {
    wire: 'anthropic',
    title: 'a prompt that is too long',
    status: 400,
    body: claude('invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'),
    failure: { code: 'CONTEXT_WINDOW_EXCEEDED' },
  },
  {
    wire: 'anthropic',
    title: 'a body that is too large',
    status: 413,
    body: claude('request_too_large', 'Request exceeds the maximum size'),
    failure: { code: 'INVALID_REQUEST' },
  },
  {
    wire: 'anthropic',
    title: 'overload',
    status: 529,
    body: claude('overloaded_error', 'Overloaded'),
    failure: { code: 'SERVER', status: 529 },
  },
  {
    wire: 'gemini',
    title: 'a wrong key as a bad argument',
    status: 400,
    body: google(400, 'INVALID_ARGUMENT', 'API key not valid', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    failure: { code: 'AUTH', status: 400 },
  },
  {
    wire: 'gemini',
    title: 'a limit a minute, in a list of one',
    status: 429,
    body: [google(429, 'RESOURCE_EXHAUSTED', 'slow down', [minuteDetail, retryDetail])],
    failure: { code: 'RATE_LIMIT', retryAfterMs: 36_500 },
  },
  {
    wire: 'gemini',
    title: 'a limit a day',
    status: 429,
    body: google(429, 'RESOURCE_EXHAUSTED', 'come back tomorrow', [quotaDetail]),
    failure: { code: 'QUOTA' },
  },
  {
    wire: 'gemini',
    title: 'a prompt that is too long',
    status: 400,
    body: google(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    failure: { code: 'CONTEXT_WINDOW_EXCEEDED' },
  },
  {
    wire: 'gemini',
    title: 'overload',
    status: 503,
    body: google(503, 'UNAVAILABLE', 'The model is overloaded.'),
    failure: { code: 'SERVER', status: 503 },
  },
  {
    wire: 'anthropic',
    title: "a proxy's page",
    status: 502,
    body: '<html>Bad gateway</html>',
    failure: { code: 'SERVER', message: 'HTTP 502: <html>Bad gateway</html>' },
  },
  {
    wire: 'gemini',
    title: 'nothing at all, and a date to wait for',
    status: 418,
    headers: { 'retry-after': 'Mon, 30 Nov 2026 12:00:00 GMT' },
    body: '',
    failure: { code: 'HTTP_418', message: 'HTTP 418' },
  },
]

describe('parseError', () => {
  it.each(cases)('$wire: $title', ({ wire, status, headers = {}, body, failure }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const parsed = wires[wire].parseError(status, headers, text)
    expect(parsed).toMatchObject({ status, ...failure })
    expect('retryAfterMs' in parsed).toBe('retryAfterMs' in failure)
  })

  it.each(wireNames)('%s never throws, whatever the body', (wire) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 599 }),
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((value) => `{"error":${value}}`),
        ),
        (status, body) => {
          const failure = wires[wire].parseError(status, {}, body)
          expect(failure.status).toBe(status)
          expect(failure.message).not.toBe('')
        },
      ),
    )
  })
})

const shapeable: { code: string; status?: number }[] = [
  { code: 'AUTH' },
  { code: 'AUTH', status: 403 },
  { code: 'QUOTA' },
  { code: 'RATE_LIMIT' },
  { code: 'CONTEXT_WINDOW_EXCEEDED' },
  { code: 'INVALID_REQUEST' },
  { code: 'INVALID_REQUEST', status: 413 },
  { code: 'SERVER' },
  { code: 'SERVER', status: 503 },
  { code: 'SERVER', status: 529 },
  { code: 'HTTP_404' },
  { code: 'HTTP_418' },
]

describe.each(wireNames)('shapeError of %s', (wire) => {
  const { [wire]: own } = wires

  it.each(shapeable)('$code $status is read back', ({ code, status }) => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.record({ retryAfterMs: fc.nat(600_000), requestId: fc.uuid() }, { requiredKeys: [] }),
        (message, details) => {
          const failure = { message, code, ...details, ...(status === undefined ? {} : { status }) }
          const shaped = own.shapeError(failure)
          const back = own.parseError(shaped.status, shaped.headers, shaped.body)
          expect(back).toEqual({ ...failure, status: shaped.status, message: back.message })
          expect(back.message).toContain(message)
        },
      ),
      { numRuns: 30 },
    )
  })

  it.each([
    { code: 'ABORTED' },
    { code: 'STREAM_CLOSED' },
    { code: 'TIMEOUT' },
    { code: 'RATE_LIMIT', status: 500 },
    { code: 'HTTP_404', status: 500 },
  ])('refuses $code $status by name', (failure) => {
    expect(() => own.shapeError({ message: 'x', ...failure })).toThrow(
      new RegExp(`has no HTTP response for ${failure.code}`),
    )
  })
})
