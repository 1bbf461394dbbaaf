/**
 * How fast the agent starts and replays one text turn, beside the bare start
 * of Node, with the promised limits. Each round starts one of each in turn;
 * figures are the best and the median round. CPU and memory are the process's
 * own count at its exit (user + system, threads included; peak resident set).
 *
 *     node bench/agent.ts [--rounds 15] [--json]
 *
 * The first round fills the module compile cache and is not counted.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')
const agent = join(root, 'packages/agent/bin/runproof-agent.js')
const scenario = join(root, 'fixtures/agent/text')
/** The prompt that the scenario's log holds. */
const prompt = 'Say hello in two words.'

/** Writes what the process used to file descriptor 3 when it exits. */
const reportUsage =
  'data:text/javascript,' +
  encodeURIComponent(`
    import { writeSync } from 'node:fs'
    process.on('exit', () => {
      const { user, system } = process.cpuUsage()
      const rssMb = process.resourceUsage().maxRSS / 1024
      writeSync(3, JSON.stringify({ cpuMs: (user + system) / 1000, rssMb }))
    })`)

type Usage = { cpuMs: number; rssMb: number }
type Run = Usage & { wallMs: number; initializeMs: number }
type Message = { id?: number; result?: { sessionId?: string; stopReason?: string } }

/** Starts Node with `args`, lets `talk` drive it, and waits for its end. */
async function measure(
  args: string[],
  env: Record<string, string>,
  talk: (send: (message: object) => Promise<Message>) => Promise<number>,
): Promise<Run> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', reportUsage, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  })
  const { stdin, stdout } = child
  const report = child.stdio[3]
  if (stdin === null || stdout === null) throw new TypeError('the pipes were asked for')
  let usage = ''
  report?.on('data', (bytes: Buffer) => (usage += bytes.toString()))
  const waiting = new Map<number, (message: Message) => void>()
  createInterface({ input: stdout }).on('line', (line) => {
    const message: Message = JSON.parse(line)
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  let id = 0
  const send = (message: object): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(++id, resolve)
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`)
    })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const initializedAt = await talk(send)
  stdin.end()
  const code = await exited
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}`)
  const { cpuMs, rssMb }: Usage = JSON.parse(usage)
  const wallMs = performance.now() - startedAt
  return { cpuMs, rssMb, wallMs, initializeMs: initializedAt - startedAt }
}

async function measureNode(): Promise<Run> {
  return measure(['-e', '0'], {}, async () => Number.NaN)
}

async function measureTurn(): Promise<Run> {
  const cwd = mkdtempSync(join(tmpdir(), 'runproof-bench-'))
  const env = {
    RUNPROOF_MODE: 'replay',
    RUNPROOF_SESSION_FILE: join(scenario, 'session.jsonl'),
    RUNPROOF_SESSIONS_ROOT: join(cwd, 'sessions'),
  }
  try {
    return await measure([agent], env, async (send) => {
      await send({ method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })
      const initializedAt = performance.now()
      const opened = await send({ method: 'session/new', params: { cwd, mcpServers: [] } })
      const sessionId = opened.result?.sessionId
      const content = [{ type: 'text', text: prompt }]
      const answer = await send({
        method: 'session/prompt',
        params: { sessionId, prompt: content },
      })
      if (answer.result?.stopReason !== 'end_turn') throw new Error(JSON.stringify(answer))
      return initializedAt
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, json: { type: 'boolean', default: false } },
})
const nodes: Run[] = []
const turns: Run[] = []
for (let round = 0; round <= Number(values.rounds); round++) {
  const pair = [await measureNode(), await measureTurn()] as const
  if (round === 0) continue
  nodes.push(pair[0])
  turns.push(pair[1])
}

type Row = { what: string; unit: string; best: number; median: number; limit: number | null }
const row = (what: string, unit: string, limit: number | null, numbers: number[]): Row => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const pick = (at: number): number => Math.round(sorted[Math.floor(at)] ?? Number.NaN)
  return { what, unit, best: pick(0), median: pick(sorted.length / 2), limit }
}
const rows = [
  row(
    'bare node, wall',
    'ms',
    null,
    nodes.map(({ wallMs }) => wallMs),
  ),
  row(
    'bare node, CPU',
    'ms',
    null,
    nodes.map(({ cpuMs }) => cpuMs),
  ),
  row(
    'bare node, peak memory',
    'MB',
    null,
    nodes.map(({ rssMb }) => rssMb),
  ),
  row(
    'spawn to the answer of initialize',
    'ms',
    200,
    turns.map(({ initializeMs }) => initializeMs),
  ),
  row(
    'one text turn replayed, spawn to exit, wall',
    'ms',
    350,
    turns.map(({ wallMs }) => wallMs),
  ),
  row(
    'one text turn replayed, CPU',
    'ms',
    300,
    turns.map(({ cpuMs }) => cpuMs),
  ),
  row(
    'one text turn replayed, peak memory',
    'MB',
    100,
    turns.map(({ rssMb }) => rssMb),
  ),
]
if (values.json) process.stdout.write(rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
else {
  for (const { what, unit, best, median, limit } of rows) {
    const limitText = limit === null ? '' : `   limit ${limit} ${unit}`
    process.stdout.write(
      `${what.padEnd(46)} best ${best} ${unit}, median ${median} ${unit}${limitText}\n`,
    )
  }
}
// The best round tells what the program needs; the others tell what else the machine did.
process.exitCode = rows.some(({ best, limit }) => limit !== null && best > limit) ? 1 : 0
