import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleMessage, wireNames, wires } from '@runproof/llm'
import type { WireName } from '@runproof/llm'
import { decodeSse } from '@runproof/sse'
import { exampleOf } from '../../src/emulator/schema-example.ts'
import { requestOf, said } from '../match/requests.ts'
import { recordingOf } from '../recording/recordings.ts'
import { fixtureFile } from '../scenarios.ts'
import { emulate, paths, send } from './client.ts'

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    tag: { enum: ['seed', 'tree'] },
    extra: { type: 'null' },
  },
  required: ['title', 'tag'],
  additionalProperties: false,
}

/** A request that wants its answer in the schema's form. */
const demands: Record<WireName, Record<string, unknown>> = {
  deepseek: { stream: true, response_format: { type: 'json_object' } },
  'openai-chat': {
    stream: true,
    response_format: { type: 'json_schema', json_schema: { name: 'title', schema } },
  },
  'openai-responses': {
    stream: true,
    text: { format: { type: 'json_schema', name: 'title', schema } },
  },
  anthropic: { stream: true, output_config: { format: { type: 'json_schema', schema } } },
  gemini: {
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  },
}

describe.each(wireNames)('auxiliary calls of %s', (wire) => {
  const recordings = [recordingOf([{ ask: {}, path: paths[wire] }], { wire })]

  const textOf = (answer: string): string => {
    const decoder = wires[wire].createDecoder()
    const { events } = decodeSse([Buffer.from(answer)])
    const chunks = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()]
    const { content, finish } = assembleMessage(chunks)
    expect(finish).toMatchObject({ kind: 'stop' })
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  }

  it('are misses unless it is said otherwise', async () => {
    const { url, misses } = await emulate({ recordings })
    expect((await send(url, { path: paths[wire], body: demands[wire] })).status).toBe(400)
    expect(misses).toHaveLength(1)
  })

  it('get what they demand', async () => {
    const { url, misses } = await emulate({ recordings, auxiliary: 'answer' })
    const { text } = await send(url, { path: paths[wire], body: demands[wire] })
    expect(JSON.parse(textOf(text))).toEqual(
      wire === 'deepseek' ? {} : { title: 'OK', tag: 'seed' },
    )
    expect(misses).toEqual([])
  })

  it('get some words when they demand nothing and offer no tools', async () => {
    const { url } = await emulate({ recordings, auxiliary: 'answer' })
    const { text } = await send(url, { path: paths[wire], body: { stream: true } })
    expect(textOf(text)).toBe('OK')
  })

  it('get one body when they want no stream', async () => {
    const { url } = await emulate({ recordings, auxiliary: 'answer' })
    const path = paths[wire].replace(':streamGenerateContent?alt=sse', ':generateContent')
    const { headers, text } = await send(url, { path, body: { ...demands[wire], stream: false } })
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.stringify(JSON.parse(text))).toContain(
      wire === 'deepseek'
        ? '{}'
        : JSON.stringify(JSON.stringify({ title: 'OK', tag: 'seed' })).slice(1, -1),
    )
  })

  it('are none when they offer tools: such a request is recorded or a miss', async () => {
    const { url, misses } = await emulate({ recordings, auxiliary: 'answer' })
    const { path, body } = requestOf(wire, said)
    expect((await send(url, { path, body })).status).toBe(400)
    expect(misses).toHaveLength(1)
  })
})

