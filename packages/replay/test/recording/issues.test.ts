import { describe, expect, it } from 'vitest'
import { parseRecording } from '@runproof/replay'
import type { RecordingIssueCode } from '@runproof/replay'

const head = '{"type":"recording","version":1,"wire":"anthropic","source":"live"}'
const request =
  '{"type":"exchange/request","n":1,"method":"POST","path":"/v1/messages","headers":{},"key":"k","body":{}}'
const response = '{"type":"exchange/response","n":1,"status":200,"headers":{}}'
const event = '{"type":"exchange/event","n":1,"dtMs":1,"data":"x"}'
const end = '{"type":"exchange/end","n":1,"kind":"eof"}'

/** A line with some members changed. */
function but(line: string, changes: Record<string, unknown>): string {
  return JSON.stringify({ ...JSON.parse(line), ...changes })
}

type Case = [
  name: string,
  lines: string[],
  line: number,
  code: RecordingIssueCode,
  kept: number | null,
]

const cases: Case[] = [
  ['nothing at all', [''], 1, 'bad-header', null],
  ['no JSON in line 1', ['recording'], 1, 'bad-line', null],
  ['another document', ['{"type":"session","version":0}'], 1, 'bad-header', null],
  ['a version from the future', [but(head, { version: 2 })], 1, 'unknown-version', null],
  ['a wire nobody has', [but(head, { wire: 'telegraph' })], 1, 'bad-header', null],
  ['a source nobody has', [but(head, { source: 'hearsay' })], 1, 'bad-header', null],
  ['a line that is no object', [head, '[1]', request, response, end], 2, 'bad-line', 1],
  ['a torn last line', [head, request, response, end, '{"type":"exch'], 5, 'bad-line', 1],
  [
    'a type from the future',
    [head, request, response, but(event, { type: 'exchange/smell' }), end],
    4,
    'unknown-type',
    1,
  ],
  ['a line without a type', [head, '{}', request, response, end], 2, 'unknown-type', 1],
  ['a request without a path', [head, but(request, { path: 1 }), end], 2, 'bad-member', 0],
  ['a request without a body', [head, but(request, { body: undefined }), end], 2, 'bad-member', 0],
  ['headers that are none', [head, but(request, { headers: { a: 1 } }), end], 2, 'bad-member', 0],
  ['a number that is none', [head, but(request, { n: 0 }), end], 2, 'bad-member', 0],
  [
    'a number that came before',
    [head, request, response, end, request, response, end],
    5,
    'bad-order',
    0,
  ],
  ['a byte order mark', [`\uFEFF${head}`, request, response, end], 1, 'bad-header', null],
  [
    'a value that is nested too deeply',
    [head, `{"type":"blob","value":${'['.repeat(1e5)}${']'.repeat(1e5)}}`],
    2,
    'bad-line',
    0,
  ],
  ['a lost response', [head, request, end], 3, 'bad-order', 0],
  ['a tail of nothing', [head, request, but(end, { kind: 'reset', tail: 'x' })], 3, 'bad-order', 0],
  [
    'a tail behind a body',
    [head, request, response, '{"type":"exchange/body","n":1,"body":"x"}', but(end, { tail: 'x' })],
    5,
    'bad-member',
    0,
  ],
  [
    'a name no header has',
    [head, but(request, { headers: { 'a b': '1' } }), end],
    2,
    'bad-member',
    0,
  ],
  [
    'a header that no line can carry',
    [head, request, but(response, { headers: { 'x-a': '1\r\nx-b: 2' } }), end],
    3,
    'bad-member',
    0,
  ],
  [
    'a response that is still to come',
    [head, request, but(response, { status: 101 }), end],
    3,
    'bad-member',
    0,
  ],
  [
    'events of a status that has none',
    [head, request, but(response, { status: 204 }), event, end],
    4,
    'bad-member',
    0,
  ],
  [
    'a body of a status that has none',
    [
      head,
      request,
      but(response, { status: 304 }),
      but(event, { type: 'exchange/body', body: 'x' }),
      end,
    ],
    4,
    'bad-member',
    0,
  ],
  [
    'a tail of a status that has none',
    [head, request, but(response, { status: 204 }), but(end, { kind: 'reset', tail: 'x' })],
    4,
    'bad-member',
    0,
  ],
  [
    'a status that is none',
    [head, request, but(response, { status: 42 }), end],
    3,
    'bad-member',
    0,
  ],
  ['a time that is none', [head, request, but(response, { dtMs: -1 }), end], 3, 'bad-member', 0],
  [
    'a line end that is none',
    [head, request, but(response, { lineEnd: 'cr' }), end],
    3,
    'bad-member',
    0,
  ],
  [
    'headers of a response that are none',
    [head, request, but(response, { headers: [] }), end],
    3,
    'bad-member',
    0,
  ],
  ['a second response', [head, request, response, response, end], 4, 'bad-order', 0],
  ['an event before its response', [head, request, event, end], 3, 'bad-order', 0],
  ['an event of no exchange', [head, event], 2, 'bad-order', 0],
  ['an event after the end', [head, request, response, end, event], 5, 'bad-order', 0],
  [
    'an event without data',
    [head, request, response, but(event, { data: 1 }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'an event without a time',
    [head, request, response, but(event, { dtMs: 'soon' }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'data no line can carry',
    [head, request, response, but(event, { data: 'a\rb' }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'a name no line can carry',
    [head, request, response, but(event, { event: 'a\nb' }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'cuts that are no list',
    [head, request, response, but(event, { cuts: 3 }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'cuts out of order',
    [head, request, response, but(event, { cuts: [3, 2] }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'a cut behind the frame',
    [head, request, response, but(event, { cuts: [99] }), end],
    4,
    'bad-member',
    0,
  ],
  [
    'a body beside events',
    [head, request, response, event, '{"type":"exchange/body","n":1,"body":"x"}', end],
    5,
    'bad-order',
    0,
  ],
  [
    'an event beside a body',
    [head, request, response, '{"type":"exchange/body","n":1,"body":"x"}', event, end],
    5,
    'bad-order',
    0,
  ],
  [
    'a body that is no text',
    [head, request, response, '{"type":"exchange/body","n":1,"body":{}}', end],
    4,
    'bad-member',
    0,
  ],
  [
    'an end that is none',
    [head, request, response, but(end, { kind: 'bored' })],
    4,
    'bad-member',
    0,
  ],
  ['a tail that is no text', [head, request, response, but(end, { tail: 1 })], 4, 'bad-member', 0],
  [
    'a choice that is none',
    [head, request, response, but(end, { optional: 'yes' })],
    4,
    'bad-member',
    0,
  ],
  ['an exchange without an end', [head, request, response], 2, 'unfinished', 0],
  ['a blob without a value', [head, '{"type":"blob","digest":"00"}'], 2, 'bad-member', 0],
  [
    'a blob that is another',
    [head, '{"type":"blob","digest":"0000000000000000","value":"x"}'],
    2,
    'bad-blob',
    0,
  ],
  [
    'a reference to nothing',
    [head, but(request, { body: { system: { $blob: '12' } } }), end],
    2,
    'bad-blob',
    0,
  ],
]

describe('issues', () => {
  it('tells once that a line is missing, however many need it', () => {
    const lost = [head, request, event, event, end, but(event, { n: 2 }), but(end, { n: 2 })]
    expect(parseRecording(lost.join('\n')).issues.map(({ message }) => message)).toEqual([
      'needs a response of exchange 1, which no line before it is',
      'is of exchange 2, whose request no line before it is',
    ])
  })

  it('names no value at its full length', () => {
    const type = 'x'.repeat(1e6)
    const { issues } = parseRecording([head, JSON.stringify({ type })].join('\n'))
    expect(issues[0]?.message.length).toBeLessThan(80)
  })

  it.each(cases)('%s', (_name, lines, line, code, kept) => {
    const { recording, issues } = parseRecording(lines.join('\n'))
    expect(issues[0]).toMatchObject({ line, code })
    expect(issues[0]?.message).not.toBe('')
    expect(recording?.exchanges.length ?? null).toBe(kept)
  })

  it('what is not known in a known line is ignored, and so are blank lines', () => {
    const text = [head, '', but(request, { colour: 'red' }), response, event, '  ', end, ''].join(
      '\n',
    )
    const { recording, issues } = parseRecording(text)
    expect(issues).toEqual([])
    expect(recording?.exchanges).toHaveLength(1)
  })

  it('exchanges may be interleaved', () => {
    const other = [request, response, end].map((line) => but(line, { n: 2 }))
    const text = [head, request, other[0], response, event, other[1], other[2], end].join('\n')
    const { recording, issues } = parseRecording(text)
    expect(issues).toEqual([])
    expect(recording?.exchanges.map(({ n, events }) => [n, events.length])).toEqual([
      [1, 1],
      [2, 0],
    ])
  })
})
