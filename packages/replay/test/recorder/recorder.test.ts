/** What passes the recorder, how it ends for the agent, and what is recorded of it. */
import { once } from 'node:events'
import { Agent, request as requestHttp, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, constants, createGzip, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { cutEvents, type Recording } from '@runproof/replay'
import { createEmulator } from '@runproof/replay/emulator'
import { createRecorder, type Recorder, type RecorderOptions } from '@runproof/replay/recorder'
import { makeIdentity } from './identity.ts'
import { ask, createClock, portOf, startProvider, type Provider } from './provider.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

type Answer = Parameters<typeof startProvider>[0]

async function start(
  answer: Answer,
  options: Partial<RecorderOptions> = {},
): Promise<{ provider: Provider; recorder: Recorder }> {
  const provider = await startProvider(answer)
  closers.push(() => provider.close())
  const recorder = await createRecorder({
    upstream: provider.url,
    wire: 'openai-chat',
    clock: createClock().now,
    ...options,
  })
  closers.push(() => recorder.close())
  return { provider, recorder }
}

const eventStream = { 'content-type': 'text/event-stream' }

const frame = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`

/** Writes pieces one by one, each when the one before has left. */
async function writeAll(
  response: ServerResponse,
  pieces: readonly (string | Buffer)[],
): Promise<void> {
  for (const piece of pieces) {
    await new Promise((resolve) => response.write(piece, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const ends = ({ exchanges }: Recording): string[] => exchanges.map(({ end }) => end.kind)

describe('what passes', () => {
  it('is sent on when it comes, not when all is there', async () => {
    const seen: string[] = []
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { recorder } = await start(async (_, response) => {
      response.writeHead(200, eventStream)
      response.flushHeaders()
      for (const [index, gate] of gates.entries()) {
        response.write(frame(`piece ${index}`))
        // The next one is not written before this one has been received.
        await gate.promise
      }
      response.end()
    })
    const reply = await ask(recorder.url, {
      onChunk(chunk) {
        seen.push(chunk.toString())
        gates[seen.length - 1]?.resolve()
      },
    })
    expect(seen).toEqual([frame('piece 0'), frame('piece 1')])
    expect(reply.isWhole).toBe(true)
  })

  it('has its head sent on before its first byte', async () => {
    const gate = Promise.withResolvers<void>()
    const { recorder } = await start(async (_, response) => {
      response.writeHead(200, eventStream)
      response.flushHeaders()
      await gate.promise
      response.end(frame('late'))
    })
    const response = await fetch(`${recorder.url}/v1/chat/completions`, {
      method: 'POST',
      body: '{}',
    })
    expect(response.status).toBe(200)
    gate.resolve()
    expect(await response.text()).toBe(frame('late'))
  })

  it('is the request as it was: method, path, headers, bytes; with the host of the provider', async () => {
    const { provider, recorder } = await start((_, response) => void response.end('{}'), {})
    const body = Buffer.from(`{"text":"${'é'.repeat(200_000)}"}`)
    await ask(recorder.url, {
      path: '/v1/x?beta=true',
      headers: {
        'X-Mixed-Case': 'kept',
        authorization: 'Bearer secret-of-mine-1234',
        connection: 'keep-alive',
        'content-length': String(body.length),
      },
      body,
    })
    expect(provider.bodies[0]?.equals(body)).toBe(true)
    const [headers = []] = provider.headers
    expect(headers).toContain('X-Mixed-Case')
    expect(headers[headers.indexOf('authorization') + 1]).toBe('Bearer secret-of-mine-1234')
    expect(headers[headers.findIndex((name) => /^host$/i.test(name)) + 1]).toBe(
      new URL(provider.url).host,
    )
    const { exchanges } = await recorder.close()
    expect(exchanges[0]?.request).toMatchObject({
      method: 'POST',
      path: '/v1/x?beta=true',
      headers: {},
      body: JSON.parse(body.toString()),
    })
  })

  it('is the answer of any status, with its headers', async () => {
    const error = JSON.stringify({ error: { message: 'slow down', type: 'rate_limit' } })
    const { recorder } = await start((_, response) => {
      response.writeHead(429, 'Slow Down', {
        'content-type': 'application/json',
        'Retry-After': '7',
        'x-request-id': 'req_1',
        'x-ratelimit-remaining': '0',
        'set-cookie': ['a=b', 'c=d'],
        'openai-organization': 'acme',
      })
      response.end(error)
    })
    const reply = await ask(recorder.url)
    expect(reply.status).toBe(429)
    expect(reply.text).toBe(error)
    expect(reply.rawHeaders).toContain('Retry-After')
    expect(reply.headers).toMatchObject({
      'retry-after': '7',
      'set-cookie': ['a=b', 'c=d'],
      'openai-organization': 'acme',
    })
    const { exchanges } = await recorder.close()
    expect(exchanges[0]).toMatchObject({
      response: {
        status: 429,
        headers: {
          'content-type': 'application/json',
          'retry-after': '7',
          'x-request-id': 'req_1',
          'x-ratelimit-remaining': '0',
        },
      },
      body: error,
      end: { kind: 'eof' },
    })
    expect(Object.keys(exchanges[0]?.response?.headers ?? {})).toHaveLength(4)
  })

  it('has the path of the upstream before its own', async () => {
    const { recorder, provider } = await start(
      (request, response) => void response.end(request.url),
    )
    const gateway = await createRecorder({
      upstream: `${provider.url}/gateway/v2/`,
      wire: 'openai-chat',
      clock: () => 0,
    })
    closers.push(() => gateway.close())
    expect((await ask(gateway.url, { path: '/chat/completions' })).text).toBe(
      '/gateway/v2/chat/completions',
    )
    expect((await ask(recorder.url, { path: '/v1/x' })).text).toBe('/v1/x')
    expect((await gateway.close()).exchanges[0]?.request.path).toBe('/chat/completions')
  })

  it('is a HEAD and a GET without a body', async () => {
    const { recorder } = await start((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 200 : 204, { 'content-length': '12' })
      response.end()
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const head = await ask(recorder.url, { method: 'HEAD', path: '/api/hello', agent })
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '12' } })
    expect(await ask(recorder.url, { method: 'GET', path: '/', agent })).toMatchObject({
      status: 204,
      text: '',
    })
    agent.destroy()
    const { exchanges } = await recorder.close()
    expect(
      exchanges.map(({ request, body, end }) => [
        request.method,
        request.path,
        request.body,
        body,
        end.kind,
      ]),
    ).toEqual([
      ['HEAD', '/api/hello', null, null, 'eof'],
      ['GET', '/', null, null, 'eof'],
    ])
  })

  it('keeps connections alive, on both sides', async () => {
    const { provider, recorder } = await start((_, response) => void response.end('{}'))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let sockets = 0
    const onSocket = (): unknown => sockets++
    for (let n = 0; n < 3; n++) await ask(recorder.url, { agent, onSocket })
    agent.destroy()
    expect(provider.connectionCount()).toBe(1)
    expect((await recorder.close()).exchanges.map(({ n }) => n)).toEqual([1, 2, 3])
  })

  it.each([
    ['', '{}'],
    [', whole, also when it is more than that connection took', `"${'x'.repeat(8_000_000)}"}`],
  ])('is sent again when the provider had closed an idle connection%s', async (_, body) => {
    let connections = 0
    let receivedBytes = 0
    const server = createTcpServer((socket) => {
      const isFirst = ++connections === 1
      let isAnswered = false
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes: Buffer) => {
        // The first connection is dead after one answer, as if it had been closed meanwhile.
        if (isFirst && isAnswered) socket.resetAndDestroy()
        receivedBytes += bytes.length
        isAnswered = bytes.at(-1) === 0x7d
        if (isAnswered) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(async () => void server.close())
    const upstream = `http://127.0.0.1:${portOf(server)}`
    const recorder = await createRecorder({ upstream, wire: 'openai-chat', clock: () => 0 })
    expect((await ask(recorder.url)).text).toBe('{}')
    expect((await ask(recorder.url, { body })).text).toBe('{}')
    expect(connections).toBe(2)
    expect(receivedBytes).toBeGreaterThan(body.length)
    expect(ends(await recorder.close())).toEqual(['eof', 'eof'])
    expect(recorder.problems).toEqual([])
  })

  it('waits for a slow reader instead of piling up', async () => {
    const total = 64
    const piece = Buffer.alloc(256 * 1024, 'x')
    let written = 0
    const { recorder } = await start(
      async (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        for (; written < total; written++) {
          if (!response.write(piece)) await once(response, 'drain')
        }
        response.end()
      },
      { keptBytesMax: 1000 },
    )
    const response = await fetch(`${recorder.url}/v1/x`, { method: 'POST', body: '{}' })
    const reader = response.body?.getReader()
    await reader?.read()
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(written).toBeLessThan(total)
    let bytes = 0
    for (;;) {
      const next = await reader?.read()
      if (next?.value === undefined) break
      bytes += next.value.length
    }
    expect(written).toBe(total)
    expect(bytes).toBeGreaterThan((total - 2) * piece.length)
  })
})

