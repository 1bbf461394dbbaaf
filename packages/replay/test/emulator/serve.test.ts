import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wireNames, wires } from '@runproof/llm'
import { cutEvents, encodeFrame } from '@runproof/replay'
import type { Exchange } from '@runproof/replay'
import { ask, exchange, fixture, fixtures, recordingOf } from '../recording/recordings.ts'
import { emulate, paths, send } from './client.ts'

const requestOf = ({ request }: Exchange) => {
  const { method, path, body } = request
  return { method, path, body }
}

describe('a recording', () => {
  it.each(fixtures)('$name is served as it was recorded', async ({ file, recording }) => {
    const { url, misses, unused } = await emulate({ recordings: [file] })
    for (const recorded of recording.exchanges) {
      if (recorded.response === null) {
        await expect(send(url, requestOf(recorded))).rejects.toThrow('socket hang up')
        continue
      }
      const stop = new AbortController()
      const expected = cutEvents(recorded).map(({ bytes }) => bytes.toString())
      const received = await send(url, {
        ...requestOf(recorded),
        signal: stop.signal,
        onChunk: (_chunk, all) => {
          if (recorded.end.kind === 'aborted' && all.length === expected.length) stop.abort()
        },
      })
      expect(received.status).toBe(recorded.response.status)
      expect(received.headers).toMatchObject(recorded.response.headers)
      expect(received.chunks).toEqual(recorded.body === null ? expected : [recorded.body])
      expect(received.end).toBe(recorded.end.kind === 'eof' ? 'whole' : 'ECONNRESET')
    }
    expect(misses).toEqual([])
    expect(unused()).toEqual([])
  })

  it.each(wireNames)('%s: its events reach the decoder, behind any base URL', async (wire) => {
    const chunks = [
      { type: 'block-start', index: 0, blockType: 'text' },
      { type: 'text-delta', index: 0, text: 'Hello, 世界' },
      { type: 'block-end', index: 0, block: { type: 'text', text: 'Hello, 世界' } },
      { type: 'finish', reason: { kind: 'stop' } },
    ] as const
    const events = wires[wire].encode(chunks).map(({ event, data }) => {
      return { dtMs: 0, data, ...(event === 'message' ? {} : { event }) }
    })
    const path = paths[wire]
    const body = { contents: ['x'] }
    const recording = recordingOf([{ ask: body, path, events }], { wire })
    const { url } = await emulate({ recordings: [recording] })
    const { text, end } = await send(url, { path: `/proxy/v9${path}`, body })
    expect(end).toBe('whole')
    expect(text).toBe(events.map((event) => encodeFrame(event).toString()).join(''))
  })

  it('keeps headers of its answers, but not those of their transport', async () => {
    const headers = {
      'retry-after': '7',
      'x-request-id': 'req_1',
      'content-encoding': 'gzip',
      'content-length': '4096',
      'content-type': 'text/plain',
    }
    const { url } = await emulate({
      recordings: [recordingOf([{ response: { status: 503, headers }, body: 'later' }])],
    })
    const received = await send(url, { body: ask('hello') })
    expect(received).toMatchObject({ status: 503, text: 'later' })
    expect(received.headers).toMatchObject({
      'retry-after': '7',
      'x-request-id': 'req_1',
      'content-type': 'text/plain',
    })
    expect(received.headers['content-encoding']).toBeUndefined()
    expect(received.headers.date).toBeUndefined()
  })

  it('may answer without a body', async () => {
    const response = { status: 204, headers: {} }
    const { url } = await emulate({ recordings: [recordingOf([{ response }])] })
    expect(await send(url, { body: ask('hello') })).toMatchObject({ status: 204, text: '' })
  })

  it('that broke off after its head, or in a body, breaks off there again', async () => {
    const recordings = [
      recordingOf([
        { ask: ask('head'), end: { kind: 'reset' } },
        { ask: ask('body'), body: '{"half', end: { kind: 'timeout' } },
      ]),
    ]
    const { url } = await emulate({ recordings })
    expect(await send(url, { body: ask('head') })).toMatchObject({
      status: 200,
      text: '',
      end: 'ECONNRESET',
    })
    expect(await send(url, { body: ask('body') })).toMatchObject({
      text: '{"half',
      end: 'ECONNRESET',
    })
  })

  it('larger than what a socket takes at once arrives whole', async () => {
    const data = 'x'.repeat(200_000)
    const events = Array.from({ length: 40 }, () => ({ dtMs: 0, data }))
    const { url } = await emulate({ recordings: [recordingOf([{ events }])], pace: 'x1000' })
    expect((await send(url, { body: ask('hello') })).text).toHaveLength(40 * (data.length + 8))
  })
})

