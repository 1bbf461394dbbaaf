/**
 * The program inside the network namespace of a fence: it makes the namespace
 * what it is to be, opens sockets in it, hands them out, and stays, so that the
 * namespace does. It imports nothing of ours, so that it starts fast.
 *
 * Every address is local in there: a connection to anywhere arrives at a socket
 * of ours, which tells that it was tried and where to; of the ports that have
 * none, `ss` tells.
 *
 *     inside PORT…     arguments: ports on 127.0.0.1 that lead out
 */
import { spawn, spawnSync } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { closeSync } from 'node:fs'
import { connect, createServer, type ListenOptions, type Server } from 'node:net'
import process from 'node:process'

/** What a socket that is handed out is for. */
export type Handed =
  | { socket: 'port'; port: number }
  | { socket: 'proxy' | 'tcp' | 'dns' }
  | { socket: 'none'; why: string }

/** Where programs connect to that are told an address and no port. */
const watchedPorts = [443, 80, 22]

/** Where `ss` writes to: a pipe to the other side, which ends when there is no `ss`. */
const watchFd = 4

function ip(...args: string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
}

function listen(options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(options, () => resolve(server))
  })
}

function bind(family: 'udp4' | 'udp6'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(family).on('error', reject)
    socket.bind(53, () => resolve(socket))
  })
}

/** Tells every TCP socket that is closed in here; line by line, or it would keep them to itself. */
function watchSockets(): void {
  const args = ['-oL', 'ss', '--events', '--no-header', '--numeric', '--tcp']
  const watcher = spawn('stdbuf', args, { stdio: ['ignore', watchFd, 'ignore'] })
  watcher.on('error', () => undefined)
  process.on('exit', () => watcher.kill())
  closeSync(watchFd)
}

/** The other side has its own copy then; two that listen would share what comes. */
function hand(handed: Handed, socket?: Server | Socket): void {
  process.send?.(handed, socket, {}, () => socket?.close())
}

try {
  process.on('disconnect', () => process.exit())
  // What `ss` says of this one comes after all that it had to say before.
  process.on('message', (port) => connect(Number(port), '127.0.0.1').on('error', () => undefined))
  ip('link', 'set', 'lo', 'up')
  watchSockets()
  ip('route', 'add', 'local', 'default', 'dev', 'lo')
  spawnSync('ip', ['-6', 'route', 'add', 'local', 'default', 'dev', 'lo'])
  for (const port of process.argv.slice(2).map(Number)) {
    hand({ socket: 'port', port }, await listen({ port, host: '127.0.0.1' }))
  }
  hand({ socket: 'dns' }, await bind('udp6').catch(() => bind('udp4')))
  for (const port of watchedPorts) hand({ socket: 'tcp' }, await listen({ port }))
  // The last one: whoever gets it has all.
  hand({ socket: 'proxy' }, await listen({ port: 0, host: '127.0.0.1' }))
} catch (error) {
  hand({ socket: 'none', why: error instanceof Error ? error.message : String(error) })
}
