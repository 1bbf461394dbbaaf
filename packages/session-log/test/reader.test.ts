import { describe, expect, it } from 'vitest'
import { createSessionReader, parseSessionLog } from '@runproof/session-log'
import { fixtureText } from './logs.ts'

const header = '{"type":"session","version":0,"id":"s","createdAt":1}'
const turn = (seq: number): string =>
  `{"type":"turn/start","seq":${seq},"time":1,"data":{"turn":1}}`

describe('a sound log', () => {
  it('gives header and events, an unknown type among them', () => {
    const log = parseSessionLog(fixtureText('two-turns'))
    expect(log).toMatchObject({ issue: null, torn: null, unterminated: false, eventCount: 41 })
    expect(log.header).toMatchObject({ id: '6f1c2a52-0d0f-4b53-9d6e-3f6f2f1f7a10', version: 0 })
    expect(log.events[29]).toEqual({
      type: 'kettle/whistled',
      seq: 29,
      time: 1790000000203,
      data: { loud: true },
      ignorable: true,
    })
  })

  it('keeps header fields of the next generation and of nobody', () => {
    expect(parseSessionLog(fixtureText('next-generation-header')).header).toMatchObject({
      origin: 'subagent',
      delegationDepth: 1,
      agentPreset: 'barista',
      kitchen: 'west',
    })
  })

  it.each([
    ['Windows line ends', `${header}\r\n${turn(0)}\r\n`],
    ['blank lines', `\n${header}\n\n${turn(0)}\n  \n`],
  ])('may have %s', (_name, text) => {
    expect(parseSessionLog(text)).toMatchObject({ issue: null, torn: null, eventCount: 1 })
  })
})

describe('a refused log', () => {
  const cases: [code: string, line: number, message: RegExp, lines: string[]][] = [
    ['empty', 1, /never began/, []],
    ['bad-header', 1, /not a session header/, ['{}', turn(0)]],
    ['bad-header', 1, /not a session header/, ['not JSON', turn(0)]],
    ['bad-header', 1, /version/, ['{"type":"session","version":"0","id":"s","createdAt":1}']],
    ['bad-header', 1, /id/, ['{"type":"session","version":0,"createdAt":1}']],
    ['bad-header', 1, /createdAt/, ['{"type":"session","version":0,"id":"s"}']],
    ['bad-header', 1, /cwd/, ['{"type":"session","version":0,"id":"s","createdAt":1,"cwd":5}']],
    ['bad-header', 1, /seedLength/, [header.replace('}', ',"seedLength":-1}')]],
    ['newer-version', 1, /version 4.*up to 0/, [header.replace('"version":0', '"version":4')]],
    ['bad-json', 3, /not JSON: \{"type/, [header, turn(0), '{"type":"turn/', turn(1)]],
    ['bad-event', 2, /not a JSON object/, [header, '[]']],
    ['bad-event', 2, /type is not a text/, [header, '{"seq":0}']],
    ['bad-event', 2, /time/, [header, '{"type":"a/b","seq":0,"data":{}}']],
    ['bad-event', 2, /data is not an object/, [header, '{"type":"a/b","seq":0,"time":1}']],
    ['bad-seq', 3, /seq is 2 where 1 must follow/, [header, turn(0), turn(2)]],
    ['bad-seq', 3, /seq is 0 where 1 must follow/, [header, turn(0), turn(0)]],
    ['bad-seq', 2, /seq is missing/, [header, '{"type":"a/b","time":1,"data":{}}']],
  ]

  it.each(cases)('%s at line %i: %s', (code, line, message, lines) => {
    const { issue } = parseSessionLog(lines.map((text) => `${text}\n`).join(''))
    expect(issue).toMatchObject({ code, line })
    expect(issue?.message).toMatch(message)
    expect(issue?.message).toMatch(new RegExp(`^line ${line}: `))
  })

  it('gives the events before the defect and none after it', () => {
    const log = parseSessionLog([header, turn(0), '???', turn(1), ''].join('\n'))
    expect(log.events.map(({ seq }) => seq)).toEqual([0])
    expect(log.torn).toBeNull()
  })

  it('is refused for a line over the limit, also before its end has come', () => {
    const reader = createSessionReader({ lineLengthMax: 100 })
    reader.push(`${header}\n`)
    reader.push('x'.repeat(101))
    expect(reader.end().issue).toMatchObject({ code: 'line-too-long', line: 2 })
    expect(parseSessionLog(`${header}\n`, { lineLengthMax: 10 }).issue).toMatchObject({
      code: 'line-too-long',
      line: 1,
    })
  })
})

describe('core events are refused when', () => {
  const cases: [what: RegExp, event: Record<string, unknown>][] = [
    [/data\.turn is not a count/, { type: 'turn/start', data: { turn: 'one' } }],
    [/data\.turn is not a count/, { type: 'turn/start', data: { turn: 1.5 } }],
    [
      /data\.reason is not an object with a kind/,
      { type: 'turn/end', data: { turn: 1, reason: {} } },
    ],
    [/data\.chunk/, { type: 'assistant/chunk', data: { turn: 1, step: 1 } }],
    [
      /data\.content is not a list/,
      { type: 'user/message', data: { content: 'hello', source: { kind: 'user' } } },
    ],
    [
      /data\.content\[0\] is not a block of type text or image/,
      { type: 'user/message', data: { content: [{ type: 'video' }], source: { kind: 'user' } } },
    ],
    [
      /data\.content\[1\]\.arguments is not a text/,
      {
        type: 'assistant/message',
        data: {
          turn: 1,
          step: 1,
          content: [
            { type: 'text', text: '' },
            { type: 'tool-call', id: 'c', name: 'n' },
          ],
        },
      },
    ],
    [
      /data\.interrupted/,
      { type: 'assistant/message', data: { turn: 1, step: 1, content: [], interrupted: 1 } },
    ],
    [
      /data\.isError/,
      { type: 'tool/result', data: { turn: 1, step: 1, callId: 'c', content: [] } },
    ],
    [/data\.header is not an object/, { type: 'request/header', data: { header: 1, reason: 'r' } }],
    [/data\.todos is not a list/, { type: 'todo/write', data: { todos: {} } }],
    [/sourceEventSeqs/, { type: 'a/b', data: {}, sourceEventSeqs: [-1] }],
    [/surfaceOp/, { type: 'a/b', data: {}, surfaceOp: 'prepend' }],
    [
      /replaces messages not in view/,
      {
        type: 'context/message',
        data: { content: [], source: { kind: 'plugin' } },
        surfaceOp: { op: 'replace', start: 0, end: 3 },
      },
    ],
  ]

  it.each(cases)('%s', (what, event) => {
    const line = JSON.stringify({ seq: 0, time: 1, ...event })
    const { issue } = parseSessionLog(`${header}\n${line}\n`)
    expect(issue?.code).toBe('bad-event')
    expect(issue?.message).toMatch(what)
  })
})

describe('the reader', () => {
  it('takes nothing after its end', () => {
    const reader = createSessionReader()
    reader.push(`${header}\n`)
    reader.end()
    expect(() => reader.push('')).toThrow(TypeError)
    expect(() => reader.end()).toThrow(TypeError)
  })
})
