/**
 * Requests that ask for no model: whether the server is there, and which
 * models it has. Answered without a recording; the models are those of the
 * recorded requests.
 */
import type { WireName } from '@runproof/llm'
import { isObject } from '../object.ts'
import { endpointOf, familyOf, withoutQuery } from '../match/endpoint.ts'
import type { WireFamily } from '../match/endpoint.ts'
import { answerBody } from './answer.ts'
import type { Answer } from './answer.ts'
import type { ServedExchange } from './load.ts'

/** Paths that agents look at to see whether a server answers. */
const livenessPaths = new Set(['/', '/api/hello'])

/** The answer of a probe, or null for a request that is none. */
export function answerProbe(
  { method, path }: { method: string; path: string },
  wire: WireName,
  models: readonly string[],
): Answer | null {
  if (method !== 'GET' && method !== 'HEAD') return null
  const name = withoutQuery(path)
  if (livenessPaths.has(name)) return { ...answerBody(200, {}, ''), body: null }
  const listing = listings[familyOf(wire)]
  if (name.endsWith('/models')) {
    return answerBody(200, {}, JSON.stringify(listing.list(models.map((id) => listing.model(id)))))
  }
  const id = /\/models\/(.+)$/.exec(name)?.[1]
  if (id === undefined || !models.includes(id)) return null
  return answerBody(200, {}, JSON.stringify(listing.model(id)))
}

/** Models that the recorded requests name, in their order. */
export function modelsOf(exchanges: readonly ServedExchange[]): string[] {
  const models = exchanges.flatMap(({ exchange: { request } }) => {
    const named = isObject(request.body) ? request.body.model : undefined
    const model = endpointOf(request.method, request.path)?.model ?? named
    return typeof model === 'string' ? [model] : []
  })
  return [...new Set(models)]
}

type Listing = { model(id: string): unknown; list(models: unknown[]): unknown }

const openAi: Listing = {
  model: (id) => ({ id, object: 'model', created: 0, owned_by: 'runproof' }),
  list: (data) => ({ object: 'list', data }),
}

const listings: Readonly<Record<WireFamily, Listing>> = {
  chat: openAi,
  responses: openAi,
  anthropic: {
    model: (id) => ({ type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }),
    list: (data) => ({ data, has_more: false }),
  },
  gemini: {
    model: (id) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    }),
    list: (models) => ({ models }),
  },
}
