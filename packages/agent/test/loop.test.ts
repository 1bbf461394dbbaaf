/** A turn from the first step to its end: tools in parallel and in order, limits, and every kind of end. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FinishReason, StreamChunk } from '@runproof/llm'
import { describe, expect, it } from 'vitest'
import { at, type Json } from './json.ts'
import { callTools, expectDerivedRequests, say, stream } from './loopback.ts'
import { cardsOf, startScripted } from './run.ts'
import { readLog, temporaryFolder } from './scenario.ts'

/** What the model was told by the result of each call. */
async function runCalls(
  calls: [id: string, name: string, args: Json][],
  prepare: (cwd: string) => void = () => undefined,
) {
  const scripted = await startScripted([stream(callTools(...calls)), stream(say('Done.'))])
  prepare(scripted.cwd)
  const startedAt = performance.now()
  expect((await scripted.prompt()).result).toEqual({ stopReason: 'end_turn' })
  const ms = performance.now() - startedAt
  await scripted.driver.close()
  expectDerivedRequests(readLog(scripted.root), scripted.provider.requests)
  const results = scripted
    .events()
    .filter(({ type }) => type === 'tool/result')
    .map(({ data }) => ({
      id: data['callId'],
      text: String(at(data, 'content', 0, 'text')),
      isError: data['isError'],
    }))
  return { ...scripted, results, ms }
}

const editA = (from: string, to: string): Json => ({
  file_path: 'a.txt',
  old_string: from,
  new_string: to,
})

describe('tool calls of one answer', () => {
  it('run together when they are commands, and are told in their order', async () => {
    const { results, events, ms } = await runCalls([
      ['call_1', 'bash', { command: 'sleep 0.6; echo slow' }],
      ['call_2', 'bash', { command: 'echo quick; sleep 0.5' }],
      ['call_3', 'bash', { command: 'sleep 0.4' }],
    ])
    expect(results.map(({ text }) => text)).toEqual(['slow\n', 'quick\n', '(no output)'])
    // One after the other they would need 1500 ms.
    expect(ms).toBeLessThan(1400)
    const order = events().filter(({ type }) => type.startsWith('tool/'))
    expect(order.map(({ type, data }) => `${type} ${String(data['callId'])}`)).toEqual([
      'tool/call call_1',
      'tool/call call_2',
      'tool/call call_3',
      'tool/result call_1',
      'tool/result call_2',
      'tool/result call_3',
    ])
  })

  it('do not lose an edit when two change one file', async () => {
    const { cwd, results } = await runCalls(
      [
        ['call_1', 'edit', editA('one', 'ONE')],
        ['call_2', 'edit', editA('two', 'TWO')],
        ['call_3', 'bash', { command: 'cat a.txt' }],
      ],
      (folder) => writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n'),
    )
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('ONE\nTWO\n')
    expect(results[2]?.text).toBe('ONE\nTWO\n')
  })

  it('fail as results that the model can read', async () => {
    const { results, driver } = await runCalls([
      ['call_1', 'bash', { command: 'echo out; echo err >&2; exit 3' }],
      ['call_2', 'read', { file_path: 'missing.txt' }],
      ['call_3', 'edit', { file_path: 'missing.txt', old_string: 'a', new_string: 'b' }],
      ['call_4', 'bash', { cmd: 'ls' }],
      ['call_5', 'teleport', {}],
      ['call_6', 'todo_write', { todos: [{ content: 'x', status: 'someday' }] }],
    ])
    expect(results.every(({ isError }) => isError)).toBe(true)
    const texts = results.map(({ text }) => text)
    expect(texts[0]).toBe('out\nerr\n[exit code 3]')
    expect(texts[1]).toContain('ENOENT')
    expect(texts[3]).toContain('command')
    expect(texts[4]).toBe(
      'There is no tool "teleport". There are: bash, edit, read, todo_write, write.',
    )
    expect(texts[5]).toContain('status')
    for (const id of ['call_1', 'call_4', 'call_5']) {
      expect(cardsOf(driver, id).map(({ status }) => status)).toEqual(['in_progress', 'failed'])
    }
  })
})

/** What stands between the tags of a read. */
const body = (text: string | undefined): string =>
  /<content>\n(.*)\n<\/content>/s.exec(text ?? '')?.[1] ?? ''

