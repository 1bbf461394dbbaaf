import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSessionLog } from '@runproof/session-log'
import type { EventDraft } from '@runproof/session-log'
import { openSessionLog, readSessionLog } from '@runproof/session-log/node'
import { fixtureText } from '../logs.ts'
import { createClock, makeFolder } from './folder.ts'
import { header } from './header.ts'

const turn: EventDraft = { type: 'turn/start', data: { turn: 1 } }
const done: EventDraft = { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } }

describe('a new log', () => {
  it('does not exist before its first event, then has the header first', async () => {
    const file = join(makeFolder(), 'a', 'b', 'session.jsonl')
    const log = await openSessionLog({ file, header, clock: createClock() })
    await log.checkpoint()
    expect(existsSync(dirname(file))).toBe(false)
    expect(await log.append([])).toEqual([])
    expect(existsSync(dirname(file))).toBe(false)

    expect(await log.append([turn, done])).toEqual([
      { ...turn, seq: 0, time: 1000 },
      { ...done, seq: 1, time: 1000 },
    ])
    await log.close()
    const read = parseSessionLog(readFileSync(file, 'utf8'))
    expect(read).toMatchObject({ header, issue: null, torn: null })
    expect(read.events).toEqual(log.events)
  })

  it('leaves nothing behind when it is closed without an event', async () => {
    const folder = makeFolder()
    const log = await openSessionLog({
      file: join(folder, 's.jsonl'),
      header,
      clock: createClock(),
    })
    await log.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps the order of calls that nobody awaits, and a time a draft brings', async () => {
    const file = join(makeFolder(), 's.jsonl')
    const log = await openSessionLog({ file, header, clock: createClock() })
    const batches = [0, 1, 2, 3].map((n) =>
      log.append([{ type: 'test/note', data: { n }, time: 70 + n }]),
    )
    await log.close()
    await Promise.all(batches)
    const { events } = await readSessionLog(file)
    expect(events.map(({ seq, time, data }) => [seq, time, data])).toEqual(
      [0, 1, 2, 3].map((n) => [n, 70 + n, { n }]),
    )
  })

  it('needs a header', async () => {
    const file = join(makeFolder(), 's.jsonl')
    await expect(openSessionLog({ file, clock: createClock() })).rejects.toMatchObject({
      code: 'empty',
      file,
    })
  })

  it('is not begun over one that came meanwhile', async () => {
    const file = join(makeFolder(), 's.jsonl')
    const [first, second] = await Promise.all(
      [1, 2].map(() => openSessionLog({ file, header, clock: createClock() })),
    )
    await first?.append([turn])
    await first?.close()
    await expect(second?.append([done])).rejects.toMatchObject({ code: 'exists' })
    expect((await readSessionLog(file)).events).toHaveLength(1)
  })
})

describe('appending', () => {
  const said = { content: [{ type: 'text' as const, text: 'x' }], source: { kind: 'user' } }
  const unreadable: [what: string, draft: EventDraft & { time?: number }][] = [
    ['data of another shape', { type: 'turn/start', data: { turn: 'one' } }],
    ['a time that is none', { ...turn, time: Number.NaN }],
    ['data that JSON makes something else of', { type: 'a/b', data: { toJSON: () => 1 } }],
    [
      'a replacement of what is not there',
      { type: 'user/message', data: said, surfaceOp: { op: 'replace', start: 7, end: 8 } },
    ],
  ]
  it.each(unreadable)('refuses %s without writing', async (_what, bad) => {
    const file = join(makeFolder(), 's.jsonl')
    const log = await openSessionLog({ file, header, clock: createClock() })
    await expect(log.append([turn, bad])).rejects.toThrow(TypeError)
    expect(existsSync(file)).toBe(false)
    expect(await log.append([turn])).toHaveLength(1)
    await log.close()
    expect((await readSessionLog(file)).events).toEqual(log.events)
  })

  it('ends with close, which may be called again', async () => {
    const file = join(makeFolder(), 's.jsonl')
    const log = await openSessionLog({ file, header, clock: createClock() })
    await log.append([turn, done])
    await log.close()
    await log.close()
    await expect(log.append([turn])).rejects.toMatchObject({ code: 'closed', file })
    await expect(log.checkpoint()).rejects.toMatchObject({ code: 'closed' })
    expect(readdirSync(dirname(file))).toEqual(['s.jsonl'])
  })
})

