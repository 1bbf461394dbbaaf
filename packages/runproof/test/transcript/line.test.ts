import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  parseTranscriptLine,
  serializeTranscriptLine,
  type TranscriptLine,
} from '../../src/transcript/line.ts'

const schema = new URL('../../../../docs/formats/transcript.schema.json', import.meta.url)
const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }

describe('parseTranscriptLine', () => {
  it.each<[spelling: string, value: unknown, line: TranscriptLine]>([
    ['version 1', { t: 12, dir: '>', m: request }, { t: 12, dir: '>', m: request }],
    ['version 1, raw', { t: 1, dir: '<', raw: 'booting' }, { t: 1, dir: '<', raw: 'booting' }],
    ['t_ms and msg', { t_ms: 3, dir: '<', msg: request }, { t: 3, dir: '<', m: request }],
    [
      'directions in words',
      { t_ms: 3, dir: 'client->agent', msg: request },
      { t: 3, dir: '>', m: request },
    ],
    [
      'raw with a direction in words',
      { t_ms: 0, dir: 'agent->client', raw: '"text"' },
      { t: 0, dir: '<', raw: '"text"' },
    ],
    [
      'a fact beside its direction',
      { t: 9, dir: 'x', exit: { c: 0, s: null } },
      { t: 9, dir: 'x', m: { exit: { c: 0, s: null } } },
    ],
    [
      'a fact of version 1',
      { t: 9, dir: 'x', m: { stderr: 'a' } },
      { t: 9, dir: 'x', m: { stderr: 'a' } },
    ],
    ['a bare request', request, { t: 0, dir: '<', m: request }],
    [
      'a bare response',
      { jsonrpc: '2.0', id: 1, result: null },
      { t: 0, dir: '<', m: { jsonrpc: '2.0', id: 1, result: null } },
    ],
  ])('reads %s', (_, value, line) => {
    expect(parseTranscriptLine(JSON.stringify(value))).toEqual(line)
  })

  it.each([
    ['', 'not JSON'],
    ['{"t":1', 'not JSON'],
    ['[1]', 'not a JSON object'],
    ['"text"', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{"jsonrpc":"2.0"}', 'neither a transcript line (no "dir") nor a JSON-RPC message'],
    [
      '{"jsonrpc":"1.0","method":"a"}',
      'neither a transcript line (no "dir") nor a JSON-RPC message',
    ],
    ['{"t":1,"dir":"^","m":{}}', '"dir" is not one of ">", "<", "x"'],
    ['{"t":1,"dir":"__proto__","m":{}}', '"dir" is not one of ">", "<", "x"'],
    ['{"t":"1","dir":">","m":{}}', '"t" is not a number of milliseconds'],
    ['{"dir":">","m":{}}', '"t" is not a number of milliseconds'],
    ['{"t":1,"dir":">"}', 'neither a message "m" nor a "raw" line'],
    ['{"t":1,"dir":"<","m":[]}', 'neither a message "m" nor a "raw" line'],
  ])('says what is wrong with %s', (text, problem) => {
    expect(parseTranscriptLine(text)).toEqual({ problem })
  })

  it('reads back every line that it writes, and never throws', () => {
    const time = fc.integer({ min: 0 })
    const dir = fc.constantFrom('>' as const, '<' as const, 'x' as const)
    const message = fc.dictionary(fc.string(), fc.jsonValue())
    const line = fc.oneof(
      fc.record({ t: time, dir, m: message }),
      fc.record({ t: time, dir, raw: fc.string({ unit: 'binary' }) }),
    )
    const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(
      JSON.parse(readFileSync(schema, 'utf8')),
    )
    fc.assert(
      fc.property(line, (value) => {
        const text = serializeTranscriptLine(value)
        expect(validate(JSON.parse(text))).toBe(true)
        expect(text).not.toContain('\n')
        expect(parseTranscriptLine(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    fc.assert(fc.property(fc.json(), (text) => void parseTranscriptLine(text)))
  })
})

const conformance = new URL('../../../../../shared/conformance/', import.meta.url)
const isThere = existsSync(conformance)

describe.skipIf(!isThere)(`recorded transcripts${isThere ? '' : ' (no ../shared here)'}`, () => {
  const files = ['acp-observed/', 'acp-cases/'].flatMap((folder) => {
    const url = new URL(folder, conformance)
    return isThere ? readdirSync(url).map((name) => new URL(name, url)) : []
  })

  it.each(files.map((url) => [url.pathname.split('/').at(-1), url] as const))(
    'reads every line of %s',
    (_, url) => {
      const lines = readFileSync(url, 'utf8').trim().split('\n')
      const problems = lines
        .map((line) => parseTranscriptLine(line))
        .filter((line) => 'problem' in line)
      // The first line of a case is its title, which is no transcript.
      expect(problems).toHaveLength(url.pathname.includes('acp-cases') ? 1 : 0)
    },
  )
})
