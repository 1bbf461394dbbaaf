import { createProducer, createProgress, verdictFor, type Envelope } from '@runproof/progress'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { jsonLines, runproof } from '../command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'runproof-status-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A file of the given name with these contents. */
function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const jsonl = (events: readonly unknown[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('')

/** A run with one tool that ends with this text and passes its check. */
function acceptedRun(run: string, text: string): Envelope[] {
  const producer = createProducer(run)
  const events = [
    producer.emit('text.delta', { text }),
    producer.emit('tool.requested', { call_id: 'c1' }),
    producer.emit('tool.finished', { call_id: 'c1' }),
    producer.emit('run.ended', { outcome: 'succeeded', final_text: text }),
  ]
  const progress = createProgress({ run })
  for (const event of events) progress.feed(event)
  return [...events, producer.emit('app.checked', verdictFor(progress, true))]
}

describe('runproof status over a log', () => {
  it('shows the claim after every event and at the end', async () => {
    const file = fileOf('accepted.jsonl', jsonl(acceptedRun('r', 'hello')))
    const { exitCode, stdout, stderr } = await runproof(['status', file, '--lang', 'zh'])
    expect(stdout).toBe(
      [
        'r:1 text.delta => running | 正在处理，尚未完成',
        'r:2 tool.requested => running | 正在处理，尚未完成',
        'r:3 tool.finished => running | 正在处理，尚未完成',
        'r:4 run.ended => checking | 运行已结束，等待应用验收',
        'r:5 app.checked => done | 已完成：运行结束且本地验收通过',
        'EOF => done | 已完成：运行结束且本地验收通过',
        'issues=',
        '',
      ].join('\n'),
    )
    expect(stderr).toContain('read as envelope')
    expect(exitCode).toBe(0)
  })

  it('prints the facts of the end as one JSON line', async () => {
    const file = fileOf('cut.jsonl', jsonl(acceptedRun('r', 'hello').slice(0, 2)))
    const { stdout } = await runproof(['status', file, '--json'])
    expect(jsonLines(stdout).at(-1)).toEqual({
      eof: true,
      run: 'r',
      status: 'unknown',
      message: expect.any(String),
      terminal: null,
      verdict: null,
      issues: [],
      duplicates: 0,
      foreign: 0,
      tools: { c1: 'requested' },
      text: 'hello',
      finalText: null,
    })
  })

  it('gives each run of a file its own block, and counts the others as foreign', async () => {
    const [a, b] = [acceptedRun('a', 'one'), acceptedRun('b', 'two').slice(0, 3)]
    const mixed = [a[0], b[0], a[1], a[2], b[1], a[3], a[4], b[2]]
    const file = fileOf('mixed.jsonl', jsonl(mixed))
    const { stdout } = await runproof(['status', file])
    expect(stdout.match(/^.*(?:=> \w+|\[\w\])/gm)).toEqual([
      'a:1 text.delta => running',
      'a:2 tool.requested => running',
      'a:3 tool.finished => running',
      'a:4 run.ended => checking',
      'a:5 app.checked => done',
      'EOF => done',
      '[b]',
      'b:1 text.delta => running',
      'b:2 tool.requested => running',
      'b:3 tool.finished => running',
      'EOF => unknown',
    ])
    const json = await runproof(['status', file, '--json'])
    const ends = json.stdout.split('\n').filter((line) => line.startsWith('{"eof"'))
    expect(jsonLines(ends.join('\n'))).toMatchObject([
      { run: 'a', status: 'done', foreign: 3 },
      { run: 'b', status: 'unknown', foreign: 5 },
    ])
  })

  it('judges one run with --run, whatever else the file holds', async () => {
    const file = fileOf('two.jsonl', jsonl([...acceptedRun('a', 'x'), ...acceptedRun('b', 'y')]))
    const { stdout } = await runproof(['status', file, '--run', 'b', '--json'])
    expect(jsonLines(stdout).at(-1)).toMatchObject({ run: 'b', status: 'done', foreign: 5 })
  })

  it('judges malformed lines as bad envelopes and names their numbers', async () => {
    const [first, ...rest] = acceptedRun('r', 'hello').map((event) => JSON.stringify(event))
    const lines = ['{"run":"r"', first, '', '"text"', ...rest, '{"run":"r","id":"x"}']
    const file = fileOf('broken.jsonl', lines.join('\n'))
    const { exitCode, stdout, stderr } = await runproof(['status', file])
    expect(stdout.split('\n').filter((line) => line.startsWith('- - => unknown'))).toHaveLength(3)
    expect(stdout).toContain('issues=bad_envelope\n')
    expect(stderr).toMatch(/line 1: not JSON.*\n.*line 4: not an envelope.*\n.*line 9: not an env/)
    expect(exitCode).toBe(0)
    const json = jsonLines((await runproof(['status', file, '--json'])).stdout)
    expect(json[0]).toMatchObject({ id: null, kind: null, seq: null, status: 'unknown' })
  })

  it('judges a log without a single envelope when told its format', async () => {
    const file = fileOf('none.jsonl', '{"a":1}\nnot json\n')
    const guessed = await runproof(['status', file])
    expect(guessed).toMatchObject({ exitCode: 2, stdout: '' })
    expect(guessed.stderr).toContain('--from')
    const told = await runproof(['status', file, '--from', 'envelope', '--json'])
    expect(told.exitCode).toBe(0)
    expect(jsonLines(told.stdout).at(-1)).toMatchObject({ run: null, status: 'unknown' })
  })

  it('counts the problems of a hopeless file instead of listing all', async () => {
    const text = jsonl(acceptedRun('r', 'x')) + 'nonsense\n'.repeat(50)
    const { stderr } = await runproof(['status', fileOf('hopeless.jsonl', text)])
    expect(stderr).toContain('30 more such lines')
  })

  it('reads server-sent events, drops a cut tail and says so', async () => {
    const [one, two, three] = acceptedRun('r', 'hello').map((event) => JSON.stringify(event))
    const text = `retry: 500\n\n: ping\ndata: ${one}\n\ndata: ${two}\n\ndata: [DONE]\n\ndata: ${three}\n`
    const { stdout, stderr } = await runproof(['status', '-', '--json'], { stdin: text })
    expect(jsonLines(stdout)).toHaveLength(3)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      status: 'unknown',
      tools: { c1: 'requested' },
    })
    expect(stderr).toContain('the stream ends inside an event')
  })

  it('judges bytes that stop being server-sent events as a bad envelope', async () => {
    const head = `data: ${JSON.stringify(acceptedRun('r', 'hello')[0])}\n\n`
    const bytes = Buffer.concat([Buffer.from(head), Buffer.of(0x64, 0xff, 0x0a)])
    const { stdout, stderr } = await runproof(['status', '-', '--json'], { stdin: bytes })
    expect(stderr).toContain(`at byte ${head.length + 1}`)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ issues: ['bad_envelope'] })
  })

  it('adapts a log of the OpenAI Agents SDK, whose end proves nothing by itself', async () => {
    const text = jsonl([
      {
        type: 'raw_response_event',
        data: { type: 'response.output_text.delta', delta: 'All done!' },
      },
      {
        type: 'raw_response_event',
        data: { type: 'response.completed', response: { id: 'resp' } },
      },
    ])
    const { stdout, stderr } = await runproof(['status', '-', '--json'], { stdin: text })
    expect(stderr).toContain('read as openai-agents')
    expect(jsonLines(stdout)).toMatchObject([
      { kind: 'text.delta', status: 'running' },
      { kind: 'model.completed', status: 'running' },
      { eof: true, status: 'unknown', text: 'All done!' },
    ])
  })

  it('keeps control characters of a hostile log away from the terminal', async () => {
    const run = 'r\u001b]0;owned\u0007'
    const event = { run, id: 'x\u001b[2J\nEOF => done', seq: 1, kind: '\u202eenod', data: {} }
    const other = { ...event, run: 'second\u009b31m', id: 'y' }
    const file = fileOf('hostile.jsonl', jsonl([event, other]) + '\u001b[31m not json\n')
    for (const extra of [[], ['--json'], ['--expect', 'done']]) {
      const { stdout, stderr } = await runproof(['status', file, ...extra])
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u)
    }
    const { stdout } = await runproof(['status', file])
    expect(stdout.split('\n').filter((line) => line.startsWith('EOF'))).not.toContain('EOF => done')
  })

  it('states the window in what it prints', async () => {
    const file = fileOf('window.jsonl', jsonl(acceptedRun('r', 'hello')))
    const { stdout } = await runproof(['status', file, '--window', '2'])
    expect(stdout).toContain('EOF => done')
    expect(stdout).toContain('window=2')
    const json = await runproof(['status', file, '--window', '2', '--json'])
    expect(jsonLines(json.stdout).at(-1)).toMatchObject({
      window: { events: 2, forgotten: 3, textDropped: 5 },
    })
  })
})

