/**
 * The seed's own reducer and adapter as oracles: their Python is taken out of
 * the seed document at test time, run once on a batch of generated logs, and
 * has to agree after every step.
 */
import { createProgress, messageFor, statuses } from '@runproof/progress'
import { createAdapter } from '@runproof/progress/openai-agents'
import fc from 'fast-check'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { anyLog, ownLog, run } from './arbitrary.ts'
import { seedCases } from './cases.ts'

const seed = new URL('../../../../shared/seeds/000_4e630bd2d78ab5bf.txt', import.meta.url)
const skipped = !existsSync(seed)
  ? ' (skipped: no ../shared beside the checkout)'
  : spawnSync('python3', ['--version']).status !== 0
    ? ' (skipped: no python3 on this machine)'
    : ''

/** The source block between two lines of the document that name it and end it. */
function block(from: string, to: string): string {
  const text = readFileSync(seed, 'utf8')
  const start = text.indexOf(from)
  const end = text.indexOf(to, start)
  if (start < 0 || end < 0) throw new Error(`the seed has no block from "${from}" to "${to}"`)
  return text.slice(start + from.length, end)
}

/** Runs `program` next to the seed's modules, one JSON value a line in and out. */
function runPython(program: string, values: readonly unknown[]): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), 'runproof-seed-'))
  try {
    const end = '\nadapter.py 是可运行的离线字段投影示例'
    writeFileSync(join(folder, 'progress.py'), block('progress.py · 完整源码\n', end))
    const adapterEnd = '\nfixtures.json 有 30 组确定输入'
    writeFileSync(join(folder, 'adapter.py'), block('adapter.py · 完整源码\n', adapterEnd))
    writeFileSync(join(folder, 'judge.py'), program)
    const { status, stdout, stderr } = spawnSync('python3', ['-B', 'judge.py'], {
      cwd: folder,
      env: { ...process.env, PYTHONUTF8: '1' },
      input: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
    if (status !== 0) throw new Error(`the seed's program failed: ${stderr}`)
    return stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const reducerProgram = `
import json, sys
from progress import Progress

def facts(p):
    return [p.status, p.message, list(p.issues), p.duplicates, p.foreign, p.last_seq, p.terminal, p.verdict]

for line in sys.stdin:
    log = json.loads(line)
    p = Progress(log["run"])
    steps = []
    for event in log["events"]:
        p.feed(event)
        steps.append(facts(p))
    p.close_transport()
    steps.append(facts(p))
    for event in log["late"]:
        p.feed(event)
        steps.append(facts(p))
    print(json.dumps([steps, p.text, p.final_text, sorted(p.tools.items())]))
`

type Log = { run: string; events: unknown[]; late: unknown[] }

/** What this reducer makes of a log, in the shape that the program above prints. */
function judge({ run: own, events, late }: Log): unknown {
  const p = createProgress({ run: own })
  const facts = (): unknown => {
    const { status, issues, duplicates, foreign, lastSeq, terminal, verdict } = p
    return [status, p.message('zh'), issues, duplicates, foreign, lastSeq, terminal, verdict]
  }
  const feed = (event: unknown): unknown => {
    p.feed(event)
    return facts()
  }
  const steps = events.map(feed)
  p.end()
  steps.push(facts(), ...late.map(feed))
  // A JavaScript object puts keys that look like numbers first.
  const tools = Object.entries(p.tools).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [steps, p.text, p.finalText, tools]
}

/** As JSON text has it: no undefined, `-0` as `0`. */
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value))

describe.skipIf(skipped !== '')(`the reducer of the seed${skipped}`, () => {
  test('agrees after every step of generated logs', { timeout: 60_000 }, () => {
    const log: fc.Arbitrary<Log> = fc.record({
      run: fc.constant(run),
      events: anyLog,
      late: fc.oneof(
        { arbitrary: fc.constant<unknown[]>([]), weight: 3 },
        { arbitrary: anyLog, weight: 1 },
      ),
    })
    const logs: Log[] = [
      ...fc.sample(log, 4000),
      ...fc.sample(ownLog, 1000).map((events) => ({ run, events, late: [] })),
      ...seedCases.map((one) => ({ run: one.run, events: one.events, late: one.events })),
    ].map(asJson)
    const judged = runPython(reducerProgram, logs)
    expect(judged).toHaveLength(logs.length)
    const seen = new Set<unknown>()
    for (const [index, one] of logs.entries()) {
      const ours = judge(one)
      if (!isDeepStrictEqual(ours, judged[index])) {
        expect({ log: one, judged: ours }).toEqual({ log: one, judged: judged[index] })
      }
      for (const status of statuses) {
        if (JSON.stringify(ours).includes(messageFor(status, 'zh'))) seen.add(status)
      }
    }
    expect(seen).toEqual(new Set(statuses))
  })
})

const adapterProgram = `
import json, sys
from adapter import Producer

for line in sys.stdin:
    case = json.loads(line)
    try:
        if "event" in case:
            out = Producer("r").projected_sdk_event(case["event"])
        else:
            out = Producer("r").owner_finished(**case["observation"])
        print(json.dumps({"out": out}))
    except (KeyError, AttributeError, TypeError) as error:
        print(json.dumps({"raised": type(error).__name__}))
`

const responseTypes = [
  'response.output_text.delta',
  'response.completed',
  'response.failed',
  'response.incomplete',
  'response.created',
  'error',
]
const anyType = fc.constantFrom('function_call', 'function_call_output', 'web_search_call')
const text = fc.oneof({ arbitrary: fc.constantFrom('a', 'b'), weight: 4 }, fc.constant(null))

/** Python's spelling, with fields missing or wrong now and then. */
const sdkEvent: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({
    type: fc.constant('raw_response_event'),
    data: fc.record(
      {
        type: fc.constantFrom(...responseTypes),
        delta: text,
        response: fc.record({ id: text }, { requiredKeys: [] }),
      },
      { requiredKeys: ['type'] },
    ),
  }),
  fc.record({
    type: fc.constant('run_item_stream_event'),
    name: fc.constantFrom('tool_called', 'tool_output', 'handoff_occured'),
    item: fc.record({
      raw_item: fc.record({ type: anyType, call_id: text }, { requiredKeys: ['type'] }),
    }),
  }),
  fc.record({ type: fc.constantFrom('agent_updated_stream_event', 'future') }),
)