describe('read, write and edit', () => {
  it('number lines, page, list folders, and refuse what is no text', async () => {
    const lines = Array.from({ length: 5 }, (_, i) => `line ${i + 1}`).join('\n')
    const { results, cwd } = await runCalls(
      [
        ['call_1', 'read', { file_path: 'five.txt', offset: 2, limit: 2 }],
        ['call_2', 'read', { file_path: 'five.txt', offset: 5 }],
        ['call_3', 'read', { file_path: 'empty.txt' }],
        ['call_4', 'read', { file_path: '.' }],
        ['call_5', 'read', { file_path: 'binary.dat' }],
        ['call_6', 'read', { file_path: '/dev/zero' }],
        ['call_7', 'edit', { file_path: 'latin-1.txt', old_string: 'b', new_string: 'c' }],
      ],
      (folder) => {
        writeFileSync(join(folder, 'five.txt'), `${lines}\n`)
        writeFileSync(join(folder, 'empty.txt'), '')
        writeFileSync(join(folder, 'binary.dat'), Buffer.from([1, 0, 2]))
        writeFileSync(join(folder, 'latin-1.txt'), Buffer.from([0xe9, 0x62]))
        mkdirSync(join(folder, 'sub'))
      },
    )
    expect(body(results[0]?.text)).toBe(
      '2: line 2\n3: line 3\n\n(Lines 2 to 3 of 5; read on with offset 4)',
    )
    expect(body(results[1]?.text)).toBe('5: line 5\n\n(End of file - total 5 lines)')
    expect(body(results[2]?.text)).toBe('\n(End of file - total 0 lines)')
    expect(results[3]?.text).toBe(
      `<path>${cwd}</path>\n<type>folder</type>\n<content>\nbinary.dat\nempty.txt\nfive.txt\nlatin-1.txt\nsub/\n\n(5 entries)\n</content>`,
    )
    expect(results.slice(4).every(({ isError }) => isError)).toBe(true)
    expect(results[4]?.text).toContain('binary')
    expect(results[5]?.text).toContain('not a regular file')
    expect(results[6]?.text).toContain('not UTF-8')
    // What it could not read it has not written.
    expect([...readFileSync(join(cwd, 'latin-1.txt'))]).toEqual([0xe9, 0x62])
  })

  it('make folders, replace, and show what changed', async () => {
    const { cwd, results, driver } = await runCalls(
      [
        ['call_1', 'write', { file_path: 'deep/er/new.txt', content: 'new\n' }],
        ['call_2', 'write', { file_path: 'old.txt', content: 'a\nB\nc\n' }],
        ['call_3', 'edit', { file_path: 'many.txt', old_string: 'x', new_string: 'y' }],
        [
          'call_4',
          'edit',
          { file_path: 'many.txt', old_string: 'x', new_string: 'y$&', replace_all: true },
        ],
        ['call_5', 'edit', { file_path: 'many.txt', old_string: 'q', new_string: 'r' }],
        ['call_6', 'edit', { file_path: 'many.txt', old_string: 'y', new_string: 'y' }],
      ],
      (folder) => {
        writeFileSync(join(folder, 'old.txt'), 'a\nb\nc\n')
        writeFileSync(join(folder, 'many.txt'), 'x\nx\n')
      },
    )
    const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')
    expect([read('deep/er/new.txt'), read('old.txt'), read('many.txt')]).toEqual([
      'new\n',
      'a\nB\nc\n',
      'y$&\ny$&\n',
    ])
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true, false, true, true])
    expect(results[2]?.text).toContain('occurs 2 times')
    expect(cardsOf(driver, 'call_1')).toMatchObject([
      {
        title: 'Write deep/er/new.txt',
        kind: 'edit',
        content: [{ type: 'diff', newText: 'new\n' }],
      },
      { status: 'completed', content: [{ type: 'diff', oldText: null, newText: 'new\n' }] },
    ])
    expect(cardsOf(driver, 'call_2')[1]).toMatchObject({
      content: [{ type: 'diff', path: 'old.txt', oldText: 'a\nb\nc', newText: 'a\nB\nc' }],
    })
  })
})

