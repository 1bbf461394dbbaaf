/**
 * How fast envelopes become a claim, and what a log costs in memory.
 * `@runproof/progress` from parsed objects, and from JSONL text beside
 * `JSON.parse` of the same lines alone. Every run is checked: its claim, its
 * text, its tools. There is no peer: nothing else does this.
 *
 *     node bench/progress.ts [--rounds 15] [--events 200000] [--memory-events 1000000] [--json]
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseArgs } from 'node:util'
import { createProgress, type Progress } from '@runproof/progress'
import { measureRounds, type Figure } from './rounds.ts'
import { run, workloads, type Workload } from './progress-workloads.ts'

type Speed = {
  workload: string
  /** Millions of envelopes a second of CPU time, from parsed objects. */
  millionsPerSecond: number
  /** CPU time of `JSON.parse` and judging over that of `JSON.parse` alone. */
  timesParse: number
}

type Memory = {
  workload: string
  /** Bytes kept an event, beyond the text. */
  bytesPerEvent: number
  /** Bytes kept in all when only the newest 1000 events are remembered. */
  windowedBytes: number
}

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
  const figures = measureRounds(
    [
      {
        name: 'judge',
        run() {
          const progress = start(workload)
          for (const event of events) progress.feed(event)
          return progress
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
          const progress = start(workload)
          for (const line of lines) progress.feed(JSON.parse(line))
          return progress
        },
      },
    ],
    {
      rounds,
      verify(name, result) {
        if (name !== 'parse') check(workload, result as Progress, eventCount)
      },
    },
  )
  const [judge, parse, both] = figures.map(({ cpuMs }: Figure) => cpuMs)
  if (judge === undefined || parse === undefined || both === undefined) throw new Error('no figure')
  return {
    workload: workload.name,
    millionsPerSecond: events.length / judge / 1000,
    timesParse: both / parse,
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

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
  return { workload: workload.name, bytesPerEvent, windowedBytes }
}

function print(speeds: readonly Speed[], memories: readonly Memory[]): void {
  const rows = speeds.map(({ workload, millionsPerSecond, timesParse }, index) => {
    const memory = memories[index]
    return [
      workload,
      workloads[index]?.what ?? '',
      millionsPerSecond.toFixed(2),
      `${timesParse.toFixed(2)}×`,
      memory?.bytesPerEvent.toFixed(0) ?? '',
      ((memory?.windowedBytes ?? 0) / 1024).toFixed(0),
    ]
  })
  const head = [
    'log',
    'events',
    'M/s parsed',
    'JSONL / JSON.parse',
    'bytes/event',
    `KiB, window ${windowEvents}`,
  ]
  const table = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  for (const row of table) {
    console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  }
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

const chosen = workloads.filter(({ name }) => values.only === undefined || name === values.only)
const memories = chosen.map((one) => measureMemory(one, Number(values['memory-events'])))
const speeds = chosen.map((one) => measureSpeed(one, Number(values.events), Number(values.rounds)))
if (values.json) {
  for (const [index, speed] of speeds.entries()) {
    console.log(JSON.stringify({ ...speed, ...memories[index] }))
  }
} else print(speeds, memories)
