/**
 * A network namespace of Linux (network_namespaces(7)) that an agent is put
 * into: nothing outside can be reached from there, by no means of the network.
 *
 * `unshare` makes it and `nsenter` puts a command into it (util-linux), `ip`
 * prepares it (iproute2). Where the kernel does not let us, there is none; that
 * is found out by trying. Its sockets are handed to this process, so all that
 * is said in there is heard here.
 */
import { spawn } from 'node:child_process'
import { Socket as UdpSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { connect, Server } from 'node:net'
import { hostname } from 'node:os'
import { dirname, extname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { watchClosed } from './closed.ts'
import { readQueryName, refuseQuery } from './dns.ts'
import type { Handed } from './inside.ts'
import { joinSockets } from './sink.ts'

export type NamespaceOptions = {
  /** Ports on 127.0.0.1 that can be reached from inside. */
  ports: readonly number[]
  onAttempt: (host: string, port: number | null, via: 'dns' | 'tcp') => void
}

export type Namespace = {
  /** A socket on 127.0.0.1 inside, for the sink proxy. */
  proxy: Server
  /** The command that runs a command inside. */
  wrap(command: readonly string[]): string[]
  /** Resolves when what was tried so far has been noted. */
  settle(): Promise<void>
  close(): void
}

/** A machine that is not ready by then is asked no longer. */
const readyMs = 5_000

/**
 * Ways in, the least intrusive first: as root without a user namespace; with
 * one that keeps the user; with one in which the user is root.
 */
const ways: readonly { unshare: readonly string[]; nsenter: readonly string[] }[] = [
  { unshare: ['--net'], nsenter: ['--net'] },
  ...['--map-current-user', '--map-root-user'].map((mapping) => ({
    unshare: ['--user', mapping, '--keep-caps', '--net'],
    nsenter: ['--user', '--preserve-credentials', '--net'],
  })),
]

/** @returns a namespace, or why there is none. */
export async function openNamespace(options: NamespaceOptions): Promise<Namespace | string> {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux'
  const reasons: string[] = []
  for (const way of ways) {
    const opened = await tryWay(way, options)
    if (typeof opened !== 'string') return opened
    reasons.push(opened)
  }
  return [...new Set(reasons)].join('; ')
}

function tryWay(
  { unshare, nsenter }: (typeof ways)[number],
  { ports, onAttempt }: NamespaceOptions,
): Promise<Namespace | string> {
  const inside = [process.execPath, programFile(), ...ports.map(String)]
  const child = spawn('unshare', [...unshare, '--', ...inside], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
  })
  const sockets: (Server | UdpSocket)[] = []
  const watch = watchClosed(child, ({ localPort, host, port }) => {
    // What answered is ours.
    if (!sockets.some((one) => listensOn(one, localPort))) onAttempt(host, port, 'tcp')
  })
  const close = (): void => {
    for (const socket of sockets.splice(0)) socket.close()
    if (child.connected) child.disconnect()
  }
  return new Promise((resolve) => {
    let stderr = ''
    const timer = setTimeout(() => fail('unshare takes too long'), readyMs)
    const fail = (why: string): void => {
      clearTimeout(timer)
      close()
      resolve(why)
    }
    const take = (handed: Handed, socket: unknown): void => {
      if (handed.socket === 'none') return fail(handed.why)
      if (socket instanceof UdpSocket) answerNames(socket, onAttempt)
      if (!(socket instanceof Server || socket instanceof UdpSocket)) return
      sockets.push(socket)
      if (!(socket instanceof Server)) return
      if (handed.socket === 'port') leadOut(socket, handed.port)
      if (handed.socket === 'tcp') refuseConnections(socket, onAttempt)
      if (handed.socket !== 'proxy') return
      clearTimeout(timer)
      const target = ['--target', String(child.pid), ...nsenter, '--']
      resolve({
        proxy: socket,
        close,
        wrap: (command) => ['nsenter', ...target, ...command],
        settle: () => watch.settle(),
      })
    }
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', ({ message }) => fail(message))
    child.on('exit', () => fail(stderr.trim() || 'unshare failed'))
    child.on('message', take)
  })
}

/** Of `inside.ts`, as this file is: built or not. */
function programFile(): string {
  const file = fileURLToPath(import.meta.url)
  return join(dirname(file), `inside${extname(file)}`)
}

/** Connections inside become connections to the same port here. */
function leadOut(server: Server, port: number): void {
  server.on('connection', (socket) => {
    joinSockets(socket, connect({ port, host: '127.0.0.1', noDelay: true }))
  })
}

function listensOn(socket: Server | UdpSocket, port: number): boolean {
  const address = socket instanceof Server ? socket.address() : null
  return typeof address === 'object' && address?.port === port
}

function refuseConnections(server: Server, onAttempt: NamespaceOptions['onAttempt']): void {
  server.on('connection', (socket) => {
    const { localAddress = '', localPort = null } = socket
    onAttempt(localAddress.replace(/^::ffff:/, ''), localPort, 'tcp')
    socket.on('error', () => socket.destroy())
    socket.resetAndDestroy()
  })
}

function answerNames(socket: UdpSocket, onAttempt: NamespaceOptions['onAttempt']): void {
  const suffixes = searchedSuffixes()
  socket.on('message', (query, { port, address }) => {
    const name = readQueryName(query)
    if (name === null) return
    const suffix = suffixes.find((one) => name.endsWith(one)) ?? ''
    const bare = name.slice(0, name.length - suffix.length)
    if (bare !== hostname().toLowerCase()) onAttempt(bare, null, 'dns')
    socket.send(refuseQuery(query), port, address)
  })
}

/** What a resolver tries to append to every name (resolv.conf(5)). */
function searchedSuffixes(): string[] {
  try {
    const text = readFileSync('/etc/resolv.conf', 'utf8')
    const lines = text.matchAll(/^\s*(?:search|domain)\s+(.*)$/gm)
    return [...lines]
      .flatMap(([, names = '']) => names.trim().split(/\s+/))
      .map((name) => `.${name.toLowerCase()}`)
  } catch {
    return []
  }
}
