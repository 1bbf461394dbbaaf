/**
 * How fast bytes become events: `@runproof/sse` against eventsource-parser fed
 * by a streaming TextDecoder, undici's EventSource stream and the OpenAI
 * client, none of them strict about UTF-8. Framing only: no network, no JSON,
 * which costs more than framing.
 * Every contender's output is compared with the events the wire was made from.
 *
 *     node bench/sse.ts [--rounds=100] [--only='chat 16KiB'] [--json]      after `tsc -b`
 */

import { createRequire } from 'node:module'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { createSseDecoder, type SseEvent } from '@runproof/sse'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { _iterSSEMessages as iterateMessages, type ServerSentEvent } from 'openai/core/streaming'
import { factor, measureRoundsAsync, type Contender, type Figure } from './rounds.ts'
import { createWorkloads, type ExpectedEvent, type Workload } from './sse-workloads.ts'

type Chunks = readonly Uint8Array[]
type Peer = {
  /** Decodes all chunks and hands out every event as the library makes it. */
  decode: (chunks: Chunks, take: (event: unknown) => void) => void | Promise<void>
  /** The same, and what the events say. */
  collect: (chunks: Chunks) => Promise<ExpectedEvent[]>
}

/** What is checked and what is timed is the same `decode`. */
function createPeer<Event>(
  decode: (chunks: Chunks, take: (event: Event) => void) => void | Promise<void>,
  read: (event: Event) => ExpectedEvent,
): Peer {
  return {
    decode,
    async collect(chunks) {
      const events: ExpectedEvent[] = []
      await decode(chunks, (event) => void events.push(read(event)))
      return events
    },
  }
}

type UndiciMessage = { type: string; options: { data: string } }
type UndiciStream = {
  push: (message: UndiciMessage) => boolean
  _transform: (chunk: Uint8Array, encoding: string, done: (error?: Error) => void) => void
}
type Undici = { EventSourceStream: new (options: { push: UndiciStream['push'] }) => UndiciStream }
// Not exported by name; the byte decoder alone, without sockets and events.
const { EventSourceStream }: Undici = createRequire(import.meta.url)(
  'undici/lib/web/eventsource/eventsource-stream.js',
)
const throwAny = (error?: Error): void => {
  if (error !== undefined) throw error
}

const buffers = new WeakMap<Chunks, Buffer[]>()

function asBuffers(chunks: Chunks): Buffer[] {
  const known = buffers.get(chunks)
  if (known !== undefined) return known
  const made = chunks.map(({ buffer, byteOffset, length }) =>
    Buffer.from(buffer, byteOffset, length),
  )
  buffers.set(chunks, made)
  return made
}

function createOwn(utf8: 'strict' | 'replace'): Peer {
  return createPeer<SseEvent>(
    (chunks, take) => {
      const decoder = createSseDecoder({ utf8 })
      for (const chunk of chunks) {
        for (const event of decoder.push(chunk)) take(event)
      }
      decoder.end()
    },
    ({ event, data }) => ({ event, data }),
  )
}

/** The first is what the others are compared with. */
const peers: Record<string, Peer> = {
  runproof: createOwn('strict'),
  'replace mode': createOwn('replace'),
  'eventsource-parser': createPeer<EventSourceMessage>(
    (chunks, take) => {
      const text = new TextDecoder('utf-8', { ignoreBOM: true })
      const parser = createParser({ onEvent: take })
      for (const chunk of chunks) parser.feed(text.decode(chunk, { stream: true }))
    },
    ({ event, data }) => ({ event: event ?? 'message', data }),
  ),
  // Its Transform would make Buffers of the chunks, so they are made beforehand.
  undici: createPeer<UndiciMessage>(
    (chunks, take) => {
      const stream = new EventSourceStream({
        push(message) {
          take(message)
          return true
        },
      })
      // oxlint-disable-next-line no-underscore-dangle -- Node's own name for it
      for (const chunk of asBuffers(chunks)) stream._transform(chunk, '', throwAny)
    },
    ({ type, options }) => ({ event: type, data: options.data }),
  ),
  // It takes any async iterable for a body, which spares it a ReadableStream.
  openai: createPeer<ServerSentEvent>(
    async (chunks, take) => {
      async function* body(): AsyncGenerator<Uint8Array> {
        yield* chunks
      }
      const response: Response = Object.create(Response.prototype, { body: { value: body() } })
      for await (const event of iterateMessages(response, new AbortController())) take(event)
    },
    ({ event, data }) => ({ event: event ?? 'message', data }),
  ),
}

