/**
 * What a request wants beside the next words of its conversation: tools called,
 * an answer in a given form. It tells a call of the work from one beside it.
 *
 * Follows `response_format` (Chat Completions), `text.format` (Responses),
 * `output_config.format` (Messages) and `generationConfig` (Gemini).
 */
import type { WireName } from '@runproof/llm'
import { isObject } from '../object.ts'
import { familyOf } from './endpoint.ts'
import type { WireFamily } from './endpoint.ts'
import { toolNames } from './lane.ts'

export type Demand = {
  /** Whether it offers tools. */
  tools: boolean
  /** Whether the answer has to be JSON that fits a schema, or any JSON. */
  schema: boolean
}

/** What the body of a model call demands, canonical or as it was sent. */
export function describeDemand(wire: WireName, body: unknown): Demand {
  return {
    tools: toolNames(body).length > 0,
    schema: demandOf(familyOf(wire), body) !== undefined,
  }
}

/** The schema that the answer has to meet, any object where none is named; undefined when it may be any text. */
export function demandOf(family: WireFamily, body: unknown): unknown {
  if (!isObject(body)) return undefined
  const format = formats[family](body)
  if (!isObject(format)) return undefined
  const { type, json_schema: named, schema } = format
  if (type === 'text' || type === 'grammar') return undefined
  return (isObject(named) ? named.schema : schema) ?? { type: 'object' }
}

const formats: Readonly<Record<WireFamily, (body: Record<string, unknown>) => unknown>> = {
  chat: ({ response_format: format }) => format,
  responses: ({ text }) => (isObject(text) ? text.format : undefined),
  anthropic: ({ output_config: config, output_format: format }) =>
    format ?? (isObject(config) ? config.format : undefined),
  gemini({ generationConfig: config }) {
    if (!isObject(config)) return undefined
    const schema = config.responseJsonSchema ?? config.responseSchema
    const isJson = config.responseMimeType === 'application/json'
    return schema === undefined && !isJson ? undefined : { schema }
  },
}