it('may be an answer that comes before the request is complete', async () => {
  let ms = 0
  const arrived = Promise.withResolvers<void>()
  const server = createTcpServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}'))
    socket.on('data', (bytes) => {
      if (bytes.includes('the rest')) arrived.resolve()
    })
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => void server.close())
  const upstream = `http://127.0.0.1:${portOf(server)}`
  const recorder = await createRecorder({ upstream, wire: 'openai-chat', clock: () => ms++ })
  const status = new Promise((resolve) => {
    const request = requestHttp(recorder.url, { method: 'POST' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
      request.end('the rest')
    })
    request.write('the beginning, ')
  })
  expect(await status).toBe(413)
  await arrived.promise
  expect((await recorder.close()).exchanges[0]).toMatchObject({
    response: { status: 413, dtMs: 0 },
    body: '{}',
    end: { kind: 'eof' },
  })
})

describe('a request that never came whole', () => {
  const part = {
    headers: { 'content-length': '500' },
    method: 'POST',
    path: '/v1/chat/completions',
  }

  it('is none when the agent left, for a replay cannot be asked it either', async () => {
    const came = Promise.withResolvers<void>()
    const server = createTcpServer((socket) => {
      socket.once('data', () => came.resolve()).on('error', () => socket.destroy())
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(async () => void server.close())
    const upstream = `http://127.0.0.1:${portOf(server)}`
    const recorder = await createRecorder({ upstream, wire: 'openai-chat', clock: () => 0 })
    const request = requestHttp(recorder.url, part).on('error', () => {})
    request.write('{"model')
    await came.promise
    await new Promise((resolve) => request.on('close', resolve).destroy())
    expect((await recorder.close()).exchanges).toEqual([])
    expect(recorder.problems).toEqual([])
  })

  it.each(['HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}', ''])(
    'is a problem when the provider ended it: %j',
    async (answer) => {
      const server = createTcpServer((socket) => {
        socket.once('data', () => socket.end(answer)).on('error', () => socket.destroy())
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      closers.push(async () => void server.close())
      const upstream = `http://127.0.0.1:${portOf(server)}`
      const recorder = await createRecorder({ upstream, wire: 'openai-chat', clock: () => 0 })
      await new Promise((resolve) => {
        const request = requestHttp(recorder.url, part, resolve).on('error', resolve)
        request.write('{"model')
      })
      expect((await recorder.close()).exchanges).toEqual([])
      expect(recorder.problems).toEqual([
        'exchange 1 ended before its request was complete, so nothing could be compared with it',
      ])
    },
  )
})

describe('how it ends', () => {
  it('breaks off for the agent where it broke off for the recorder, and is recorded so', async () => {
    const { recorder } = await start(async (_, response) => {
      response.writeHead(200, eventStream)
      await writeAll(response, [frame('one'), frame('two').slice(0, 30)])
      response.socket?.resetAndDestroy()
    })
    const reply = await ask(recorder.url)
    expect(reply.isWhole).toBe(false)
    expect(reply.text).toBe(frame('one') + frame('two').slice(0, 30))
    const { exchanges } = await recorder.close()
    expect(exchanges[0]).toMatchObject({
      events: [{ data: frame('one').slice(6, -2) }],
      end: { kind: 'reset', tail: frame('two').slice(0, 30) },
    })
  })

  it('has no head when the provider gave none', async () => {
    const { recorder } = await start((request) => void request.socket.destroy())
    await expect(ask(recorder.url)).rejects.toMatchObject({ code: 'ECONNRESET' })
    const { exchanges } = await recorder.close()
    expect(exchanges[0]).toMatchObject({
      response: null,
      events: [],
      body: null,
      end: { kind: 'reset' },
    })
    // The recording says it.
    expect(recorder.problems).toEqual([])
  })

  it('has no head when there is no provider', async () => {
    const { provider, recorder } = await start(() => {})
    await provider.close()
    closers.shift()
    await expect(ask(recorder.url)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(ends(await recorder.close())).toEqual(['reset'])
    expect(recorder.problems[0]).toContain('ECONNREFUSED')
  })

  it('ends for the provider when the agent leaves', async () => {
    const left = Promise.withResolvers<void>()
    const { recorder } = await start(async (_, response) => {
      response.writeHead(200, eventStream)
      response.on('close', () => left.resolve())
      response.write(frame('one'))
    })
    await ask(recorder.url, { onChunk: (_, leave) => leave() })
    await left.promise
    const { exchanges } = await recorder.close()
    expect(exchanges[0]).toMatchObject({
      events: [{ data: frame('one').slice(6, -2) }],
      end: { kind: 'aborted' },
    })
  })

  it('ends when the provider falls silent for too long', async () => {
    const { recorder } = await start(
      (_, response) => {
        response.writeHead(200, eventStream)
        response.write(frame('one'))
      },
      { silenceMs: 60 },
    )
    expect((await ask(recorder.url)).isWhole).toBe(false)
    expect(ends(await recorder.close())).toEqual(['timeout'])
  })

  it('ends as aborted when the recorder is closed meanwhile', async () => {
    const { recorder } = await start((_, response) => {
      response.writeHead(200, eventStream)
      response.write(frame('one'))
    })
    const asked = ask(recorder.url, { onChunk: () => void recorder.close() })
    expect((await asked).isWhole).toBe(false)
    const recording = await recorder.close()
    expect(ends(recording)).toEqual(['aborted'])
    expect(await recorder.close()).toBe(recording)
  })
})

describe('what is recorded', () => {
  it('is every event with its time and the cuts of its chunks', async () => {
    const clock = createClock()
    const [one, two, three] = [frame('one'), frame('two'), frame('three')]
    const pieces = [one, two.slice(0, 20), two.slice(20) + three.slice(0, 7), three.slice(7)]
    const waits = [5, 10, 20, 40]
    const gates = pieces.map(() => Promise.withResolvers<void>())
    const { recorder } = await start(
      async (_, response) => {
        clock.advance(100)
        response.writeHead(200, eventStream)
        response.flushHeaders()
        await gates[0]?.promise
        for (const [index, piece] of pieces.entries()) {
          clock.advance(waits[index] ?? 0)
          response.write(piece)
          await gates[index + 1]?.promise
        }
        response.end()
      },
      { clock: clock.now },
    )
    const response = await fetch(`${recorder.url}/v1/chat/completions`, {
      method: 'POST',
      body: '{}',
    })
    const reader = response.body?.getReader()
    for (const gate of gates) {
      gate.resolve()
      await reader?.read()
    }
    await reader?.read()
    const { exchanges } = await recorder.close()
    const [exchange] = exchanges
    expect(exchange?.response?.dtMs).toBe(100)
    expect(exchange?.events.map(({ dtMs, cuts }) => [dtMs, cuts])).toEqual([
      [5, undefined],
      [30, [20]],
      [40, [7, three.length]],
    ])
    if (exchange === undefined) throw new Error('nothing was recorded')
    expect(cutEvents(exchange).map(({ bytes }) => bytes.toString())).toEqual(pieces)
  })

  it.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['br', (text: string) => brotliCompressSync(text)],
  ])('is readable when %s passed', async (coding, compress) => {
    const bytes = compress('{"a":"é"}')
    const { recorder, provider } = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
      response.end(bytes)
    })
    const reply = await ask(recorder.url, { headers: { 'accept-encoding': `${coding}, snappy` } })
    expect(Buffer.concat(reply.chunks).equals(bytes)).toBe(true)
    const headers = provider.headers[0] ?? []
    expect(headers[headers.indexOf('accept-encoding') + 1]).toBe(coding)
    expect((await recorder.close()).exchanges[0]?.body).toBe('{"a":"é"}')
  })

  it('is each event of a compressed stream, cut where it was flushed', async () => {
    const { recorder } = await start(async (_, response) => {
      response.writeHead(200, { ...eventStream, 'content-encoding': 'gzip' })
      const zip = createGzip({ flush: constants.Z_SYNC_FLUSH })
      zip.pipe(response)
      for (const piece of [frame('one'), frame('two').slice(0, 9), frame('two').slice(9)]) {
        await new Promise((resolve) => zip.write(piece, resolve))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      zip.end()
    })
    await ask(recorder.url)
    const { exchanges } = await recorder.close()
    expect(exchanges[0]?.events).toEqual([
      { dtMs: 0, data: frame('one').slice(6, -2) },
      { dtMs: 0, data: frame('two').slice(6, -2), cuts: [9, frame('two').length] },
    ])
  })

  it('is a compressed request', async () => {
    const { recorder } = await start((_, response) => void response.end())
    await ask(recorder.url, { body: gzipSync('{"a":1}'), headers: { 'content-encoding': 'gzip' } })
    expect((await recorder.close()).exchanges[0]?.request.body).toEqual({ a: 1 })
  })

  it('is every one of many exchanges at once, in the order of the requests', async () => {
    const waiting: (() => void)[] = []
    const { recorder } = await start((_, response, body) => {
      response.writeHead(200, eventStream)
      response.flushHeaders()
      waiting.push(
        () =>
          void writeAll(response, [frame(`a ${String(body)}`), frame(`b ${String(body)}`)]).then(
            () => response.end(),
          ),
      )
      // The last one asked is answered first.
      if (waiting.length === 20) for (const go of waiting.toReversed()) go()
    })
    const bodies = Array.from({ length: 20 }, (_, n) => String(n))
    const replies = await Promise.all(bodies.map((body) => ask(recorder.url, { body })))
    expect(replies.map(({ text }) => text)).toEqual(
      bodies.map((body) => frame(`a ${body}`) + frame(`b ${body}`)),
    )
    const { exchanges } = await recorder.close()
    expect(
      exchanges.map(
        ({ events, request }) =>
          events.map(({ data }) => `data: ${data}\n\n`).join('') ===
          frame(`a ${String(request.body)}`) + frame(`b ${String(request.body)}`),
      ),
    ).toEqual(bodies.map(() => true))
  })

  it.each([
    ['a number that is none', '{"x":1e400}'],
    ['a number that is rounded', '{"x":9007199254740993}'],
    ['nesting deeper than the stack', '['.repeat(1e5) + ']'.repeat(1e5)],
  ])('is a request with %s, and it finds its answer again', async (_, body) => {
    const { recorder } = await start((_request, response) => void response.end('{}'))
    await ask(recorder.url, { body })
    const recording = await recorder.close()
    const emulator = await createEmulator({ recordings: [recording] })
    closers.push(() => emulator.close())
    expect((await ask(emulator.url, { body })).status).toBe(200)
    expect((await ask(emulator.url, { body: body.replace(/3|4|\[/, '1') })).status).toBe(400)
  })

  it('is a body that breaks off inside a character, without that one', async () => {
    const { recorder } = await start(async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      await writeAll(response, [Buffer.from('{"dish":"crêpe').subarray(0, 12)])
      response.socket?.resetAndDestroy()
    })
    await ask(recorder.url)
    expect((await recorder.close()).exchanges[0]).toMatchObject({
      body: '{"dish":"cr',
      end: { kind: 'reset' },
    })
    expect(recorder.problems).toEqual([])
  })

  it('has a limit for what a few compressed bytes stand for', async () => {
    const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024))
    const { recorder } = await start((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    await ask(recorder.url)
    expect((await recorder.close()).exchanges).toEqual([])
    expect(recorder.problems).toEqual([
      'exchange 1 has a response that is larger than 67108864 bytes without its gzip',
    ])
  })

  it('is an answer of any status', async () => {
    const { recorder } = await start((_, response) => void response.writeHead(999).end())
    expect((await ask(recorder.url)).status).toBe(999)
    expect((await recorder.close()).exchanges[0]?.response?.status).toBe(999)
  })

  it.each(['constructor', '__proto__'])('has no place for the coding %s', async (coding) => {
    const { recorder } = await start(
      (_request, response) =>
        void response.writeHead(200, { 'content-encoding': coding }).end('{}'),
    )
    await ask(recorder.url)
    expect((await recorder.close()).exchanges).toEqual([])
    expect(recorder.problems).toEqual([`exchange 1 has a response that is no ${coding}`])
  })

  it('has no place for what is no text, and says so', async () => {
    const { recorder } = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.end(Buffer.from([0xff, 0xfb, 0x90, 0x00]))
    })
    await ask(recorder.url)
    await ask(recorder.url, {
      body: Buffer.from('not gzip'),
      headers: { 'content-encoding': 'gzip' },
    })
    expect((await recorder.close()).exchanges).toEqual([])
    expect(recorder.problems).toEqual([
      expect.stringMatching(/^exchange 1 has a response that is no text/),
      'exchange 2 has a request that is no gzip',
    ])
  })

  it('has a limit, beyond which exchanges pass unrecorded', async () => {
    const { recorder } = await start((_, response, body) => void response.end(body), {
      keptBytesMax: 1000,
    })
    const big = 'x'.repeat(600)
    expect((await ask(recorder.url, { body: big })).text).toBe(big)
    expect((await ask(recorder.url, { body: 'small' })).text).toBe('small')
    const { exchanges } = await recorder.close()
    expect(exchanges.map(({ n }) => n)).toEqual([2])
    expect(recorder.problems).toEqual(['exchange 1 is larger than what the recorder keeps'])
  })
})

