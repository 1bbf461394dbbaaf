/**
 * When a chunk may go: at once, after the recorded time or a part of it, or
 * when a test opens its gate. Streams wait side by side; gates are opened in
 * the order in which streams came to them, so a test that releases by exchange
 * decides every interleaving.
 */
import type { Timers } from '@runproof/llm'

/** `x4` is four times as fast as recorded. */
export type Pace = 'instant' | 'recorded' | 'step' | `x${number}`

/** Waits for one response. */
export type Waiter = {
  /** Resolves when the bytes may go: `dtMs` after those before, or with gates for `eventCount` events. */
  wait(dtMs: number, eventCount: number): Promise<void>
  /** The client left: what is awaited resolves now, and nothing is waited for any more. */
  leave(): void
}

export type Pacing = {
  /** null when nothing waits. `exchange` names the response to `release`. */
  readonly open: (exchange: unknown) => Waiter | null
  /** Lets this many more events out, of one exchange or of whichever stream waits longest. */
  readonly release: (eventCount: number, exchange?: unknown) => void
}

export function isPace(text: string): text is Pace {
  return speedOf(text) !== undefined
}

/** How many times as fast as recorded; Infinity: at once. undefined for what is no pace. */
function speedOf(pace: string): number | undefined {
  if (pace === 'instant') return Number.POSITIVE_INFINITY
  if (pace === 'recorded' || pace === 'step') return 1
  const factor = /^x(\d+(?:\.\d+)?)$/.exec(pace)?.[1]
  return factor === undefined || Number(factor) === 0 ? undefined : Number(factor)
}

export function createPacing(pace: Pace, timers: Timers): Pacing {
  const speed = speedOf(pace)
  if (speed === undefined) {
    throw new TypeError(`pace is ${JSON.stringify(pace)}, not instant, recorded, step or x<number>`)
  }
  if (pace === 'step') return createGates()
  return {
    open: () => (speed === Number.POSITIVE_INFINITY ? null : createDelays(speed, timers)),
    release() {
      throw new TypeError(`nothing waits to be released at pace ${pace}; use pace step`)
    },
  }
}

function createDelays(speed: number, timers: Timers): Waiter {
  let stop: (() => void) | null = null
  let hasLeft = false
  return {
    wait(dtMs) {
      if (dtMs === 0 || hasLeft) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      const handle = timers.set(resolve, dtMs / speed)
      stop = () => {
        timers.clear(handle)
        resolve()
      }
      return promise
    },
    leave() {
      hasLeft = true
      stop?.()
    },
  }
}

type Ticket = { exchange: unknown; missing: number; open: () => void }

function createGates(): Pacing {
  const waiting: Ticket[] = []
  let free = 0
  const freeOf = new Map<unknown, number>()
  /** Pays as much of a ticket as there is; true when it is paid. */
  const pay = (ticket: Ticket): boolean => {
    const own = Math.min(ticket.missing, freeOf.get(ticket.exchange) ?? 0)
    freeOf.set(ticket.exchange, (freeOf.get(ticket.exchange) ?? 0) - own)
    const shared = Math.min(ticket.missing - own, free)
    free -= shared
    ticket.missing -= own + shared
    return ticket.missing === 0
  }
  const settle = (): void => {
    const paid = waiting.filter((ticket) => pay(ticket))
    for (const ticket of paid) {
      waiting.splice(waiting.indexOf(ticket), 1)
      ticket.open()
    }
  }
  return {
    open(exchange) {
      let released = 0
      let ticket: Ticket | null = null
      let hasLeft = false
      return {
        wait(_dtMs, eventCount) {
          if (hasLeft) return Promise.resolve()
          const { promise, resolve } = Promise.withResolvers<void>()
          ticket = { exchange, missing: Math.max(0, eventCount - released), open: resolve }
          released = Math.max(released, eventCount)
          waiting.push(ticket)
          settle()
          return promise
        },
        leave() {
          hasLeft = true
          if (ticket === null) return
          const at = waiting.indexOf(ticket)
          if (at !== -1) waiting.splice(at, 1)
          ticket.open()
        },
      }
    },
    release(eventCount, exchange) {
      if (!Number.isSafeInteger(eventCount) || eventCount < 0) {
        throw new TypeError(`release takes a number of events, not ${String(eventCount)}`)
      }
      if (exchange === undefined) free += eventCount
      else freeOf.set(exchange, (freeOf.get(exchange) ?? 0) + eventCount)
      settle()
    },
  }
}
