/** `runproof status` over recordings of a provider. */
import { readFileSync, readdirSync } from 'node:fs'
import { createProgress } from '@runproof/progress'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixture } from '../check/check.ts'
import { createRecordingTranslate } from '../../src/status/recording.ts'
import { jsonLines, runproof } from '../command-line.ts'

const head = '{"type":"recording","version":1,"wire":"openai-chat","source":"authored"}'
const request =
  '{"type":"exchange/request","n":1,"method":"POST","path":"/v1/chat/completions","headers":{},"key":"k","body":{}}'
const response = '{"type":"exchange/response","n":1,"status":200,"headers":{}}'
const end = '{"type":"exchange/end","n":1,"kind":"eof"}'

const event = (data: unknown): string =>
  JSON.stringify({
    type: 'exchange/event',
    n: 1,
    dtMs: 0,
    data: typeof data === 'string' ? data : JSON.stringify(data),
  })
const delta = (content: Record<string, unknown>, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: content, finish_reason: finish }] })
const call = { index: 0, id: 'call_1', function: { name: 'look', arguments: '{}' } }
const hello = delta({ content: 'Done!' })
const stop = delta({}, 'stop')
const done = event('[DONE]')

type Claim = { kind?: string; eof?: true; run?: string; status: string }

const isClaim = (line: unknown): line is Claim =>
  typeof line === 'object' && line !== null && 'status' in line

/** Kinds of the envelopes, then the claim at the end. */
async function judge(lines: readonly string[], args: readonly string[] = []): Promise<unknown[]> {
  const stdin = `${lines.join('\n')}\n`
  const { stdout } = await runproof(['status', '-', '--json', ...args], { stdin })
  return jsonLines(stdout)
    .filter(isClaim)
    .map(({ kind, eof, status }) => (eof === true ? status : kind))
}

const unresolved = 'adapter.unresolved_terminal'

describe('status --from recording', () => {
  it.each<[string, string[], string[]]>([
    ['a whole response', [response, hello, stop, done, end], ['text.delta', 'model.completed']],
    [
      'a tool call',
      [response, delta({ tool_calls: [call] }), delta({}, 'tool_calls'), done, end],
      ['tool.requested', 'model.completed'],
    ],
    ['a limit', [response, hello, delta({}, 'length'), done, end], ['text.delta', unresolved]],
    ['a cut', [response, hello, end.replace('eof', 'reset')], ['text.delta', unresolved]],
    ['an end that the wire does not know', [response, hello, end], ['text.delta', unresolved]],
    ['an abort', [response, hello, end.replace('eof', 'aborted')], ['text.delta', unresolved]],
    ['no response', [end.replace('eof', 'reset')], [unresolved]],
    ['an HTTP error', [response.replace('200', '529'), hello, stop, done, end], [unresolved]],
    ['an event that is no JSON', [response, event('oops'), end], [unresolved]],
    [
      'an answer that is no stream',
      [response, '{"type":"exchange/body","n":1,"body":"{}"}', end],
      ['adapter.unsupported_event'],
    ],
    ['a recording that breaks off', [response, hello], ['text.delta']],
  ])('tells of %s what it proves, and never an end', async (_, lines, kinds) => {
    expect(await judge([head, request, ...lines])).toEqual([...kinds, 'unknown'])
  })

  it('makes no run of a request that asks for no model', async () => {
    const probe = request.replace('POST', 'GET')
    expect(await judge([head, probe, response, end])).toEqual(['unknown'])
  })

  it('judges a line that breaks the format as a bad envelope, and says which', async () => {
    const broken = '{"type":"exchange/event","n":1,"data":"x"}'
    const stdin = [head, request, response, hello, broken, end].join('\n')
    const { stdout, stderr, exitCode } = await runproof(['status', '-'], { stdin })
    expect(stdout).toContain('- - => unknown')
    expect(stderr).toContain('line 5: "dtMs" is no duration')
    expect(exitCode).toBe(0)
  })

  it('says that a version is not known', async () => {
    const stdin = head.replace('"version":1', '"version":2')
    const { stderr } = await runproof(['status', '-'], { stdin })
    expect(stderr).toContain('line 1: has version 2; this reader knows version 1')
  })

  it('tells interleaved exchanges apart', async () => {
    const of = (n: number, line: string): string => line.replace('"n":1', `"n":${n}`)
    const lines = [request, response, hello].flatMap((line) => [of(1, line), of(2, line)])
    lines.push(...[stop, done, end].map((line) => of(2, line)), end.replace('eof', 'reset'))
    const kinds = await judge([head, ...lines], ['--run', 'exchange-2'])
    expect(kinds.at(-1)).toBe('unknown')
    expect(kinds).toContain('model.completed')
  })

  it('never throws, and never claims more than unknown, on any JSON', () => {
    const known = [head, request, response, hello, stop, done, end].map((line): unknown =>
      JSON.parse(line),
    )
    const members = fc.dictionary(
      fc.constantFrom('type', 'n', 'data', 'kind', 'status', 'body', 'method', 'event', 'cuts'),
      fc.jsonValue(),
    )
    const line = fc
      .tuple(fc.constantFrom(...known), fc.oneof(fc.constant({}), members), fc.jsonValue())
      .map(([value, changes, other]) =>
        Object.keys(changes).length > 8 ? other : Object.assign({}, value, changes),
      )
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...known), line)), (values) => {
        const translate = createRecordingTranslate()
        const envelopes = values.flatMap((value) => {
          const events = translate.push(value)
          return typeof events === 'string' ? [undefined] : events
        })
        const progress = createProgress({ run: 'exchange-1' })
        for (const envelope of envelopes) progress.feed(envelope)
        progress.end()
        expect(progress.status).toBe('unknown')
      }),
    )
  })

  const root = fixture('../scenarios')
  const recordings = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('recording.jsonl'))
    .toSorted()

  it('claims nothing but unknown at the end of any recorded exchange', async () => {
    expect(recordings.length).toBeGreaterThan(20)
    for (const path of recordings) {
      const { stdout, stderr } = await runproof(['status', `${root}/${path}`, '--json'])
      expect(stderr).toContain('read as recording')
      const ends = jsonLines(stdout)
        .filter(isClaim)
        .filter(({ eof }) => eof === true)
      const text = readFileSync(`${root}/${path}`, 'utf8')
      expect(ends.map(({ run }) => String(run)).toSorted()).toEqual(
        [...text.matchAll(/^\{"type":"exchange\/request","n":(\d+),"method":"POST"/gm)]
          .map(([, n]) => `exchange-${n}`)
          .toSorted(),
      )
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['unknown']))
    }
  })
})
