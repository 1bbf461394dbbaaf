/**
 * A small ACP client for tests: spawns the built bin and speaks raw
 * newline-delimited JSON, without the SDK, so that the wire itself is tested.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isObject, parseObject, type Json } from './json.ts'

export const bin: string = fileURLToPath(new URL('../bin/runproof-agent.js', import.meta.url))

/** One message from the agent; fields that a kind of message lacks are undefined. */
export type Message = {
  id?: number
  method?: string
  params?: Json
  result?: Json
  error?: { code: number; message: string; data?: Json }
}

export type Exit = { code: number | null; signal: string | null; ms: number }

export type DriverOptions = {
  args?: string[]
  env?: Record<string, string>
  cwd?: string
  /** Answers the agent's own requests; default: -32601. */
  answer?: (message: Message) => Promise<Json> | Json
}

export type Driver = {
  child: ChildProcess
  /** Every line of stdout, exactly. */
  lines: string[]
  /** The same, parsed. */
  messages: Message[]
  stderr(): string
  /** The whole answer, result or error. */
  call(method: string, params: Json): Promise<Message>
  notify(method: string, params: Json): void
  write(text: string): void
  /** The first message, past or future, that fits. */
  waitFor(fits: (message: Message) => boolean): Promise<Message>
  /** The updates so far, in order. */
  updates(): Json[]
  /** Ends stdin; resolves with the exit. */
  close(): Promise<Exit>
  exited: Promise<Exit>
}

/** Variables that would reach a real provider never come from the developer's machine. */
const clean: Record<string, string> = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
}

export function startDriver(options: DriverOptions = {}): Driver {
  const child = spawn(process.execPath, [bin, ...(options.args ?? [])], {
    env: { ...clean, ...options.env },
    cwd: options.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const messages: Message[] = []
  let stderr = ''
  let nextId = 1
  const watchers = new Set<() => void>()
  let endedAt = performance.now()

  const write = (text: string): void => void child.stdin.write(text)
  const send = (message: Json): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  child.stdin.on('error', () => undefined)
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const message = readMessage(line)
    messages.push(message)
    if (message.method !== undefined && message.id !== undefined) void reply(message)
    for (const watch of watchers) watch()
  })
  const reply = async (message: Message): Promise<void> => {
    const result = options.answer && (await options.answer(message))
    const { id } = message
    send(result ? { id, result } : { id, error: { code: -32601, message: 'not supported' } })
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      for (const watch of watchers) watch()
      resolve({ code, signal, ms: performance.now() - endedAt })
    })
  })

  const waitFor = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        const found = messages.find(fits)
        if (found !== undefined) {
          watchers.delete(watch)
          resolve(found)
        } else if (child.exitCode !== null) {
          watchers.delete(watch)
          reject(new Error(`the agent exited with ${child.exitCode}: ${stderr}`))
        }
      }
      watchers.add(watch)
      watch()
    })

  return {
    child,
    lines,
    messages,
    stderr: () => stderr,
    async call(method, params) {
      const id = nextId++
      send({ id, method, params })
      return waitFor((message) => message.id === id && message.method === undefined)
    },
    notify: (method, params) => send({ method, params }),
    write,
    waitFor,
    updates: () =>
      messages
        .filter(({ method }) => method === 'session/update')
        .map(({ params }) => params?.['update'])
        .filter(isObject),
    close() {
      endedAt = performance.now()
      child.stdin.end()
      return exited
    },
    exited,
  }
}

function readMessage(line: string): Message {
  const { id, method, params, result, error } = parseObject(line)
  return {
    ...(typeof id === 'number' && { id }),
    ...(typeof method === 'string' && { method }),
    ...(isObject(params) && { params }),
    ...(isObject(result) && { result }),
    ...(isObject(error) && { error: readError(error) }),
  }
}

function readError({ code, message, data }: Json): NonNullable<Message['error']> {
  return {
    code: Number(code),
    message: String(message),
    ...(isObject(data) && { data }),
  }
}

export const initializeParams: Json = { protocolVersion: 1, clientCapabilities: {} }

/** Initializes and opens a session in `cwd`; the session's id. */
export async function openSession(driver: Driver, cwd: string): Promise<string> {
  await driver.call('initialize', initializeParams)
  const answer = await driver.call('session/new', { cwd, mcpServers: [] })
  return String(answer.result?.['sessionId'])
}

export function promptParams(sessionId: string, text: string): Json {
  return { sessionId, prompt: [{ type: 'text', text }] }
}