/** Throws unless the peer gives the events that the wire was made from. */
async function check(name: string, { collect }: Peer, workload: Workload): Promise<void> {
  const events = await collect(workload.chunks)
  if (isDeepStrictEqual(events, workload.events)) return
  const index = events.findIndex((event, at) => !isDeepStrictEqual(event, workload.events[at]))
  throw new Error(`${name} is wrong on ${workload.name}, ${workload.cut}, from event ${index} on`)
}

async function measure(workload: Workload, rounds: number): Promise<Figure[]> {
  for (const [name, peer] of Object.entries(peers)) await check(name, peer, workload)
  let count = 0
  // Kept, so that no compiler can do without making the events.
  let last: unknown
  const take = (event: unknown): void => {
    count++
    last = event
  }
  const contenders = Object.entries(peers).map(([name, { decode }]): Contender => ({
    name,
    async run() {
      count = 0
      await decode(workload.chunks, take)
      return last === undefined ? 0 : count
    },
  }))
  return measureRoundsAsync(contenders, {
    rounds,
    verify(name, result) {
      if (result !== workload.events.length) throw new Error(`${name}: ${String(result)} events`)
    },
  })
}

type Row = {
  workload: string
  cut: string
  ascii: boolean
  megabytesPerSecond: number
  /** How many times the CPU time of `@runproof/sse` each peer needs. */
  factors: Record<string, number>
}

function toRow(workload: Workload, figures: readonly Figure[]): Row {
  const [own, ...others] = figures
  if (own === undefined) throw new Error('nothing was measured')
  return {
    workload: workload.name,
    cut: workload.cut,
    ascii: workload.ascii,
    megabytesPerSecond: Math.round(workload.bytes / own.cpuMs / 1000),
    factors: Object.fromEntries(others.map((other) => [other.name, factor(other, own)])),
  }
}

/** The promises of the package's README; a ratio below its floor fails the bench. */
function floorsOf({ ascii, cut }: Row): Record<string, number> {
  // Tiny chunks: what every decoder has to do for a chunk at all weighs most.
  if (cut === '1-7B') return { 'eventsource-parser': 3, undici: 3.5 }
  // Strictness costs a search of the text, which in wide text is not free, and
  // the peers are not strict: like for like is their factor / that of replace mode.
  if (!ascii) return { 'eventsource-parser': 0.95, undici: 4 }
  return { 'eventsource-parser': cut === 'event' ? 1.2 : 1, undici: 4 }
}

function printRow(row: Row): void {
  const cells = Object.values(row.factors).map((value) => `${value.toFixed(2)}×`.padStart(20))
  const speed = `${row.megabytesPerSecond} MB/s`.padStart(12)
  console.log(`${row.workload.padEnd(14)}${row.cut.padEnd(8)}${speed}${cells.join('')}`)
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})

if (!options.json) {
  console.log(`Framing only, Node ${process.version}. CPU time of each peer / @runproof/sse,`)
  console.log(`best of ${options.rounds} interleaved rounds; above 1: @runproof/sse is faster.\n`)
  const names = Object.keys(peers).slice(1)
  console.log(' '.repeat(34) + names.map((name) => name.padStart(20)).join(''))
}
const misses: string[] = []
// Short runs and many rounds: on a busy machine some rounds are then undisturbed.
for (const workload of createWorkloads(0.1)) {
  if (!`${workload.name} ${workload.cut}`.includes(options.only)) continue
  const row = toRow(workload, await measure(workload, Number(options.rounds)))
  if (options.json) console.log(JSON.stringify({ node: process.version, ...row }))
  else printRow(row)
  for (const [peer, floor] of Object.entries(floorsOf(row))) {
    const value = row.factors[peer] ?? 0
    if (value < floor) misses.push(`${row.workload} ${row.cut}: ${peer} ${value.toFixed(2)}`)
  }
}
for (const miss of misses) console.error(`below its floor: ${miss}`)
if (misses.length > 0) process.exitCode = 1
