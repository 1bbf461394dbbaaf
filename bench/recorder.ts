/**
 * What a recorder between an agent and its provider costs, against a bare HTTP
 * pipe (`node:http` on both sides, nothing else), a bare TCP pipe and no proxy
 * at all.
 *
 * Provider and client are this process, so a piece's way is timed on one clock.
 * Each proxy is a process of its own, whose CPU time is asked for. All are
 * asked in turn, in rounds; figures are the best round (CPU) and medians over
 * all events (latency). Every stream is checked byte for byte.
 *
 *     node bench/recorder.ts [--rounds 7] [--streams 200] [--json]
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request as requestHttp, type Server } from 'node:http'
import { connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { parseArgs } from 'node:util'
import { createRecorder, type Recorder } from '@runproof/replay/recorder'

const proxyNames = ['recorder', 'http pipe', 'tcp pipe'] as const
type ProxyName = (typeof proxyNames)[number]

/** Asked of a proxy's process, and its answers. */
type Command = 'begin' | 'end'
type Told = { url: string } | { cpuMs: number; closeMs: number }

const eventCount = 200
const inFlight = 50

/** The same 200 events for everybody: about 45 kB, one write each. */
const frames = Array.from({ length: eventCount }, (_, index) =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: 'chatcmpl-bench0123456789ABCDEFGHIJKLMN',
      object: 'chat.completion.chunk',
      created: 1790000000,
      model: 'bench-model-2026-09',
      system_fingerprint: 'fp_bench0001',
      choices: [{ index: 0, delta: { content: `word ${index} ` }, finish_reason: null }],
    })}\n\n`,
  ),
)
const streamBytes = frames.reduce((sum, { length }) => sum + length, 0)

// The process of a proxy

const answer = (told: Told): void => void process.send?.(told)

async function serveProxy(name: ProxyName, upstream: string): Promise<void> {
  let recorder: Recorder | null = null
  let start = process.cpuUsage()
  const url = name === 'recorder' ? null : await startPipe(name, new URL(upstream))
  process.on('disconnect', () => process.exit())
  process.on('message', async (command: Command) => {
    if (command === 'begin') {
      if (url === null) {
        recorder = await createRecorder({
          upstream,
          wire: 'openai-chat',
          clock: () => performance.now(),
        })
      }
      start = process.cpuUsage()
      answer({ url: url ?? recorder?.url ?? '' })
      return
    }
    const cpuMs = millisecondsOf(process.cpuUsage(start))
    const before = process.cpuUsage()
    const recording = await recorder?.close()
    if (recording?.exchanges.some(({ events }) => events.length !== eventCount)) process.exit(1)
    answer({ cpuMs, closeMs: millisecondsOf(process.cpuUsage(before)) })
  })
}

const millisecondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

async function startPipe(name: ProxyName, upstream: URL): Promise<string> {
  return listen(name === 'tcp pipe' ? createTcpPipe(upstream) : createHttpPipe(upstream))
}

function createHttpPipe(upstream: URL): Server {
  const agent = new Agent({ keepAlive: true })
  return createServer((request, response) => {
    const { method, url: path, headers } = request
    const { hostname, port } = upstream
    const outgoing = requestHttp({ agent, hostname, port, method, path, headers }, (incoming) => {
      response.writeHead(incoming.statusCode ?? 0, incoming.headers)
      incoming.pipe(response)
    })
    request.pipe(outgoing)
  })
}

function createTcpPipe(upstream: URL): TcpServer {
  return createTcpServer({ noDelay: true }, (socket) => {
    const outgoing = connect({
      port: Number(upstream.port),
      host: upstream.hostname,
      noDelay: true,
    })
    socket.pipe(outgoing).pipe(socket)
    socket.on('error', () => outgoing.destroy())
    outgoing.on('error', () => socket.destroy())
  })
}

async function listen(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

// The process of provider and client

/** When each event of the paced stream was written. */
const writtenMs: number[] = []

function createProvider(): Server {
  return createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (request.url === '/paced') {
      let next = 0
      const timer = setInterval(() => {
        const frame = frames[next]
        if (frame === undefined) {
          clearInterval(timer)
          response.end()
          return
        }
        writtenMs[next++] = performance.now()
        response.write(frame)
      }, 2)
      return
    }
    for (const frame of frames) response.write(frame)
    response.end()
  })
}

const agent = new Agent({ keepAlive: true })

/** Asks for one stream. @returns the bytes that came. */
function ask(url: string, path: string, onChunk?: (bytes: number) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = requestHttp(url + path, { agent, method: 'POST' }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        onChunk?.(bytes)
      })
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end('{"model":"bench","stream":true,"messages":[{"role":"user","content":"hello"}]}')
  })
}

/** Milliseconds from write to receipt of every event of one paced stream. */
async function measureLatency(url: string): Promise<number[]> {
  const latencies: number[] = []
  let end = 0
  const ends = frames.map(({ length }) => (end += length))
  await ask(url, '/paced', (bytes) => {
    const now = performance.now()
    while (latencies.length < ends.length && (ends[latencies.length] ?? 0) <= bytes) {
      latencies.push(now - (writtenMs[latencies.length] ?? now))
    }
  })
  return latencies
}

async function askMany(url: string, count: number): Promise<void> {
  let asked = 0
  const lane = async (): Promise<void> => {
    while (asked < count) {
      asked++
      const bytes = await ask(url, '/burst')
      if (bytes !== streamBytes) throw new Error(`${bytes} bytes of ${streamBytes} came`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
}

type Row = {
  name: string
  /** CPU of the proxy for a stream, while it passes. */
  cpuMs: number | null
  /** CPU of the recorder at its close, for a stream: decoding, redaction, proof. */
  closeMs: number | null
  latencies: number[]
}

function tell(child: ChildProcess, command: Command): Promise<Told> {
  child.send(command)
  return new Promise((resolve) => child.once('message', (told: Told) => resolve(told)))
}

async function measureRound(row: Row, child: ChildProcess, streams: number): Promise<void> {
  const begun = await tell(child, 'begin')
  if (!('url' in begun)) throw new Error('a proxy did not begin')
  row.latencies.push(...(await measureLatency(begun.url)))
  await askMany(begun.url, streams)
  const ended = await tell(child, 'end')
  if ('url' in ended) throw new Error('a proxy did not end')
  const all = streams + 1
  row.cpuMs = Math.min(row.cpuMs ?? Infinity, ended.cpuMs / all)
  if (row.name === 'recorder') row.closeMs = Math.min(row.closeMs ?? Infinity, ended.closeMs / all)
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      streams: { type: 'string', default: '200' },
      json: { type: 'boolean', default: false },
    },
  })
  const provider = createProvider()
  const upstream = await listen(provider)
  const rows = proxyNames.map((name): Row => ({ name, cpuMs: null, closeMs: null, latencies: [] }))
  const children = proxyNames.map((name) => fork(import.meta.filename, ['--serve', name, upstream]))
  const direct: Row = { name: 'none', cpuMs: null, closeMs: null, latencies: [] }
  for (let round = 0; round < Number(options.rounds); round++) {
    for (let turn = 0; turn < rows.length; turn++) {
      const at = (round + turn) % rows.length
      const [row, child] = [rows[at], children[at]]
      if (row !== undefined && child !== undefined)
        await measureRound(row, child, Number(options.streams))
    }
    direct.latencies.push(...(await measureLatency(upstream)))
    // The first round is a warm-up.
    if (round === 0)
      for (const row of [...rows, direct])
        Object.assign(row, { cpuMs: null, closeMs: null, latencies: [] })
  }
  for (const child of children) child.disconnect()
  provider.close()
  agent.destroy()
  report([...rows, direct], options.json)
}

/** A figure as a cell of a table. */
function cell(value: number | null, digits: number, width: number): string {
  return (value === null ? '–' : value.toFixed(digits)).padStart(width)
}

function report(rows: readonly Row[], isJson: boolean): void {
  const latencyOf = (name: string): number =>
    median(rows.find((row) => row.name === name)?.latencies ?? [])
  const pipe = rows.find(({ name }) => name === 'http pipe')?.cpuMs ?? NaN
  const figures = rows.map(({ name, cpuMs, closeMs, latencies }) => ({
    name,
    cpuMs,
    cpuTimesPipe: cpuMs === null ? null : cpuMs / pipe,
    closeMs,
    latencyMs: median(latencies),
    addedMs: median(latencies) - latencyOf('none'),
  }))
  if (isJson)
    for (const figure of figures) console.log(JSON.stringify({ node: process.version, ...figure }))
  else {
    console.log(
      `${eventCount} events, ${streamBytes} bytes a stream, ${inFlight} in flight. Node ${process.version}.\n`,
    )
    console.log('proxy        CPU ms/stream   × http pipe   at close ms   latency ms   added ms')
    for (const { name, cpuMs, cpuTimesPipe, closeMs, latencyMs, addedMs } of figures) {
      console.log(
        name.padEnd(10) +
          cell(cpuMs, 3, 16) +
          cell(cpuTimesPipe, 2, 14) +
          cell(closeMs, 3, 14) +
          cell(latencyMs, 3, 13) +
          cell(addedMs, 3, 11),
      )
    }
  }
  const [recorder] = figures
  const misses = [
    ...((recorder?.cpuTimesPipe ?? Infinity) > 1.5
      ? ['CPU is more than 1.5 times that of a bare pipe']
      : []),
    ...((recorder?.addedMs ?? Infinity) > 0.2 ? ['more than 0.2 ms are added to an event'] : []),
  ]
  for (const miss of misses) console.error(`missed: ${miss}`)
  if (misses.length > 0) process.exitCode = 1
}

const [, , mode, proxy, provider = ''] = process.argv
const served = proxyNames.find((name) => name === proxy)
if (mode === '--serve' && served !== undefined) await serveProxy(served, provider)
else await main()
