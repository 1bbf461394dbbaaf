/**
 * The plainest value that a JSON Schema accepts, for answers nobody recorded.
 *
 * Reads what providers take in constrained output: types, enums, constants,
 * required members, items, choices, references inside the schema, lengths and
 * bounds; also the capital types of Gemini. Patterns and formats are not read.
 */
import { isObject } from '../object.ts'

type Schema = Record<string, unknown>

/** Deeper schemas refer to themselves. */
const depthMax = 16

export function exampleOf(schema: unknown, text: string): unknown {
  return isObject(schema) ? build(schema, { root: schema, text, depth: 0 }) : {}
}

type Building = { root: Schema; text: string; depth: number }

function build(schema: Schema, building: Building): unknown {
  const { root, depth } = building
  if (depth > depthMax) return null
  const deeper = { ...building, depth: depth + 1 }
  if (typeof schema.$ref === 'string') return build(resolve(root, schema.$ref), deeper)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [choice] = objectsOf(schema.anyOf ?? schema.oneOf)
  if (choice !== undefined)
    return build({ ...schema, anyOf: undefined, oneOf: undefined, ...choice }, deeper)
  const all = objectsOf(schema.allOf)
  if (all.length > 0) return build(merge([{ ...schema, allOf: undefined }, ...all]), deeper)
  return buildType(schema, deeper)
}

function buildType(schema: Schema, building: Building): unknown {
  const { text } = building
  switch (typeOf(schema)) {
    case 'object': {
      const properties = isObject(schema.properties) ? schema.properties : {}
      const names = Array.isArray(schema.required) ? schema.required.map(String) : []
      return Object.fromEntries(
        names.map((name) => {
          const member = properties[name]
          return [name, isObject(member) ? build(member, building) : text]
        }),
      )
    }
    case 'array': {
      const items = isObject(schema.items) ? schema.items : {}
      return Array.from({ length: numberOf(schema.minItems) ?? 0 }, () => build(items, building))
    }
    case 'integer':
    case 'number':
      return buildNumber(schema)
    case 'boolean':
      return false
    case 'null':
      return null
    default: {
      const padded = text.padEnd(numberOf(schema.minLength) ?? 0, '.')
      return padded.slice(0, numberOf(schema.maxLength) ?? padded.length)
    }
  }
}

function buildNumber({
  minimum,
  exclusiveMinimum,
  maximum,
  exclusiveMaximum,
  multipleOf,
}: Schema): number {
  const above = numberOf(exclusiveMinimum)
  const least = numberOf(minimum) ?? (above === undefined ? undefined : above + 1)
  const below = numberOf(exclusiveMaximum)
  const most = numberOf(maximum) ?? (below === undefined ? undefined : below - 1)
  const value = Math.min(Math.max(0, least ?? 0), most ?? Number.MAX_SAFE_INTEGER)
  const step = numberOf(multipleOf)
  return step === undefined ? value : Math.ceil(value / step) * step
}

function typeOf({ type, properties, items }: Schema): string {
  const [first] = Array.isArray(type) ? type : [type]
  if (typeof first === 'string') return first.toLowerCase()
  if (properties !== undefined) return 'object'
  return items === undefined ? 'string' : 'array'
}

function resolve(root: Schema, reference: string): Schema {
  const path = reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter((name) => name !== '')
  const found = path.reduce<unknown>(
    (value, name) =>
      isObject(value) ? value[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined,
    root,
  )
  return isObject(found) ? found : {}
}

/** Later members win, but for properties and required names, which add up. */
function merge(schemas: readonly Schema[]): Schema {
  return {
    ...Object.assign({}, ...schemas),
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)) as unknown,
    required: schemas.flatMap(({ required }) => (Array.isArray(required) ? required : [])),
  }
}

function objectsOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter((member) => isObject(member)) : []
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
