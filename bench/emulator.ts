/**
 * What serving a recording costs: `@runproof/replay/emulator` and
 * `@copilotkit/aimock` beside a bare `node:http` server that writes the same
 * events, made beforehand, one write an event. Each server is a process of its
 * own, so that its CPU time is its own; rounds are interleaved, and a ratio is
 * that of the best rounds. What each server says is decoded and checked, and
 * every answer is read to its end.
 *
 * The emulator sends the bytes of the bare server, chunk for chunk, but in one
 * write, as it does at pace `instant`. It keys and matches every request; the
 * bare server reads requests and looks at none. aimock matches by a part of the
 * last message.
 *
 *     node bench/emulator.ts [--rounds 9] [--streams 400] [--json]
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serializeRecording } from '@runproof/replay'
import { decodeSse } from '@runproof/sse'
import { Pool } from 'undici'

const eventCount = 200
const inFlight = 50
const path = '/v1/chat/completions'
/** Text of one event; aimock cuts its answer into pieces of this length. */
const pieces = Array.from(
  { length: eventCount - 3 },
  (_, i) => `word ${String(i).padStart(4, '0')} `,
)

/** The 200 events: a role, the text, a finish, and the end. */
function createEvents(): string[] {
  return [
    chunkOf({ role: 'assistant', content: '' }, null),
    ...pieces.map((content) => chunkOf({ content }, null)),
    chunkOf({}, 'stop'),
    '[DONE]',
  ]
}

function chunkOf(delta: object, finish: string | null): string {
  return JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_764_500_000,
    model: 'bench-model',
    system_fingerprint: 'fp_0123456789',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })
}

/** A request of about this size: a system prompt, a tool, and the user's words. */
function createRequest(bytes: number): string {
  const words =
    'You are a careful engineer. Read before you write, run the tests, say what you did. '
  const body = {
    model: 'bench-model',
    stream: true,
    messages: [
      { role: 'system', content: '' },
      { role: 'user', content: 'Say many words, please.' },
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'read_file',
          description: 'Reads a file.',
          parameters: { type: 'object', properties: { path: { type: 'string' } } },
        },
      },
    ],
  }
  const missing = bytes - JSON.stringify(body).length
  body.messages[0] = {
    role: 'system',
    content: words.repeat(Math.ceil(missing / words.length)).slice(0, missing),
  }
  return JSON.stringify(body)
}

/** Programs of the servers. Each prints its port, and answers a message with its use. */
const report = `
  process.on('message', () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }))
  process.on('disconnect', () => process.exit())
`
const programs: Record<string, (folder: string, recordings: readonly string[]) => string> = {
  'node:http': (folder) => `
    import { createServer } from 'node:http'
    import { readFileSync } from 'node:fs'
    const frames = JSON.parse(readFileSync(${JSON.stringify(join(folder, 'events.json'))}, 'utf8'))
      .map((data) => Buffer.from('data: ' + data + '\\n\\n'))
    const server = createServer((request, response) => {
      request.on('data', () => {})
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const frame of frames) response.write(frame)
        response.end()
      })
    })
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
    ${report}`,
  '@runproof/replay': (folder, recordings) => `
    import { createEmulator } from '@runproof/replay/emulator'
    const { url } = await createEmulator({
      recordings: ${JSON.stringify(recordings.map((name) => join(folder, name)))},
      repeat: true,
    })
    process.send({ port: Number(new URL(url).port) })
    ${report}`,
  '@copilotkit/aimock': (folder) => `
    import { LLMock } from '@copilotkit/aimock'
    import { readFileSync } from 'node:fs'
    const content = readFileSync(${JSON.stringify(join(folder, 'answer.txt'))}, 'utf8')
    const mock = new LLMock({ port: 0, chunkSize: ${pieces[0]?.length ?? 0} })
    mock.onMessage('many words', { content })
    await mock.start()
    process.send({ port: Number(new URL(mock.url).port) })
    ${report}`,
}

type Use = { cpu: { user: number; system: number }; rss: number }
type Server = { name: string; child: ChildProcess; pool: Pool; idleRss: number }

async function start(name: string, recordings: readonly string[]): Promise<Server> {
  const program = programs[name]
  if (program === undefined) throw new TypeError(`no server ${name}`)
  const source = program(folder, recordings)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port))
    child.once('exit', (code) => reject(new Error(`${name} exited with ${code}`)))
  })
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight, pipelining: 1 })
  return { name, child, pool, idleRss: 0 }
}

async function stop({ child, pool }: Server): Promise<void> {
  await pool.destroy()
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.disconnect()
  await exited
}

function useOf({ child }: Server): Promise<Use> {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send('use')
  })
}

async function request({ pool }: Server, body: string): Promise<Uint8Array[]> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
  const response = await pool.request({ method: 'POST', path, headers, body })
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  if (response.statusCode !== 200) throw new Error(Buffer.concat(chunks).toString())
  return chunks
}

/** Sends so many requests, 50 at a time. */
async function load(server: Server, body: string, streams: number): Promise<void> {
  let left = streams
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await request(server, body)
    }),
  )
}

