/**
 * Providers that speak HTTP at its edges, byte by byte: what the agent sees when
 * it is recorded is what it sees when that is replayed.
 */
import { once } from 'node:events'
import { request as requestHttp, type RequestOptions } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Recording } from '@runproof/replay'
import { createEmulator } from '@runproof/replay/emulator'
import { createRecorder } from '@runproof/replay/recorder'
import { createClock, portOf } from './provider.ts'

const head = (type: string, ...headers: string[]): string =>
  ['HTTP/1.1 200 OK', `content-type: ${type}`, ...headers, '', ''].join('\r\n')
const stream = head('text/event-stream', 'transfer-encoding: chunked')
const coded = (piece: string): string => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`
const frame = 'data: {"choices":[]}\n\n'
const largeHeader = 'a'.repeat(20_000)
const json = head('application/json', 'content-length: 2')

type Case = {
  name: string
  /** Of the request. */
  options?: RequestOptions
  /** Followed by the end of the connection. */
  answer: string
  end: Recording['exchanges'][number]['end']['kind']
  /** What the recording cannot show. */
  problem?: RegExp
}

const cases: readonly Case[] = [
  { name: 'nothing at all', answer: '', end: 'reset' },
  { name: 'half a head', answer: 'HTTP/1.1 200 OK\r\ncontent-ty', end: 'reset' },
  { name: 'no HTTP', answer: 'hello\r\n\r\n', end: 'reset', problem: /cannot be read \(HPE_/ },
  {
    name: 'a status that Node reads and does not write',
    answer: 'HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n',
    end: 'reset',
    problem: /cannot be read \(ERR_HTTP_INVALID_STATUS_CODE\)/,
  },
  {
    name: 'a reason that Node reads and does not write',
    answer: 'HTTP/1.1 200 O\u0001K\r\ncontent-length: 0\r\n\r\n',
    end: 'reset',
    problem: /cannot be read \(ERR_INVALID_CHAR\)/,
  },
  { name: 'a head and no more', answer: stream, end: 'reset' },
  { name: 'a head and what is no chunk', answer: `${stream}zz\r\n`, end: 'reset' },
  { name: 'more than its length', answer: `${json}{} and more`, end: 'reset' },
  { name: 'less than its length', answer: `${json}{`, end: 'reset' },
  { name: 'an event and no end', answer: stream + coded(frame), end: 'reset' },
  { name: 'no length, so up to the end', answer: head('text/event-stream') + frame, end: 'eof' },
  {
    name: 'early hints, extensions of chunks, trailers',
    answer: `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${stream}${coded(frame).replace('\r', ';a=b\r')}0\r\nx-t: 1\r\n\r\n`,
    end: 'eof',
  },
  {
    name: 'heads larger than Node takes by itself',
    options: { headers: { 'x-large': largeHeader } },
    answer: `${head('application/json', `x-large: ${largeHeader}`, 'content-length: 2')}{}`,
    end: 'eof',
  },
  {
    name: 'an answer to a target that is a whole address',
    options: { path: 'http://127.0.0.1:1/v1/chat/completions?a=b' },
    answer: `${json}{}`,
    end: 'eof',
  },
  {
    name: 'another protocol, which it was not offered',
    options: { headers: { connection: 'upgrade', upgrade: 'websocket' } },
    answer: 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    end: 'reset',
    problem: /cannot be read \(status 101\)/,
  },
]

describe('a provider that answers', () => {
  it.each(cases)('$name', async ({ options = {}, answer, end, problem }) => {
    const heads: string[] = []
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        heads.push(bytes.toString('latin1'))
        socket.end(answer)
      })
      socket.on('error', () => socket.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const upstream = `http://127.0.0.1:${portOf(server)}/gateway`
    const { now: clock } = createClock()
    const recorder = await createRecorder({ upstream, wire: 'openai-chat', clock })
    const recorded = await see(recorder.url, options)
    const recording = await recorder.close()
    server.close()
    expect(heads).toEqual([expect.stringMatching(/^POST \/gateway\/v1\//)])
    expect(recording.exchanges.map((exchange) => exchange.end.kind)).toEqual([end])
    expect(recorder.problems).toEqual(problem === undefined ? [] : [expect.stringMatching(problem)])

    const emulator = await createEmulator({ recordings: [recording] })
    const replayed = await see(emulator.url, options)
    expect(emulator.misses).toEqual([])
    expect(emulator.unused()).toEqual([])
    await emulator.close()
    expect(replayed).toEqual(recorded)
  })
})

it('an agent that sends no HTTP is told as a problem', async () => {
  const upstream = 'http://127.0.0.1:1'
  const recorder = await createRecorder({ upstream, wire: 'openai-chat', clock: () => 0 })
  await expect(fetch(recorder.url.replace('http:', 'https:'))).rejects.toThrow('fetch failed')
  expect((await recorder.close()).exchanges).toEqual([])
  expect(recorder.problems).toEqual([expect.stringMatching(/sent what is no HTTP request \(HPE_/)])
})

/** What an agent gets. */
type Seen = { status: number; body: string; isWhole: boolean } | { code: string | undefined }

function see(url: string, options: RequestOptions): Promise<Seen> {
  return new Promise((resolve) => {
    const request = requestHttp(url, {
      method: 'POST',
      path: '/v1/chat/completions',
      maxHeaderSize: 64 * 1024,
      ...options,
    })
    request.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ code }))
    request.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
      const finish = (): void =>
        resolve({ status: response.statusCode ?? 0, body, isWhole: response.complete })
      response.on('end', finish).on('error', finish)
    })
    request.end('{"model":"m","messages":[]}')
  })
}
