/**
 * What a decoder of server-sent events meets in agent streams, made from
 * nothing but a seed: the wire bytes, how they are cut into chunks, and the
 * events they must decode to. The events are built first and the wire from
 * them, so a contender cannot agree with its own mistake.
 */

/** What must come out; ids are not part of these streams. */
export type ExpectedEvent = { event: string; data: string }

export type Workload = {
  name: string
  /** The chunks in order; together they are the whole stream. */
  chunks: readonly Uint8Array[]
  events: readonly ExpectedEvent[]
  bytes: number
  /** All bytes below 0x80. */
  ascii: boolean
  cut: Cut
}

export type Cut = 'event' | '16KiB' | '1400B' | '1-7B'

type Stream = { name: string; frames: readonly Uint8Array[]; events: readonly ExpectedEvent[] }

/** A small deterministic generator (mulberry32): numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const words = [
  'the ',
  'agent ',
  'reads ',
  'a file',
  ', then ',
  'writes ',
  'its answer',
  '. ',
  '\\n',
]
const wideWords = ['代理读取文件', '，然后回答', '🙂', '検証が必要', '결과를 확인', '🛠️ 完成']

/** One chat-completion delta of about 237 bytes on the wire. */
function chatDelta(index: number): ExpectedEvent {
  const content = words[index % words.length] ?? ''
  const data = `{"id":"chatcmpl-runproof0123456789ABCDEFGHIJ","object":"chat.completion.chunk","created":1790000000,"model":"bench-model-2026-09","system_fingerprint":"fp_bench0001","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}`
  return { event: 'message', data }
}

/** One text delta in the shape of the Responses API, about 190 bytes with its event line. */
function responsesDelta(index: number): ExpectedEvent {
  const delta = words[index % words.length] ?? ''
  const event = 'response.output_text.delta'
  const data = `{"type":"${event}","item_id":"msg_bench0123456789","output_index":0,"content_index":0,"delta":"${delta}","sequence_number":${index}}`
  return { event, data }
}

/** About 148 bytes, three in five of them of Chinese, Japanese, Korean or emoji. */
function wideDelta(index: number): ExpectedEvent {
  const pick = (offset: number): string => wideWords[(index + offset) % wideWords.length] ?? ''
  const content = pick(0) + pick(1) + pick(2) + pick(3) + pick(4) + pick(5)
  return { event: 'message', data: `{"choices":[{"delta":{"content":"${content}"}}],"n":${index}}` }
}

function longLine(index: number): ExpectedEvent {
  return { event: 'message', data: `{"i":${index},"b64":"${'QUJDREVGRw0K'.repeat(5460)}"}` }
}

const encoder = new TextEncoder()

function toFrame({ event, data }: ExpectedEvent, lineEnd: string): Uint8Array {
  const type = event === 'message' ? '' : `event: ${event}${lineEnd}`
  return encoder.encode(`${type}data: ${data}${lineEnd}${lineEnd}`)
}

function createStream(
  name: string,
  count: number,
  make: (index: number) => ExpectedEvent,
  lineEnd = '\n',
): Stream {
  const events = Array.from({ length: count }, (_, index) => make(index))
  return { name, events, frames: events.map((event) => toFrame(event, lineEnd)) }
}

function join(frames: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0))
  let offset = 0
  for (const frame of frames) {
    whole.set(frame, offset)
    offset += frame.length
  }
  return whole
}

/** Cuts a copy of `bytes` into chunks whose sizes `nextSize` gives; each chunk owns its memory. */
function cutBySize(bytes: Uint8Array, nextSize: () => number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let offset = 0; offset < bytes.length;) {
    const size = nextSize()
    chunks.push(bytes.slice(offset, offset + size))
    offset += size
  }
  return chunks
}

function cutStream({ frames }: Stream, cut: Cut): Uint8Array[] {
  if (cut === 'event') return frames.map((frame) => frame.slice())
  const wire = join(frames)
  if (cut === '16KiB') return cutBySize(wire, () => 16_384)
  if (cut === '1400B') return cutBySize(wire, () => 1400)
  const random = createRandom(7)
  return cutBySize(wire, () => 1 + Math.floor(random() * 7))
}

/**
 * All workloads, in the order of the report.
 * @param scale multiplies the number of events; 1 is thirty thousand of the short ones.
 */
export function createWorkloads(scale: number): Workload[] {
  const count = (base: number): number => Math.max(8, Math.round(base * scale))
  const chat = createStream('chat', count(30_000), chatDelta)
  const chatTiny = createStream('chat', count(1500), chatDelta)
  const responses = createStream('responses', count(30_000), responsesDelta)
  const lines = createStream('64 KiB lines', count(300), longLine)
  const crlf = createStream('chat CRLF', count(30_000), chatDelta, '\r\n')
  const wide = createStream('CJK', count(30_000), wideDelta)
  const plan: [Stream, Cut][] = [
    [chat, 'event'],
    [chat, '16KiB'],
    [chat, '1400B'],
    [chatTiny, '1-7B'],
    [responses, 'event'],
    [responses, '16KiB'],
    [lines, '16KiB'],
    [crlf, 'event'],
    [crlf, '16KiB'],
    [wide, 'event'],
    [wide, '16KiB'],
  ]
  return plan.map(([stream, cut]) => {
    const chunks = cutStream(stream, cut)
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return { name: stream.name, cut, chunks, events: stream.events, bytes, ascii: stream !== wide }
  })
}