const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

describe.skipIf(skipped !== '')(`the adapter of the seed${skipped}`, () => {
  test('gives the same envelopes for events it can project', () => {
    const events = fc.sample(sdkEvent, 1000).map(asJson)
    const judged = runPython(
      adapterProgram,
      events.map((event) => ({ event })),
    )
    const projected = events.filter((event, index) => {
      const [ours] = createAdapter({ run: 'r' }).push(event)
      // Where the seed raises, or carries a field that is no text, this adapter says unsupported.
      const isSound = !JSON.stringify(judged[index]).includes('null')
      if (!isSound || Object.hasOwn(Object(judged[index]), 'raised')) {
        expect(ours?.kind).toBe('adapter.unsupported_event')
        return false
      }
      expect({ event, out: ours }).toEqual({ event, ...Object(judged[index]) })
      return true
    })
    expect(projected.length).toBeGreaterThan(500)
  })

  test('signs the same ends for every observation', () => {
    const flags = [false, true]
    const observations = flags.flatMap((exhausted) =>
      flags.flatMap((isComplete) =>
        [false, true, [], ['call']].flatMap((interruptions) =>
          flags.flatMap((cancelRequested) =>
            flags.flatMap((runtimeFailed) =>
              [null, '', 'text'].map((finalText) => ({
                exhausted,
                isComplete,
                interruptions,
                cancelRequested,
                runtimeFailed,
                finalText,
              })),
            ),
          ),
        ),
      ),
    )
    const judged = runPython(
      adapterProgram,
      observations.map((observation) => ({
        observation: Object.fromEntries(
          Object.entries(observation).map(([key, value]) => [snakeCase(key), value]),
        ),
      })),
    )
    expect(observations).toHaveLength(192)
    for (const [index, observation] of observations.entries()) {
      const [out = null] = createAdapter({ run: 'r' }).finish(observation)
      expect({ observation, out }).toEqual({ observation, ...Object(judged[index]) })
    }
  })
})