describe('runproof status over a cases file', () => {
  const cases = [
    {
      name: 'first',
      run: 'r',
      events: acceptedRun('r', 'x').slice(0, 1),
      expected_final: 'unknown',
    },
    {
      name: 'normal',
      note: 'a note',
      run: 'r',
      events: acceptedRun('r', 'x'),
      expected_steps: ['running', 'running', 'running', 'checking', 'done'],
      expected_final: 'done',
      assertions: { text: 'x', tools: { c1: 'returned' }, duplicates: 0 },
    },
  ]
  const file = fileOf('cases.json', JSON.stringify(cases))

  it('shows the case "normal" unless another is named', async () => {
    expect((await runproof(['status', file])).stdout).toMatch(/^\n\[normal\] a note\nr:1 /)
    expect((await runproof(['status', file, 'first'])).stdout).toMatch(/^\n\[first\]/)
    const all = await runproof(['status', file, 'all'])
    expect(all.stdout.match(/^\[.*/gm)).toEqual(['[first] ', '[normal] a note'])
    expect(all).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('exits 1 and names each difference from what a case expects', async () => {
    const wrong = [
      {
        ...cases[1],
        expected_steps: ['running', 'waiting', 'running', 'checking'],
        expected_final: 'rejected',
        assertions: { text: 'y', nonsense: 1 },
      },
    ]
    const { exitCode, stderr } = await runproof([
      'status',
      fileOf('wrong.json', JSON.stringify(wrong)),
    ])
    expect(exitCode).toBe(1)
    expect(stderr.replaceAll(folder, '')).toMatchInlineSnapshot(`
      "/wrong.json [normal] number of steps: expected 4, judged 5
      /wrong.json [normal] after event 2: expected "waiting", judged "running"
      /wrong.json [normal] at the end: expected "rejected", judged "done"
      /wrong.json [normal] "text": expected "y", judged "x"
      /wrong.json [normal] "nonsense": expected 1, judged null
      "
    `)
  })

  it.each([
    ['a case without a run', '[{"name":"a","events":[]}]', /case 1, run/],
    ['events that are no array', '[{"name":"a","run":"r","events":{}}]', /case 1, events/],
    ['an empty array', '[]', /not a cases file/],
    ['a broken array', '[{"name":"a",\n "run":}]', /is not JSON: line 2, column 8: value expected/],
  ])('refuses %s with exit 2 and a place', async (_name, text, message) => {
    const result = await runproof(['status', fileOf('bad.json', text)])
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toMatch(message)
  })

  it('names the cases there are when the wanted one is not', async () => {
    const { exitCode, stderr } = await runproof(['status', file, 'nope'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('it has: first, normal (or: all)')
  })
})

describe('runproof status, its options', () => {
  const file = fileOf('options.jsonl', jsonl(acceptedRun('r', 'hello')))

  it('compares the final claim with --expect', async () => {
    expect((await runproof(['status', file, '--expect', 'done'])).exitCode).toBe(0)
    const { exitCode, stderr } = await runproof(['status', file, '--expect', 'rejected'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('expected the claim "rejected" at the end, it is "done"')
  })

  it.each([
    [['status', file, '--lang', 'fr'], /one of: en, zh/],
    [['status', file, '--expect', 'finished'], /one of: .*done/],
    [['status', file, '--from', 'smoke'], /one of: .*envelope/],
    [['status', file, '--window', '0'], /from 1/],
    [['status', file, 'normal'], /--run ID/],
    [['status', join(folder, 'absent\u001b.jsonl')], /absent\\x1b\.jsonl: there is no such file/],
    [['status', folder], /it is a folder/],
    [['status', '-'], /stdin is empty/],
    [['status'], /missing required argument/],
    [['stats', file], /unknown command/],
  ])('%j exits 2 and says what to do', async (argv, message) => {
    const result = await runproof(argv)
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toMatch(message)
  })
})
