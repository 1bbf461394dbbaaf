/** Event streams that are not spelled as the emulator spells them: what is recorded is what they mean. */
import { expect, it } from 'vitest'
import { cutEvents, type Exchange, type RecordedEvent } from '@runproof/replay'
import { readFrames } from '../../src/recorder/frames.ts'
import { ask, startProvider } from './provider.ts'
import { createRecorder } from '@runproof/replay/recorder'

/** Records a stream that comes in these pieces. */
async function record(pieces: readonly (string | Buffer)[]): Promise<Exchange> {
  const provider = await startProvider(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve))
    response.end()
  })
  const recorder = await createRecorder({
    upstream: provider.url,
    wire: 'openai-chat',
    clock: () => 0,
  })
  const reply = await ask(recorder.url)
  expect(
    Buffer.concat(reply.chunks).equals(Buffer.concat(pieces.map((piece) => Buffer.from(piece)))),
  ).toBe(true)
  const { exchanges } = await recorder.close()
  await provider.close()
  const [exchange] = exchanges
  if (exchange === undefined) throw new Error('nothing was recorded')
  return exchange
}

const plain = (data: string): RecordedEvent => ({ dtMs: 0, data })

it.each<[string, (string | Buffer)[], RecordedEvent[]]>([
  ['no space after the colon', ['data:one\n\n'], [plain('one')]],
  ['several lines of data', ['data: one\ndata: two\n\n'], [plain('one\ntwo')]],
  [
    'a name and an id',
    ['event: a\nid: 7\ndata: one\n\n'],
    [{ dtMs: 0, event: 'a', id: '7', data: 'one' }],
  ],
  [
    'an id that stays',
    ['id: 7\ndata: one\n\n', 'data: two\n\n', 'id: 8\ndata: three\n\n'],
    [{ ...plain('one'), id: '7' }, plain('two'), { ...plain('three'), id: '8' }],
  ],
  [
    'comments in pieces of their own',
    [': hello\n\n', 'data: one\n\n', ': ping\n\n', 'data: two\n\n'],
    [plain('one'), plain('two')],
  ],
  [
    'a comment behind an event in its piece',
    ['data: one\n\n: ping\n\n', 'data: two\n\n'],
    [plain('one'), plain('two')],
  ],
  ['a comment at the head of a block', [': ping\ndata: one\n\n'], [plain('one')]],
  [
    'a piece that ends in such a comment',
    ['data: one\n\n: pi', 'ng\ndata: two\n\n'],
    [plain('one'), plain('two')],
  ],
  ['a time to reconnect', ['retry: 100\n\ndata: one\n\n'], [plain('one')]],
  [
    'more blank lines than needed',
    ['\n\ndata: one\n\n\n\ndata: two\n\n'],
    [{ ...plain('one'), cuts: [] }, plain('two')],
  ],
  ['a byte order mark', ['\uFEFFdata: one\n\n'], [plain('one')]],
  [
    'lines that end with carriage returns',
    ['data: one\r\rdata: two\r\r', 'data: three\r\r'],
    [plain('one'), plain('two'), plain('three')],
  ],
  [
    'a character cut in two',
    [Buffer.from('data: é\n\n').subarray(0, 7), Buffer.from('data: é\n\n').subarray(7)],
    [{ ...plain('é'), cuts: [7, 10] }],
  ],
])('%s', async (_, pieces, events) => {
  const exchange = await record(pieces)
  expect(exchange.events).toEqual(events)
  expect(exchange.end).toEqual({ kind: 'eof' })
})

it('CRLF is kept as the end of lines, and cuts fit it', async () => {
  const pieces = ['data: one\r\n\r\ndata: t', 'wo\r\n\r\n']
  const exchange = await record(pieces)
  expect(exchange.response?.lineEnd).toBe('crlf')
  expect(cutEvents(exchange).map(({ bytes }) => bytes.toString())).toEqual(pieces)
})

it('what comes after the last whole event is a tail, without half a character', async () => {
  const whole = await record(['data: one\n\n', Buffer.from('data: tw\u00e9').subarray(0, 9)])
  expect(whole).toMatchObject({ events: [plain('one')], end: { kind: 'eof', tail: 'data: tw' } })
})

it('an event larger than a decoder takes by itself is one like any other', () => {
  const data = 'x'.repeat(17 * 1024 * 1024)
  const { events } = readFrames([{ bytes: Buffer.from(`data: ${data}\n\n`), atMs: 0 }], 0)
  expect(events.map((event) => event.data === data)).toEqual([true])
})

it.each(['\n', '\r'])(
  'a stream may have any number of events (lines end with %j)',
  async (lineEnd) => {
    const exchange = await record([`data: 1${lineEnd}${lineEnd}`.repeat(150_000)])
    expect(exchange.events).toHaveLength(150_000)
  },
)