describe('beside a session log', () => {
  const session = fixtureFile('kitchen/session.jsonl')
  const tools = [{ name: 'bash', input_schema: { type: 'object' } }]
  const body = (...words: string[]): unknown => ({
    stream: true,
    tools,
    messages: words.map((content, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content,
    })),
  })
  const path = '/v1/messages'

  it('a request that ends with other words than the log is auxiliary, one that goes on is not', async () => {
    const outcomes: string[] = []
    const { url, misses } = await emulate({
      recordings: [{ session, wire: 'anthropic' }],
      auxiliary: 'answer',
      onRequest: ({ outcome }) => outcomes.push(outcome),
    })
    await send(url, {
      path,
      body: { stream: true, messages: [{ role: 'user', content: 'List the pantry.' }] },
    })
    await send(url, { path, body: body('List the pantry.') })
    await send(url, {
      path,
      body: body('List the pantry.', 'Flour.', 'Suggest what I might say next.'),
    })
    await send(url, { path, body: body('List the pantry.', 'Flour.', 'List the pantry.', 'Salt.') })
    await send(url, { path, body: { stream: true, tools, messages: [] } })
    expect(outcomes).toEqual(['auxiliary', 'scripted', 'auxiliary', 'miss', 'auxiliary'])
    expect(misses[0]?.message).toContain('"List the pantry." after 1 answers')
  })

  it("a request without tools is the log's own for an agent that never offers any", async () => {
    const outcomes: string[] = []
    const { url } = await emulate({
      recordings: [{ session, wire: 'anthropic' }],
      auxiliary: 'answer-schema',
      onRequest: ({ outcome }) => outcomes.push(outcome),
    })
    const messages = [{ role: 'user', content: 'List the pantry.' }]
    await send(url, { path, body: { ...demands.anthropic, messages } })
    await send(url, { path, body: { stream: true, messages } })
    await send(url, { path, body: { stream: true, messages } })
    expect(outcomes).toEqual(['auxiliary', 'scripted', 'miss'])
  })
})

describe('an example of a schema', () => {
  const anySchema = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({ type: fc.constantFrom('string', 'boolean', 'null') }),
      fc.record({
        type: fc.constant('string'),
        minLength: fc.nat({ max: 9 }),
        maxLength: fc.integer({ min: 9, max: 12 }),
      }),
      fc.record({
        type: fc.constantFrom('integer', 'number'),
        minimum: fc.integer({ min: -9, max: 9 }),
      }),
      fc.record({
        type: fc.constant('integer'),
        exclusiveMinimum: fc.nat({ max: 9 }),
        multipleOf: fc.integer({ min: 1, max: 5 }),
      }),
      fc.record({
        type: fc.constant('integer'),
        exclusiveMaximum: fc.integer({ min: -9, max: 0 }),
      }),
      fc.record({ const: fc.jsonValue() }),
      fc.record({ enum: fc.uniqueArray(fc.integer(), { minLength: 1 }) }),
      fc.record({ type: fc.constant(['null', 'string']) }),
      fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat({ max: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc
        .dictionary(fc.stringMatching(/^[a-z]{1,4}$/), tie('schema'), { maxKeys: 3 })
        .map((properties) => ({ properties, required: Object.keys(properties).slice(0, 2) })),
    ),
  })).schema

  it('is accepted by it', () => {
    fc.assert(
      fc.property(anySchema, (given) => {
        const validate = new Ajv({ strict: false }).compile(given)
        expect(validate(exampleOf(given, 'OK')), JSON.stringify(validate.errors)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it.each<[string, unknown, unknown]>([
    ['a reference', { $ref: '#/definitions/a~1b', definitions: { 'a/b': { const: 7 } } }, 7],
    ['a reference to nothing', { $ref: '#/nowhere' }, 'OK'],
    ['a schema that holds itself', { $ref: '#' }, null],
    [
      'parts that all hold',
      {
        allOf: [
          { properties: { a: { const: 1 } }, required: ['a'] },
          { type: 'object', properties: { b: { const: 2 } }, required: ['b', 'c'] },
        ],
      },
      { a: 1, b: 2, c: 'OK' },
    ],
    [
      'the capital types of Gemini',
      { type: 'OBJECT', properties: { n: { type: 'INTEGER' } }, required: ['n'] },
      { n: 0 },
    ],
    ['a list without a type', { items: {} }, []],
    ['a text that is too long', { type: 'string', maxLength: 1 }, 'O'],
    ['no schema at all', true, {}],
  ])('%s', (_name, given, expected) => {
    expect(exampleOf(given, 'OK')).toEqual(expected)
  })
})
