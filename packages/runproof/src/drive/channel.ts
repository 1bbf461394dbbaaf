/**
 * The conversation with a process, line by line, whatever the protocol: what
 * was said in order, and waiting for what comes next. There are no sleeps; a
 * wait ends by a message, by the end of the process, or by its time limit.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentProcess } from '../launch/process.ts'
import type { Line } from '../lines.ts'
import {
  isRecord,
  isTooDeep,
  nestingMax,
  type Message,
  type TranscriptLine,
} from '../transcript/line.ts'
import {
  describeBadLine,
  describeEnd,
  describeFlood,
  describeTimeout,
  type Problem,
  type Waited,
} from './problem.ts'

type ChannelProcess = Pick<AgentProcess, 'lines' | 'writeLine' | 'exit' | 'exited'>

export type ChannelOptions = {
  /** Whether a JSON object is a message of the protocol; any other line is a problem. */
  isMessage: (value: Message) => boolean
  /** What a line of stdout is, for reports: "one JSON-RPC object". */
  lineKind: string
  /** Milliseconds since the run began. */
  now: () => number
}

export type Wait<T> = {
  /** Completes "waited for …". */
  what: string
  limitMs: number
  /** Asked now and after every message, until it gives a value. */
  check: () => T | undefined
  /** Asked after `check`: why waiting has become pointless. */
  giveUp?: () => Problem | undefined
}

export type Channel = {
  /** Everything that crossed, in order. */
  readonly transcript: readonly TranscriptLine[]
  /** Lines of stdout that are no messages. */
  readonly problems: readonly Problem[]
  /** Calls `listener` with each line of both directions right when it crosses. */
  subscribe(listener: (line: TranscriptLine) => void): void
  /**
   * Talks to this process from now on. @returns when its stdout has ended and
   * all of it is in the transcript.
   */
  attach(process: ChannelProcess): Promise<void>
  send(message: Message): void
  /** Puts a fact about the process into the transcript. */
  note(fact: Message): void
  until<T>(wait: Wait<T>): Promise<Waited<T>>
  /** Asks all waits again, when something else than a message has changed. */
  wake(): void
  /** Waits until nothing has come for `quietMs`; a problem when it never does within `limitMs`. */
  quiet(quietMs: number, limitMs: number): Promise<Waited<true>>
}

/** Problems kept; an agent that prints megabytes of noise is described well enough by the first ones. */
const problemsMax = 20

/** What all lines of a run may hold together, in UTF-16 units; later ones are read and dropped. */
const receivedUnitsMax = 64 * 1024 * 1024

/** A dying process closes its stdout first; the exit that explains it follows within this time. */
const exitMs = 250

export function createChannel({ isMessage, lineKind, now }: ChannelOptions): Channel {
  const transcript: TranscriptLine[] = []
  const problems: Problem[] = []
  const listeners: ((line: TranscriptLine) => void)[] = []
  const waits = new Set<() => unknown>()
  let process: ChannelProcess | null = null
  let isOver = true
  let receivedUnits = 0
  let flood: Problem | null = null

  const wake = (): void => {
    for (const look of waits) look()
  }
  const record = (line: TranscriptLine): void => {
    transcript.push(line)
    for (const listener of listeners) listener(line)
  }
  const receive = ({ number, text, problem }: Line): void => {
    if (flood !== null) return
    receivedUnits += text.length
    if (receivedUnits > receivedUnitsMax) {
      flood = describeFlood(receivedUnitsMax)
      problems.push(flood)
      return
    }
    const message = problem === undefined ? parseObject(text) : null
    const isDeep = message !== null && isTooDeep(message)
    if (message !== null && !isDeep && isMessage(message)) {
      record({ t: now(), dir: '<', m: message })
      return
    }
    record({ t: now(), dir: '<', raw: text })
    if (problems.length >= problemsMax) return
    const why = isDeep ? `nested more than ${nestingMax} values deep` : `not ${lineKind}`
    problems.push(describeBadLine(number, text, problem ?? why, lineKind))
  }

  return {
    transcript,
    problems,
    wake,
    subscribe: (listener) => void listeners.push(listener),
    async attach(attached) {
      process = attached
      isOver = false
      for await (const batch of attached.lines) {
        for (const line of batch) receive(line)
        wake()
      }
      await Promise.race([attached.exited, delay(exitMs, undefined, { ref: false })])
      isOver = true
      wake()
    },
    send(message) {
      record({ t: now(), dir: '>', m: message })
      process?.writeLine(JSON.stringify(message))
    },
    note: (fact) => record({ t: now(), dir: 'x', m: fact }),
    until({ what, limitMs, check, giveUp }) {
      return new Promise((resolve) => {
        const finish = (waited: Waited<NonNullable<ReturnType<typeof check>>>): void => {
          clearTimeout(timer)
          waits.delete(look)
          resolve(waited)
        }
        const look = (): boolean => {
          const value = check()
          const problem =
            giveUp?.() ?? flood ?? (isOver ? describeEnd(process?.exit ?? null, what) : null)
          if (value !== undefined && value !== null) finish({ value })
          else if (problem !== null) finish({ problem })
          else return false
          return true
        }
        // A harness that had no time to look itself must not call the agent late.
        const timer = setTimeout(() => {
          if (!look()) finish({ problem: describeTimeout(what, limitMs) })
        }, limitMs)
        waits.add(look)
        look()
      })
    },
    quiet(quietMs, limitMs) {
      return new Promise((resolve) => {
        if (quietMs === 0) return resolve({ value: true })
        const finish = (waited: Waited<true>): void => {
          clearTimeout(quietTimer)
          clearTimeout(limitTimer)
          waits.delete(heard)
          resolve(waited)
        }
        const heard = (): void => {
          if (flood !== null) finish({ problem: flood })
          else if (isOver) finish({ value: true })
          else quietTimer.refresh()
        }
        const quietTimer = setTimeout(finish, quietMs, { value: true })
        const limitTimer = setTimeout(finish, limitMs, {
          problem: describeTimeout(`${quietMs} ms of silence after the turn's response`, limitMs),
        })
        waits.add(heard)
        heard()
      })
    },
  }
}

function parseObject(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
