/**
 * How fast bytes become events: `@runproof/sse` against eventsource-parser fed
 * by a streaming TextDecoder, undici's EventSource stream and the OpenAI
 * client. Framing only: no network, no JSON, which costs more than framing.
 * Every contender's output is compared with the events the wire was made from.
 *
 *     node bench/sse.ts [--rounds 25] [--only chat] [--json]
 */

import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { createSseDecoder, type SseEvent } from '@runproof/sse'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { _iterSSEMessages as iterateMessages, type ServerSentEvent } from 'openai/core/streaming'
import { factor, measureRoundsAsync, type Contender, type Figure } from './rounds.ts'
import { createWorkloads, type ExpectedEvent, type Workload } from './sse-workloads.ts'

/** Takes an event as the library hands it out. */
type Take = (event: unknown) => void
type Peer = {
  /** Decodes all chunks; the same code is checked and timed. */
  decode: (chunks: readonly Uint8Array[], take: Take) => void | Promise<void>
  /** What a taken event says, for the check. */
  read: (event: never) => ExpectedEvent
}

type UndiciMessage = { type: string; options: { data: string } }
type UndiciStream = {
  push: (message: UndiciMessage) => boolean
  _transform: (chunk: Uint8Array, encoding: string, done: (error?: Error) => void) => void
}
const require = createRequire(import.meta.url)
// Not exported by name; the byte decoder alone, without sockets and events.
const { EventSourceStream } = require('undici/lib/web/eventsource/eventsource-stream.js') as {
  EventSourceStream: new (options: { push: UndiciStream['push'] }) => UndiciStream
}

const buffers = new WeakMap<readonly Uint8Array[], Buffer[]>()

function asBuffers(chunks: readonly Uint8Array[]): Buffer[] {
  const known = buffers.get(chunks)
  if (known !== undefined) return known
  const made = chunks.map(({ buffer, byteOffset, length }) =>
    Buffer.from(buffer, byteOffset, length),
  )
  buffers.set(chunks, made)
  return made
}

const peers: Record<string, Peer> = {
  runproof: {
    decode(chunks, take) {
      const decoder = createSseDecoder()
      for (const chunk of chunks) {
        for (const event of decoder.push(chunk)) take(event)
      }
      decoder.end()
    },
    read: ({ event, data }: SseEvent) => ({ event, data }),
  },
  'eventsource-parser': {
    decode(chunks, take) {
      const text = new TextDecoder('utf-8', { ignoreBOM: true })
      const parser = createParser({ onEvent: take })
      for (const chunk of chunks) parser.feed(text.decode(chunk, { stream: true }))
    },
    read: ({ event, data }: EventSourceMessage) => ({ event: event ?? 'message', data }),
  },
  undici: {
    // Its Transform would make Buffers of the chunks, so they are made beforehand.
    decode(chunks, take) {
      const stream = new EventSourceStream({
        push(message) {
          take(message)
          return true
        },
      })
      const done = (error?: Error): void => {
        if (error !== undefined) throw error
      }
      for (const chunk of asBuffers(chunks)) stream._transform(chunk, '', done)
    },
    read: ({ type, options }: UndiciMessage) => ({ event: type, data: options.data }),
  },
  openai: {
    async decode(chunks, take) {
      async function* body(): AsyncGenerator<Uint8Array> {
        yield* chunks
      }
      const response = { body: body() } as unknown as Response
      for await (const event of iterateMessages(response, new AbortController())) take(event)
    },
    read: ({ event, data }: ServerSentEvent) => ({ event: event ?? 'message', data }),
  },
}

/** Decodes once and compares every event with those the wire was made from. */
async function check(name: string, { decode, read }: Peer, workload: Workload): Promise<void> {
  let count = 0
  await decode(workload.chunks, (taken) => {
    const { event, data } = read(taken as never)
    const expected = workload.events[count++]
    if (expected?.event === event && expected.data === data) return
    throw new Error(`${name} is wrong on ${workload.name}, ${workload.cut}: event ${count} differs`)
  })
  if (count === workload.events.length) return
  throw new Error(`${name} is wrong on ${workload.name}, ${workload.cut}: ${count} events`)
}

async function measure(workload: Workload, rounds: number): Promise<Figure[]> {
  for (const [name, peer] of Object.entries(peers)) await check(name, peer, workload)
  let count = 0
  // Kept, so that no compiler can do without making the events.
  let last: unknown
  const take: Take = (event) => {
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
  const [own, ...peers] = figures
  if (own === undefined) throw new Error('nothing was measured')
  return {
    workload: workload.name,
    cut: workload.cut,
    ascii: workload.ascii,
    megabytesPerSecond: Math.round(workload.bytes / own.cpuMs / 1000),
    factors: Object.fromEntries(peers.map((peer) => [peer.name, factor(peer, own)])),
  }
}

/** The promises of the package's README; a ratio below its floor fails the bench. */
function floorsOf(row: Row): Record<string, number> {
  const tiny = row.cut === '1-7B'
  const parser = tiny ? 3 : row.ascii && row.cut === 'event' ? 1.2 : 1
  return { 'eventsource-parser': parser, undici: 4 }
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
for (const workload of createWorkloads(0.1)) {
  if (!`${workload.name} ${workload.cut}`.includes(options.only)) continue
  const row = toRow(workload, await measure(workload, Number(options.rounds)))
  if (options.json) console.log(JSON.stringify({ node: process.version, ...row }))
  else printRow(row)
  for (const [peer, floor] of Object.entries(floorsOf(row))) {
    const value = row.factors[peer] ?? 0
    if (value < floor) misses.push(`${row.workload} ${row.cut}: ${peer} ${value} < ${floor}`)
  }
}
for (const miss of misses) console.error(`below its floor: ${miss}`)
if (misses.length > 0) process.exitCode = 1