const redact = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll('sk-live-1', '{{secret:4}}'))

describe('requests', () => {
  const answered = recordingOf([{ events: ['yes'] }])

  it.each([
    ['gzip', gzipSync(JSON.stringify(ask('hello')))],
    ['zstd', zstdCompressSync(JSON.stringify(ask('hello')))],
    ['identity', Buffer.from(JSON.stringify(ask('hello')))],
  ])('may be coded: %s', async (encoding, body) => {
    const { url } = await emulate({ recordings: [answered] })
    const received = await send(url, { body, headers: { 'content-encoding': encoding } })
    expect(received.text).toBe('data: yes\n\n')
  })

  it.each([
    ['smoke', Buffer.from('x')],
    ['gzip', Buffer.from('no gzip')],
  ])('whose coding cannot be undone are told so: %s', async (encoding, body) => {
    const { url, misses } = await emulate({ recordings: [answered] })
    const received = await send(url, { body, headers: { 'content-encoding': encoding } })
    expect(received.status).toBe(400)
    expect(misses).toMatchObject([{ code: 'bad-request', path: '/v1/chat/completions' }])
    expect(misses[0]?.message).toContain(encoding)
  })

  it('of HTTP/1.0, and those that came behind another, get the same events', async () => {
    const { url } = await emulate({ recordings: [answered], repeat: true })
    const body = JSON.stringify(ask('hello'))
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n`
    const raw = async (bytes: string): Promise<string> => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.end(bytes)
      return textOf(socket)
    }
    const old = await raw(`${head.replace('1.1', '1.0')}\r\n${body}`)
    expect(old).toMatch(/\r\n\r\ndata: yes\n\n$/)
    const pipelined = await raw(`${head}\r\n${body}${head}connection: close\r\n\r\n${body}`)
    expect(pipelined.match(/b\r\ndata: yes\n\n\r\n0\r\n\r\n/g)).toHaveLength(2)
  })

  it('that break off disturb nobody', async () => {
    const { url, misses, unused } = await emulate({ recordings: [answered] })
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write(
        'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{"mod',
      )
      socket.on('close', () => resolve())
      setImmediate(() => socket.destroy())
    })
    expect(misses).toEqual([])
    expect(unused()).toHaveLength(1)
    expect((await send(url, { body: ask('hello') })).text).toBe('data: yes\n\n')
  })

  it('are redacted before they are compared, when they were', async () => {
    const recorded = recordingOf([{ ask: ask('my key is {{secret:1}}'), events: ['yes'] }])
    const { url } = await emulate({ recordings: [recorded], redact })
    expect((await send(url, { body: ask('my key is sk-live-1') })).text).toBe('data: yes\n\n')
  })

  it('are told to whoever listens', async () => {
    const told: string[] = []
    const { file } = fixture('twice.deepseek.jsonl')
    const { url } = await emulate({
      recordings: [file],
      onRequest: ({ method, path, outcome, exchange: n, miss }) =>
        told.push([method, path, outcome, n, miss?.code].join(' ')),
    })
    const body = {
      model: 'garden-1',
      stream: true,
      messages: [{ role: 'user', content: 'Heads or tails?' }],
    }
    await send(url, { path: '/chat/completions', body })
    await send(url, { path: '/chat/completions', body: {} })
    await send(url, { path: '/', method: 'GET' })
    expect(told).toEqual([
      'POST /chat/completions recorded 1 ',
      'POST /chat/completions miss  request-mismatch',
      'GET / probe  ',
    ])
  })
})

describe('probes', () => {
  const recordings = [
    recordingOf([
      { ask: { model: 'big' } },
      { ask: { model: 'small' } },
      { ask: { model: 'big' } },
    ]),
  ]

  it.each(['/', '/api/hello', '/?x=1'])('HEAD and GET %s are answered', async (path) => {
    const { url, misses } = await emulate({ recordings })
    expect((await send(url, { path, method: 'HEAD' })).status).toBe(200)
    expect(await send(url, { path, method: 'GET' })).toMatchObject({ status: 200, text: '' })
    expect(misses).toEqual([])
  })

  it.each<[string, Record<string, string>, unknown]>([
    [
      '/v1/models',
      {},
      {
        object: 'list',
        data: [
          { id: 'big', object: 'model', created: 0, owned_by: 'runproof' },
          { id: 'small', object: 'model', created: 0, owned_by: 'runproof' },
        ],
      },
    ],
    ['/v1/models/small', {}, { id: 'small', object: 'model', created: 0, owned_by: 'runproof' }],
    [
      '/v1/models/small',
      { 'anthropic-version': '2023-06-01' },
      { type: 'model', id: 'small', display_name: 'small', created_at: '1970-01-01T00:00:00Z' },
    ],
    [
      '/v1beta/models/big',
      { 'x-goog-api-key': 'none' },
      {
        name: 'models/big',
        displayName: 'big',
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
    ],
  ])('the models are those of the recording: %s %o', async (path, headers, expected) => {
    const { url, misses } = await emulate({ recordings })
    const { status, text } = await send(url, { path, method: 'GET', headers })
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: expected })
    expect(misses).toEqual([])
  })

  it('lists models as the other wires do', async () => {
    for (const [wire, path, member] of [
      ['anthropic', '/v1/models', 'data'],
      ['gemini', '/v1beta/models', 'models'],
    ] as const) {
      const recorded = recordingOf([{ path: paths[wire], ask: { model: 'm' } }], { wire })
      const { url } = await emulate({ recordings: [recorded] })
      const { text } = await send(url, { path, method: 'GET' })
      expect(JSON.parse(text)[member]).toHaveLength(1)
    }
  })

  it('a recorded one is served from the recording', async () => {
    const probe = exchange({ method: 'GET', path: '/v1/models', ask: null, body: '{"data":[]}' })
    const { url, unused } = await emulate({ recordings: [recordingOf([probe])] })
    expect((await send(url, { path: '/v1/models', method: 'GET' })).text).toBe('{"data":[]}')
    expect(unused()).toEqual([])
  })
})

describe('several recordings in one server', () => {
  it('are told apart by their wires and requests', async () => {
    const recordings = fixtures.map(({ file }) => file)
    const { url, misses, unused } = await emulate({ recordings })
    const chat = fixture('tool-round.openai-chat.jsonl').recording.exchanges
    const gemini = fixture('router.gemini.jsonl').recording.exchanges
    for (const recorded of [chat[2], gemini[0], chat[0], gemini[1], chat[1]]) {
      if (recorded === undefined) throw new Error('the fixture has changed')
      expect((await send(url, requestOf(recorded))).end).toBe('whole')
    }
    expect(misses).toEqual([])
    expect(new Set(unused().map(({ file }) => file)).size).toBe(3)
  })
})

describe('the emulator', () => {
  it('listens on the port it is told, and says when that is taken', async () => {
    const first = await emulate({ recordings: [] })
    const { port } = new URL(first.url)
    expect(first.url).toBe(`http://127.0.0.1:${port}`)
    await expect(emulate({ recordings: [], port: Number(port) })).rejects.toMatchObject({
      code: 'port-in-use',
    })
    await first.close()
    await first.close()
    expect((await emulate({ recordings: [], port: Number(port) })).url).toBe(first.url)
  })

  it('closes with answers under way', async () => {
    const { url, close } = await emulate({
      recordings: [recordingOf([{ events: ['a'], end: { kind: 'aborted' } }])],
    })
    const pending = send(url, { body: ask('hello'), onChunk: () => void close() })
    expect((await pending).end).toBe('ECONNRESET')
  })

  it.each([
    ['missing-file', '/nowhere/recording.jsonl'],
    ['bad-recording', { file: 'x.jsonl', text: '{"type":"recording","version":9}' }],
    ['bad-recording', { file: 'x.jsonl', text: '{"type":"session","version":0}' }],
    ['bad-config', { session: { file: 'x', text: '' }, wire: JSON.parse('"telegraph"') }],
  ] as const)('refuses what it cannot serve: %s', async (code, recording) => {
    await expect(emulate({ recordings: [recording] })).rejects.toMatchObject({ code })
  })

  it('refuses a file whose bytes were damaged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emulator-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'recording.jsonl')
    const bytes = readFileSync(fixture('twice.deepseek.jsonl').file)
    bytes[bytes.lastIndexOf('ails')] = 0xff
    writeFileSync(file, bytes)
    await expect(emulate({ recordings: [file] })).rejects.toMatchObject({
      code: 'bad-recording',
      message: `${file} is no UTF-8 text`,
    })
  })

  it('says how to give a session log', async () => {
    const text = '{"type":"session","version":0,"id":"s","createdAt":1}'
    await expect(emulate({ recordings: [{ file: 'x.jsonl', text }] })).rejects.toThrow(
      '{session, wire}',
    )
  })
})