describe('bash', () => {
  it('is a fresh, limited, silent shell in the workspace', async () => {
    const { results, cwd, driver } = await runCalls([
      [
        'call_1',
        'bash',
        { command: 'pwd; cd /; export LEFT=1; shopt -q login_shell && echo login' },
      ],
      ['call_2', 'bash', { command: 'echo "[$LEFT]"; pwd; read -t 1 line; echo "stdin $?"' }],
      ['call_3', 'bash', { command: 'echo start; sleep 100', timeout_ms: 300 }],
      ['call_4', 'bash', { command: 'head -c 200000 /dev/zero | tr "\\0" a; echo; echo end' }],
      ['call_5', 'bash', { command: 'sleep 100 & echo started' }],
      ['call_6', 'bash', { command: 'kill -9 $$' }],
      ['call_7', 'bash', { command: "echo '```'" }],
      ['call_8', 'bash', { command: 'echo "unfinished' }],
    ])
    const [pwd, fresh, late, long, background, killed, ticks, syntax] = results.map(
      ({ text }) => text,
    )
    expect(pwd).toBe(`${cwd}\n[exit code 1]`)
    expect(fresh).toBe(`[]\n${cwd}\nstdin 1\n`)
    expect(late).toBe('start\n[stopped: it took too long]')
    expect(long?.length).toBeLessThan(70_000)
    expect(long).toMatch(/^a+\n\[… \d+ bytes of output left out …\]\na+\nend\n$/)
    expect(background).toBe('started\n')
    expect(killed).toBe('[ended by a signal]')
    expect(cardsOf(driver, 'call_7')[1]).toMatchObject({
      content: [{ content: { text: '````console\n```\n````' } }],
    })
    expect(ticks).toBe('```\n')
    expect(syntax).toContain('exit code')
  })
})

const ending = (reason: FinishReason, text = 'Some words.'): StreamChunk[] => [
  ...say(text).slice(0, -1),
  { type: 'finish', reason },
]

const again = (id: string) => stream(callTools([id, 'todo_write', { todos: [] }]))

describe('the end of a turn', () => {
  it.each([
    { reason: { kind: 'max-tokens' }, stop: 'max_tokens', logged: { kind: 'max-tokens' } },
    {
      reason: { kind: 'content-filter' },
      stop: 'refusal',
      logged: { kind: 'error', step: 1, code: 'CONTENT_FILTER' },
    },
  ] as const)('$stop', async ({ reason, stop, logged }) => {
    const { prompt, driver, events } = await startScripted([stream(ending(reason))])
    expect((await prompt()).result).toEqual({ stopReason: stop })
    await driver.close()
    expect(events().at(-1)?.data['reason']).toMatchObject(logged)
  })

  it.each(['content-filter', 'refusal', 'pondering'])(
    'an answer that ends with %s runs no tool of its own',
    async (kind) => {
      const call = callTools(['call_1', 'write', { file_path: 'x.txt', content: 'x' }])
      const chunks = [...call.slice(0, -1), { type: 'finish', reason: { kind } }]
      const override = join(temporaryFolder('override'), 'replay.override.json')
      writeFileSync(override, JSON.stringify([{ kind: 'chunks', chunks }]))
      const { prompt, driver, cwd, events } = await startScripted([], {
        env: {
          RUNPROOF_MODE: 'replay',
          RUNPROOF_SESSION_FILE: refusedLog,
          RUNPROOF_OVERRIDE_FILE: override,
        },
      })
      const { result, error } = await prompt('Help me.')
      if (kind === 'pondering') expect(error?.message).toContain('pondering')
      else expect(result).toEqual({ stopReason: 'refusal' })
      await driver.close()
      expect(existsSync(join(cwd, 'x.txt'))).toBe(false)
      expect(events().at(-1)?.data['reason']).toMatchObject({ kind: 'error' })
    },
  )

  it('refusal of another provider', async () => {
    const { prompt, driver } = await startScripted([], {
      env: { RUNPROOF_MODE: 'replay', RUNPROOF_SESSION_FILE: refusedLog },
    })
    expect((await prompt('Help me.')).result).toEqual({ stopReason: 'refusal' })
    await driver.close()
  })

  it('max_turn_requests after the last step', async () => {
    const { prompt, driver, events } = await startScripted([again('a'), again('b'), again('c')], {
      args: ['--config', new URL('two-steps.yml', import.meta.url).pathname],
    })
    expect((await prompt()).result).toEqual({ stopReason: 'max_turn_requests' })
    await driver.close()
    expect(events().at(-1)?.data['reason']).toMatchObject({ kind: 'error', code: 'MAX_STEPS' })
  })
})

/** A model that declines, as a wire with such an end would log it. */
const refusedLog = new URL('../../../fixtures/agent/refusal/session.jsonl', import.meta.url)
  .pathname