/** A log with this text, and the way to open it. */
function makeLog(text: string | Uint8Array): {
  file: string
  open: () => ReturnType<typeof openSessionLog>
} {
  const file = join(makeFolder(), 's.jsonl')
  writeFileSync(file, text)
  return { file, open: () => openSessionLog({ file, clock: createClock() }) }
}

describe('an existing log', () => {
  it('goes on where it ended, under its own header', async () => {
    const text = fixtureText('two-turns')
    const { file, open } = makeLog(text)
    const log = await open()
    expect(log.recovery).toEqual({ tornBytes: 0, closers: [] })
    expect(log.events).toHaveLength(41)
    expect(await log.append([{ ...turn, data: { turn: 3 } }])).toMatchObject([{ seq: 41 }])
    await log.close()
    expect(readFileSync(file, 'utf8')).toMatch(
      `${text}{"type":"turn/start","seq":41,"time":1000,"data":{"turn":3}}\n`,
    )
  })

  it('loses its torn tail and gets its open turn closed, once', async () => {
    const text = fixtureText('crashed-in-tool')
    const torn = '{"type":"tool/result","seq":12,"time":1,"data":{"te'
    const { file, open } = makeLog(text + torn)
    const log = await open()
    expect(log.recovery.tornBytes).toBe(torn.length)
    expect(log.recovery.closers).toHaveLength(4)
    await log.close()

    const mended = readFileSync(file, 'utf8')
    expect(mended.startsWith(text)).toBe(true)
    expect(parseSessionLog(mended).events).toEqual(log.events)
    const again = await open()
    expect(again.recovery).toEqual({ tornBytes: 0, closers: [] })
    await again.close()
    expect(readFileSync(file, 'utf8')).toBe(mended)
  })

  it('may be torn inside a character', async () => {
    const bytes = Buffer.from(`${fixtureText('compacted')}{"type":"ü`)
    const { open, file } = makeLog(bytes.subarray(0, -1))
    const log = await open()
    expect(log.recovery.tornBytes).toBe(10)
    await log.close()
    expect(readFileSync(file, 'utf8')).toBe(fixtureText('compacted'))
  })

  it('keeps a whole last event that lacks its newline', async () => {
    const { file, open } = makeLog(fixtureText('compacted').trimEnd())
    const log = await open()
    expect(log.events).toHaveLength(13)
    await log.append([turn, done])
    await log.close()
    expect((await readSessionLog(file)).events).toHaveLength(15)
  })

  it.each([
    ['nothing', ''],
    ['half a header', '{"type":"session","ver'],
  ])('with %s in it begins anew', async (_name, text) => {
    const { file, open } = makeLog(text)
    await expect(open()).rejects.toMatchObject({ code: 'empty' })
    const log = await openSessionLog({ file, header, clock: createClock() })
    await log.append([turn, done])
    await log.close()
    expect(await readSessionLog(file)).toMatchObject({ header, eventCount: 2, torn: null })
  })

  it.each([
    ['bad-json', 2, `${JSON.stringify(header)}\nnot an event\n`],
    ['bad-seq', 2, `${JSON.stringify(header)}\n{"type":"a/b","seq":1,"time":0,"data":{}}\n`],
    ['newer-version', 1, '{"type":"session","version":2,"id":"s","createdAt":0}\n'],
    ['bad-encoding', 3, Buffer.from(`${JSON.stringify(header)}\n\n\u00ff\n`, 'latin1')],
  ])('with %s is refused at line %i, and stays as it is', async (code, line, text) => {
    const { file, open } = makeLog(text)
    await expect(open()).rejects.toMatchObject({ code, line, file })
    await expect(readSessionLog(file)).rejects.toMatchObject({ code, line, file })
    expect(readFileSync(file)).toEqual(Buffer.from(text))
    expect(readdirSync(dirname(file))).toEqual(['s.jsonl'])
  })
})

describe('reading', () => {
  it('says which file is missing', async () => {
    const file = join(makeFolder(), 'none.jsonl')
    await expect(readSessionLog(file)).rejects.toMatchObject({ code: 'io', file })
  })

  it('tolerates a torn tail and tells of it', async () => {
    const file = join(makeFolder(), 's.jsonl')
    writeFileSync(file, `${fixtureText('compacted')}{"ty`)
    expect(await readSessionLog(file)).toMatchObject({ torn: { line: 15, text: '{"ty' } })
  })
})
