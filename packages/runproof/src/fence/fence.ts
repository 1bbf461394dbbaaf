/**
 * The fence of a replay: an agent in it reaches the emulator and nothing else,
 * and every attempt to leave is noted.
 *
 * Two levels. `namespace` (Linux, where it is permitted): no other route
 * exists; names that are looked up, TCP connections to addresses and requests to
 * the proxy are noted. `proxy` (anywhere else): variables point to a proxy that
 * leads nowhere; a program that does not mind them leaves unseen. Not fenced on
 * any level: sockets in the file system, such as a container daemon's.
 */
import { once } from 'node:events'
import { createAllowList, type Attempt } from './attempt.ts'
import { openNamespace, type Namespace } from './namespace.ts'
import { createSink } from './sink.ts'

export type FenceLevel = 'namespace' | 'proxy'

export type FenceOptions = {
  /** Ports on 127.0.0.1 that the agent may reach: the emulator's. */
  ports: readonly number[]
  /** Hosts whose attempts are put up with (and refused all the same): `models.dev`, `*.example.com`, `host:443`. */
  allow?: readonly string[]
  /** The highest level to try; default `namespace`. */
  level?: FenceLevel
  /** Called for each distinct attempt when it is made first. */
  onAttempt?: (attempt: Attempt) => void
}

export type Fence = {
  readonly level: FenceLevel
  /** Why the level is not `namespace`; null when it is, or was not wanted. */
  readonly reason: string | null
  /** To be added to the environment of the agent. */
  readonly env: Readonly<Record<string, string>>
  /** The command that runs a command inside the fence: the same process, stdio and exit code. */
  wrap(command: readonly string[]): string[]
  /** Distinct attempts so far, in order. */
  readonly attempts: readonly Attempt[]
  /** Resolves when all attempts so far are in `attempts`. */
  settle(): Promise<void>
  /** Takes the fence down; what runs inside has no network any more. Idempotent. */
  close(): void
}

/** Beyond so many distinct attempts no further one is noted. */
const attemptsMax = 1000

/** @throws TypeError for a pattern of `allow` that can match nothing. */
export async function createFence(options: FenceOptions): Promise<Fence> {
  const { ports, level = 'namespace', onAttempt } = options
  const isAllowed = createAllowList(options.allow ?? [])
  const attempts: Attempt[] = []
  const seen = new Set<string>()
  const note = (host: string, port: number | null, via: Attempt['via']): void => {
    const identity = `${via} ${host} ${port}`
    if (seen.has(identity) || seen.size === attemptsMax) return
    seen.add(identity)
    const attempt = { host, port, via, isAllowed: isAllowed(host, port) }
    attempts.push(attempt)
    onAttempt?.(attempt)
  }
  const sink = createSink({ ports, onAttempt: (host, port) => note(host, port, 'proxy') })
  const opened = level === 'proxy' ? null : await openNamespace({ ports, onAttempt: note })
  const namespace: Namespace | null = typeof opened === 'string' ? null : opened
  if (namespace === null) sink.listen(0, '127.0.0.1')
  else sink.listen(namespace.proxy)
  if (!sink.listening) await once(sink, 'listening')
  const address = (namespace?.proxy ?? sink).address()
  if (typeof address !== 'object' || address === null) throw new TypeError('the proxy has no port')
  return {
    level: namespace === null ? 'proxy' : 'namespace',
    reason: typeof opened === 'string' ? opened : null,
    env: proxyVariables(`http://127.0.0.1:${address.port}`),
    wrap: (command) => namespace?.wrap(command) ?? [...command],
    attempts,
    settle: () => namespace?.settle() ?? Promise.resolve(),
    close() {
      sink.close()
      sink.closeAllConnections()
      namespace?.close()
    },
  }
}

/** What programs read to find a proxy, in both spellings; Node.js asks for one more. */
function proxyVariables(url: string): Record<string, string> {
  const open = 'localhost,127.0.0.1,::1'
  const names = { http_proxy: url, https_proxy: url, all_proxy: url, no_proxy: open }
  const both = Object.entries(names).flatMap(([name, value]) => [
    [name, value],
    [name.toUpperCase(), value],
  ])
  return { ...Object.fromEntries(both), NODE_USE_ENV_PROXY: '1' }
}
