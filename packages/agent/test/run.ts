/** A session of the built agent with a scripted model, for tests of what happens between them. */
import {
  openSession,
  promptParams,
  startDriver,
  type Driver,
  type DriverOptions,
  type Message,
} from './driver.ts'
import { isObject, parseObject, type Json } from './json.ts'
import { startLoopback, type Loopback, type Reply } from './loopback.ts'
import { readLog, temporaryFolder } from './scenario.ts'

export type LoggedEvent = { type: string; seq: number; data: Json }

export type Scripted = {
  driver: Driver
  provider: Loopback
  sessionId: string
  cwd: string
  root: string
  prompt: (text?: string) => Promise<Message>
  setMode: (value: string) => Promise<Message>
  /** The persisted events, after the agent has flushed them. */
  events: () => LoggedEvent[]
}

export async function startScripted(
  replies: Reply[],
  options: Partial<DriverOptions> = {},
): Promise<Scripted> {
  const provider = await startLoopback(replies)
  const cwd = temporaryFolder('cwd')
  const root = temporaryFolder('sessions')
  const driver = startDriver({
    cwd,
    env: { ...provider.env, RUNPROOF_SESSIONS_ROOT: root, ...options.env },
    ...(options.answer && { answer: options.answer }),
    ...(options.args && { args: options.args }),
  })
  const sessionId = await openSession(driver, cwd)
  return {
    driver,
    provider,
    sessionId,
    cwd,
    root,
    prompt: (text = 'Go on.') => driver.call('session/prompt', promptParams(sessionId, text)),
    setMode: (value) =>
      driver.call('session/set_config_option', { sessionId, configId: 'permission', value }),
    events: () => readLog(root).slice(1).map(readEvent),
  }
}

function readEvent(line: string): LoggedEvent {
  const { type, seq, data } = parseObject(line)
  return { type: String(type), seq: Number(seq), data: isObject(data) ? data : {} }
}

/** Updates of one call, in order. */
export function cardsOf(driver: Driver, callId: string): Json[] {
  return driver.updates().filter((update) => update['toolCallId'] === callId)
}
