import { Ajv } from 'ajv'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseRecording, requestKey, serializeRecording } from '@runproof/replay'
import { anyRecording, ask, fixtures, recordingOf } from './recordings.ts'

const schemaFile = new URL('../../../../docs/formats/recording.schema.json', import.meta.url)

describe('fixtures', () => {
  it.each(fixtures)('$name: reading and writing gives the same text', ({ text, recording }) => {
    expect(serializeRecording(recording)).toBe(text)
  })

  it.each(fixtures)('$name: keys are those of its requests', ({ recording }) => {
    for (const { request } of recording.exchanges) {
      expect(requestKey(recording.wire, request).key).toBe(request.key)
    }
  })

  it.each(fixtures)('$name: every line meets the schema', ({ text }) => {
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(schemaFile, 'utf8')),
    )
    for (const line of text.trimEnd().split('\n')) {
      expect(validate(JSON.parse(line)), `${line} ${JSON.stringify(validate.errors)}`).toBe(true)
    }
  })
})

describe('laws', () => {
  it('a recording that is written and read is the same', () => {
    fc.assert(
      fc.property(anyRecording, (recording) => {
        const { recording: read, issues } = parseRecording(serializeRecording(recording))
        expect(issues).toEqual([])
        expect(read).toEqual(recording)
      }),
    )
  })

  it('what is written meets the schema', () => {
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(schemaFile, 'utf8')),
    )
    fc.assert(
      fc.property(anyRecording, (recording) => {
        for (const line of serializeRecording(recording).trimEnd().split('\n')) {
          expect(validate(JSON.parse(line)), line).toBe(true)
        }
      }),
    )
  })

  it('no text makes the reader throw', () => {
    const lines = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          type: fc.constantFrom(
            'recording',
            'blob',
            'exchange/request',
            'exchange/response',
            'exchange/event',
            'exchange/body',
            'exchange/end',
            'other',
          ),
          n: fc.oneof(fc.constantFrom(0, 1, 2), fc.jsonValue()),
          version: fc.constantFrom(1, 2),
          wire: fc.constantFrom('gemini', 'x'),
          source: fc.constantFrom('live', 'x'),
          method: fc.jsonValue(),
          path: fc.jsonValue(),
          key: fc.jsonValue(),
          headers: fc.jsonValue(),
          body: fc.jsonValue(),
          status: fc.jsonValue(),
          dtMs: fc.jsonValue(),
          data: fc.jsonValue(),
          cuts: fc.jsonValue(),
          kind: fc.constantFrom('eof', 'x'),
        })
        .map((line) => JSON.stringify(line)),
    )
    fc.assert(
      fc.property(fc.array(lines), (text) => {
        const { recording, issues } = parseRecording(text.join('\n'))
        expect(recording !== null || issues.length > 0).toBe(true)
      }),
    )
  })
})

/** The lines of a recording with these tools in its request. */
const write = (tools: unknown[]): string[] =>
  serializeRecording(recordingOf([{ ask: { tools } }])).split('\n')

describe('blobs', () => {
  const long = 'You are careful and kind to those who read what you write. '.repeat(8)
  const tool = { name: 'read', description: 'Reads a file.'.repeat(20), parameters: { $ref: '#' } }
  const request = (words: string): unknown => ({ ...ask(words), system: long, tools: [tool] })

  it('a text and a tool that every request repeats are written once', () => {
    const text = serializeRecording(recordingOf([{ ask: request('a') }, { ask: request('b') }]))
    expect(text.split(long)).toHaveLength(2)
    expect(text.split(JSON.stringify(tool))).toHaveLength(2)
    expect(text.match(/"\$blob"/g)).toHaveLength(4)
  })

  it('an exchange more changes no other line', () => {
    const before = serializeRecording(recordingOf([{ ask: request('a') }]))
    const after = serializeRecording(recordingOf([{ ask: request('a') }, { ask: request('b') }]))
    expect(after.startsWith(before)).toBe(true)
    expect(after.slice(before.length)).not.toContain('"type":"blob"')
  })

  it('one changed word in a tool changes the lines of that tool only', () => {
    const other = { ...tool, name: 'write' }
    const changed = { ...other, description: `${other.description} Now.` }
    const [before, after] = [write([tool, other]), write([tool, changed])]
    const differing = before.filter((line) => !after.includes(line))
    expect(differing.map((line) => JSON.parse(line).type)).toEqual(['blob', 'exchange/request'])
  })
})
