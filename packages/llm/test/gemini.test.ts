/**
 * Gemini: parts of every kind, arguments in pieces, ends of every kind.
 */
import {
  empty,
  malformed,
  stop,
  text,
  testOddStreams,
  type OddStream,
} from './support/odd-stream.ts'

const parts = (list: object[], finishReason?: string, fields: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts: list }, finishReason, ...fields }],
  responseId: 'r1',
})
const piece = (jsonPath: string, value: object): object =>
  parts([{ functionCall: { partialArgs: [{ jsonPath, ...value }], willContinue: true } }])
const callOpen = parts([{ functionCall: { name: 'f', willContinue: true } }])
const callClose = parts([{ functionCall: {} }], 'STOP')

const rows: OddStream[] = [
  {
    title: 'counts, disjoint for input and whole for output',
    payloads: [
      {
        ...parts([{ text: 'Hi' }], 'STOP'),
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 60,
          toolUsePromptTokenCount: 5,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 15,
        },
      },
    ],
    finish: stop,
    usage: { inputTokens: 45, cacheReadTokens: 60, outputTokens: 20, reasoningTokens: 15 },
  },
  {
    title: 'calls without ids',
    payloads: [
      parts([
        { text: 'So.' },
        { functionCall: { name: 'f', args: { a: 1 } } },
        { functionCall: { name: 'g' } },
      ]),
      parts([], 'STOP'),
    ],
    finish: { kind: 'tool-calls' },
    content: [
      text('So.'),
      { id: 'call_r1_1', name: 'f', arguments: '{"a":1}' },
      { id: 'call_r1_2', name: 'g', arguments: '{}' },
    ],
  },
  {
    title: 'a text with a signature stands alone',
    payloads: [
      parts([{ text: 'a' }, { text: 'b', thoughtSignature: 's' }]),
      parts([{ text: 'c' }], 'STOP'),
    ],
    finish: stop,
    content: [text('a'), text('b'), text('c')],
    state: { items: [{ raw: {} }, { raw: { thoughtSignature: 's' }, blocks: [1] }, { raw: {} }] },
  },
  {
    title: 'parts of other kinds, kept',
    payloads: [
      parts(
        [
          { executableCode: { code: '1+1' } },
          { codeExecutionResult: { output: '2' } },
          { text: 'Two.' },
        ],
        'STOP',
      ),
    ],
    finish: stop,
    content: [text('Two.')],
    state: { items: [{ raw: { executableCode: { code: '1+1' } } }, {}, { blocks: [0] }] },
  },
  {
    title: 'counts after the finish reason',
    payloads: [
      parts([{ text: 'Hi' }], 'STOP'),
      { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } },
    ],
    finish: stop,
  },
  {
    title: 'a prompt that was blocked',
    payloads: [
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'No.' } },
    ],
    finish: { kind: 'content-filter', detail: 'PROHIBITED_CONTENT', message: 'No.' },
  },
  {
    title: 'a finish reason that is a failure, with its message',
    payloads: [parts([], 'MALFORMED_FUNCTION_CALL', { finishMessage: 'print(1)' })],
    finish: { kind: 'error', code: 'MALFORMED_FUNCTION_CALL', message: 'print(1)' },
  },
  {
    title: 'an error with a status',
    payloads: [
      parts([{ text: 'Hi' }]),
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow' } },
    ],
    finish: { kind: 'error', code: 'RATE_LIMIT', status: 429 },
    content: [text('Hi')],
  },
  {
    title: 'arguments in pieces, of every kind',
    payloads: [
      callOpen,
      piece('$.name', { stringValue: 'Ad', willContinue: true }),
      piece('$.name', { stringValue: 'a' }),
      piece("$.tags[0]['it\\'s']", { boolValue: true }),
      piece('$.tags[1]["n"]', { numberValue: 1.5 }),
      piece('$.none', { nullValue: 'NULL_VALUE' }),
      piece('$.name', { stringValue: 'Eve' }),
      callClose,
    ],
    finish: { kind: 'tool-calls' },
    content: [
      { name: 'f', arguments: '{"name":"Eve","tags":[{"it\'s":true},{"n":1.5}],"none":null}' },
    ],
  },
  ...['$', 'name', '$.a[*]', '$.__proto__.x', '$.a[99999]', '$.a.b'].map((path) => ({
    title: `a piece at ${path}, which fits nowhere`,
    payloads: [
      callOpen,
      piece('$.a', { stringValue: 'x' }),
      piece(path, { stringValue: 'y' }),
      callClose,
    ],
    finish: malformed,
  })),
  {
    title: 'a stop within a call',
    payloads: [callOpen, parts([], 'STOP')],
    finish: malformed,
  },
  {
    title: 'a limit within a call, which is then not to be run',
    payloads: [callOpen, parts([], 'MAX_TOKENS')],
    finish: { kind: 'max-tokens' },
    content: [],
  },
  {
    title: 'a new call before the last one was whole',
    payloads: [callOpen, callOpen, callClose],
    finish: malformed,
  },
  {
    title: 'the rest of a call that never began',
    payloads: [callClose],
    finish: malformed,
  },
  { title: 'a stop that said nothing', payloads: [parts([{ text: '' }], 'STOP')], finish: empty },
]

testOddStreams('gemini', rows)