const identity = makeIdentity()
const needsIdentity = identity === null ? ' (skipped: no openssl on this machine)' : ''

it.skipIf(identity === null)(`speaks TLS to the provider it trusts${needsIdentity}`, async () => {
  if (identity === null) return
  const server = createSecureServer(identity, (_, response) => void response.end('{"secure":true}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => void server.close())
  const upstream = `https://localhost:${portOf(server)}`
  const options = { upstream, wire: 'openai-chat', clock: () => 0 } as const

  const trusting = await createRecorder({ ...options, ca: identity.cert })
  expect((await ask(trusting.url)).text).toBe('{"secure":true}')
  expect(ends(await trusting.close())).toEqual(['eof'])

  const strict = await createRecorder(options)
  await expect(ask(strict.url)).rejects.toMatchObject({ code: 'ECONNRESET' })
  await strict.close()
  expect(strict.problems).toEqual([expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT')])
})

it('refuses an address that is none, and a port that is taken', async () => {
  const options = { wire: 'openai-chat', clock: () => 0 } as const
  await expect(createRecorder({ ...options, upstream: 'api.example.com' })).rejects.toMatchObject({
    code: 'bad-config',
  })
  const { recorder } = await start(() => {})
  const port = Number(new URL(recorder.url).port)
  await expect(
    createRecorder({ ...options, upstream: 'http://127.0.0.1:9', port }),
  ).rejects.toMatchObject({ code: 'port-in-use' })
})
