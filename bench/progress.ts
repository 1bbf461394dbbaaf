/**
 * How fast envelopes become a claim, and what a log costs in memory.
 * `@runproof/progress` from parsed objects, and from JSONL text beside
 * `JSON.parse` of the same lines alone. Every run is checked: its claim, its
 * text, its tools. There is no peer: nothing else does this.
 *
 *     node bench/progress.ts [--rounds 15] [--events 200000] [--memory-events 1000000] [--only agent] [--json]
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseArgs } from 'node:util'
import { createProgress, type Progress } from '@runproof/progress'
import { measureRounds } from './rounds.ts'
import { run, workloads, type Workload } from './progress/workloads.ts'

type Speed = {
  /** Millions of envelopes a second of CPU time, from parsed objects. */
  millionsPerSecond: number
  /** CPU time of `JSON.parse` and judging over that of `JSON.parse` alone. */
  timesParse: number
}

type Memory = {
  /** Bytes kept an event, beyond the text. */
  bytesPerEvent: number
  /** Bytes kept in all when only the newest 1000 events are remembered. */
  windowedBytes: number
}

type Row = { workload: string; what: string } & Speed & Memory

const windowEvents = 1000

const start = (workload: Workload, window?: number): Progress =>
  createProgress({
    run,
    ignoreKinds: workload.ignoreKinds,
    ...(window === undefined ? {} : { window }),
  })

/** Throws unless the run is done and says what its events say. */
function check(workload: Workload, progress: Progress, eventCount: number): void {
  let text = ''
  const tools: Record<string, string> = {}
  let seq = 0
  for (const event of workload.events(eventCount)) {
    seq = event.seq
    const { text: said, call_id: call } = event.data
    if (typeof said === 'string') text += said
    if (typeof call === 'string') tools[call] = 'returned'
  }
  const isRight =
    progress.status === 'done' &&
    progress.lastSeq === seq &&
    progress.text === text.slice(progress.window?.textDropped ?? 0) &&
    Object.keys(progress.tools).length === Object.keys(tools).length &&
    Object.values(progress.tools).every((state) => state === 'returned')
  if (!isRight) throw new Error(`${workload.name}: judged ${progress.status}, or its facts differ`)
}

function measureSpeed(workload: Workload, eventCount: number, rounds: number): Speed {
  const lines = Array.from(workload.events(eventCount), (event) => JSON.stringify(event))
  const events = lines.map((line): unknown => JSON.parse(line))
  let progress = start(workload)
  const figures = measureRounds(
    [
      {
        name: 'judge',
        run() {
          progress = start(workload)
          for (const event of events) progress.feed(event)
        },
      },
      {
        name: 'parse',
        run() {
          let last: unknown
          for (const line of lines) last = JSON.parse(line)
          return last
        },
      },
      {
        name: 'parse and judge',
        run() {
          progress = start(workload)
          for (const line of lines) progress.feed(JSON.parse(line))
        },
      },
    ],
    {
      rounds,
      verify(name) {
        if (name !== 'parse') check(workload, progress, eventCount)
      },
    },
  )
  const [judge, parse, both] = figures.map(({ cpuMs }) => cpuMs)
  if (judge === undefined || parse === undefined || both === undefined) throw new Error('no figure')
  return {
    millionsPerSecond: events.length / judge / 1000,
    timesParse: both / parse,
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function keptBytes(): number {
  // Twice: what a first collection only promotes, a second one frees.
  collectGarbage()
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Judges a log whose lines are made, parsed and dropped one by one. */
function keep(workload: Workload, eventCount: number, window?: number): [Progress, number] {
  const before = keptBytes()
  const progress = start(workload, window)
  for (const event of workload.events(eventCount)) progress.feed(JSON.parse(JSON.stringify(event)))
  return [progress, keptBytes() - before]
}

function measureMemory(workload: Workload, eventCount: number): Memory {
  const [whole, bytes] = keep(workload, eventCount)
  // The texts of these logs are ASCII: one byte a unit.
  const bytesPerEvent = (bytes - whole.text.length) / whole.lastSeq
  check(workload, whole, eventCount)
  const [windowed, windowedBytes] = keep(workload, eventCount, windowEvents)
  check(workload, windowed, eventCount)
  return { bytesPerEvent, windowedBytes }
}

function print(rows: readonly Row[]): void {
  const table = [
    ['log', 'events', 'M/s', 'JSONL', 'bytes', `KiB, window ${windowEvents}`],
    ...rows.map((row) => [
      row.workload,
      row.what,
      row.millionsPerSecond.toFixed(2),
      `${row.timesParse.toFixed(2)}×`,
      row.bytesPerEvent.toFixed(0),
      (row.windowedBytes / 1024).toFixed(0),
    ]),
  ]
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((cells) => cells[column]?.length ?? 0)),
  )
  for (const cells of table) {
    console.log(cells.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  '))
  }
  console.log(`
M/s: millions of envelopes judged a second of CPU time, from parsed objects
JSONL: CPU time of JSON.parse and judging over that of JSON.parse of the same lines
bytes: kept an event beyond the text; KiB, window: kept in all`)
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    events: { type: 'string', default: '200000' },
    'memory-events': { type: 'string', default: '1000000' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})

const rows: Row[] = []
for (const one of workloads) {
  if (values.only !== undefined && values.only !== one.name) continue
  const memory = measureMemory(one, Number(values['memory-events']))
  const speed = measureSpeed(one, Number(values.events), Number(values.rounds))
  rows.push({ workload: one.name, what: one.what, ...speed, ...memory })
}
if (values.json) for (const row of rows) console.log(JSON.stringify(row))
else print(rows)