/** What was said must be what the events say, whoever served it. */
async function verify(server: Server, body: string): Promise<number> {
  const { events } = decodeSse(await request(server, body))
  const text = events
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data).choices[0]?.delta.content ?? '')
    .join('')
  if (text !== pieces.join('')) throw new Error(`${server.name} says something else`)
  return events.length
}

/** From the spawn to the first byte of a body, in milliseconds. */
async function measureStart(name: string, body: string): Promise<number> {
  const startedAt = performance.now()
  const server = await start(name, ['small.jsonl'])
  const response = await server.pool.request({ method: 'POST', path, body })
  const chunks = response.body[Symbol.asyncIterator]()
  await chunks.next()
  const firstMs = performance.now() - startedAt
  await response.body.dump()
  await stop(server)
  return firstMs
}

async function measureCpu(server: Server, body: string, streams: number): Promise<number> {
  const before = await useOf(server)
  await load(server, body, streams)
  const after = await useOf(server)
  return (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000 / streams
}

type Row = { figure: string; unit: string; limit: number; values: Map<string, number[]> }

function createRow(figure: string, unit: string, limit: number): Row {
  return { figure, unit, limit, values: new Map(Object.keys(programs).map((name) => [name, []])) }
}

const best = (values: readonly number[] = []): number => Math.min(...values)
const median = (values: readonly number[] = []): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Every server once a round; each round begins with the next one. */
function* rotate<T>(items: readonly T[], rounds: number): Generator<T> {
  for (let round = 0; round < rounds; round++) {
    const first = round % items.length
    yield* items.slice(first)
    yield* items.slice(0, first)
  }
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    streams: { type: 'string', default: '400' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)
const streams = Number(options.streams)
const small = createRequest(1024)
const large = createRequest(64 * 1024)
const names = Object.keys(programs)
const both = ['small.jsonl', 'large.jsonl']
const bare = names[0] ?? ''
const own = names[1] ?? ''

const folder = mkdtempSync(join(tmpdir(), 'runproof-bench-'))
const events = createEvents()
const exchange = (n: number, body: string) => ({
  n,
  request: { method: 'POST', path, headers: {}, key: '', body: JSON.parse(body) as unknown },
  response: { status: 200, headers: { 'content-type': 'text/event-stream' } },
  events: events.map((data) => ({ dtMs: 0, data })),
  body: null,
  end: { kind: 'eof' as const },
})
writeFileSync(join(folder, 'events.json'), JSON.stringify(events))
writeFileSync(join(folder, 'answer.txt'), pieces.join(''))
for (const [name, body] of Object.entries({ 'small.jsonl': small, 'large.jsonl': large })) {
  const head = { version: 1, wire: 'openai-chat', source: 'authored', provenance: {} } as const
  writeFileSync(join(folder, name), serializeRecording({ ...head, exchanges: [exchange(1, body)] }))
}

const rows = {
  start: createRow('cold start to first byte', 'ms', 1.3),
  small: createRow('CPU a stream, 1 KiB requests', 'ms', 1.15),
  large: createRow('CPU a stream, 64 KiB requests', 'ms', Number.POSITIVE_INFINITY),
  rss: createRow('RSS after 2,400 streams', 'MiB', 1.25),
}
const keep = (row: Row, name: string, value: number): void => void row.values.get(name)?.push(value)

for (const name of rotate(names, rounds)) keep(rows.start, name, await measureStart(name, small))
const servers = await Promise.all(names.map((name) => start(name, both)))
const counts = new Map<string, number>()
for (const server of servers) {
  counts.set(server.name, await verify(server, small))
  await load(server, small, streams)
  await load(server, large, streams / 4)
}
for (const server of rotate(servers, rounds))
  keep(rows.small, server.name, await measureCpu(server, small, streams))
for (const server of rotate(servers, rounds)) {
  keep(rows.large, server.name, await measureCpu(server, large, streams / 4))
}
await Promise.all(servers.map((server) => stop(server)))
for (const name of rotate(names, 3)) {
  const server = await start(name, both)
  await load(server, small, 2400)
  keep(rows.rss, name, (await useOf(server)).rss / 1024 / 1024)
  await stop(server)
}
rmSync(folder, { recursive: true })

const misses: string[] = []
for (const { figure, unit, limit, values } of Object.values(rows)) {
  const base = best(values.get(bare))
  for (const name of names) {
    const value = best(values.get(name))
    const ratio = value / base
    if (name === own && ratio > limit) misses.push(`${figure}: ${ratio.toFixed(2)}× > ${limit}×`)
    if (options.json) {
      console.log(
        JSON.stringify({
          node: process.version,
          figure,
          name,
          unit,
          best: value,
          median: median(values.get(name)),
          ratio,
        }),
      )
    }
  }
  if (options.json) continue
  console.log(`\n${figure} (${unit}: best, median; times ${bare})`)
  for (const name of names) {
    const value = best(values.get(name))
    const cells = [
      value.toFixed(3),
      median(values.get(name)).toFixed(3),
      `${(value / base).toFixed(2)}×`,
    ]
    console.log(`  ${name.padEnd(20)}${cells.map((cell) => cell.padStart(10)).join('')}`)
  }
}
if (!options.json)
  console.log(
    `\nevents a stream: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
  )
for (const miss of misses) console.error(`above its limit: ${miss}`)
if (misses.length > 0) process.exitCode = 1
