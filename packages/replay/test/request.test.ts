import { describe, expect, it } from 'vitest'
import { createReplay } from '@runproof/replay'
import type { CompareLevel } from '@runproof/replay'
import type { LlmMessage } from '@runproof/llm'
import type { SessionEvent } from '@runproof/session-log'
import { normaliseText } from '../src/normalise.ts'
import { compareRequest } from '../src/request.ts'
import { collect, fixtureScript, messagesOf, user } from './scenarios.ts'

const script = fixtureScript('kitchen')
const liveResult =
  '/work/run 7/flour\n/work/run 7/salt\nbatch 11111111-2222-4333-8444-555555555555 of 2026-12-24T18:00:00.5+01:00'

/** The second request of the kitchen, as a live run elsewhere makes it. */
function liveMessages(edit: (text: string) => string = (text) => text): LlmMessage[] {
  return messagesOf(script, 1).map((message): LlmMessage =>
    message.role === 'tool'
      ? { ...message, content: [{ type: 'text', text: edit(liveResult) }] }
      : message,
  )
}

function compare(messages: readonly unknown[], level: CompareLevel = 'strict', cwd?: string) {
  const call = script.recorded[1]
  if (call === undefined) throw new Error('the kitchen has two calls')
  return compareRequest(script, call, messages, { level, cwd })
}

function lines(count: number, word: string): string {
  return Array.from({ length: count }, (_none, i) => `${word} ${i}`).join('\n')
}

/** The message of the miss when this is the first prompt. */
async function missOf(text: string): Promise<string> {
  const replay = createReplay({ scripts: [script] })
  await collect(replay, [user(text)]).catch(() => undefined)
  return replay.report().misses[0]?.message ?? ''
}

/** Compares with a kitchen whose first prompt is `recorded`. */
function compareFirstWith(recorded: string) {
  const events = script.events.map((event): SessionEvent =>
    event.type === 'user/message'
      ? { ...event, data: { ...event.data, content: [{ type: 'text', text: recorded }] } }
      : event,
  )
  const call = script.recorded[0]
  if (call === undefined) throw new Error('the kitchen has a first call')
  return (text: string) =>
    compareRequest({ ...script, events }, call, [user(text)], { level: 'strict' })
}

/** So many times in one line. */
function rows(count: number): string {
  return Array.from(
    { length: count },
    (_none, day) => `{"t":"2026-01-0${(day % 9) + 1}T10:00:00Z","n":1}`,
  ).join(',')
}

describe('the same request', () => {
  it('is one from another folder, with other ids and at another time', () => {
    expect(compare(liveMessages())).toBeNull()
    expect(compare(liveMessages(), 'strict', '/work/run 7')).toBeNull()
  })

  it('may have ids and times beside the folder, many in one line, and is told apart at once', () => {
    const compareFirst = compareFirstWith(`${rows(30)} in /tmp/rec-kitchen.`)
    expect(compareFirst(`${rows(30)} in /x/y.`)).toBeNull()
    const startedAt = performance.now()
    expect(compareFirst(`${rows(60)} in /x/y!`)).not.toBeNull()
    expect(performance.now() - startedAt).toBeLessThan(500)

    const ids = '11111111-2222-4333-8444-555555555555 and 99999999-AAAA-4BBB-8CCC-DDDDDDDDDDDD'
    const compareIds = compareFirstWith(`${ids.toLowerCase()} in /tmp/rec-kitchen`)
    expect(compareIds(`${ids} in /x/y`)).toBeNull()
    expect(compareIds(`${ids.slice(0, 40)} in /x/y`)).not.toBeNull()
  })

  it('may have tokens of other scrubbers, and is told apart at once, however many', () => {
    const tokens = (count: number): string =>
      Array.from({ length: count }, (_none, i) => `{{t${i}}}`).join(',')
    const startedAt = performance.now()
    for (const count of [2, 5, 40]) {
      const compareFirst = compareFirstWith(`${tokens(count)} in /tmp/rec-kitchen!`)
      expect(compareFirst(`${tokens(count)} in /x/y!`) === null).toBe(count === 2)
      expect(compareFirst(`${'x,'.repeat(100)} in /x/y?`)).not.toBeNull()
    }
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('may have the folder more than once in a line, and nowhere else', () => {
    const compareFirst = compareFirstWith('mv /tmp/rec-kitchen/a.* /tmp/rec-kitchen/b')
    expect(compareFirst('mv /x y/a.* /x y/b')).toBeNull()
    expect(compareFirst('mv /x/a.* /y/b')).not.toBeNull()
    expect(compareFirst('mv x/a.* x/b')).not.toBeNull()
  })

  it('is one on macOS, where the folder has two names', () => {
    expect(
      compare(liveMessages((text) => text.replace('/work/run 7/salt', '/private/work/run 7/salt'))),
    ).toBeNull()
  })

  it('may have the shape of the DeepSeek Harness, with results inside user messages', () => {
    const messages = liveMessages().map((message) => {
      if (message.role !== 'tool') return message
      const { callId: toolCallId, content, isError } = message
      return { role: 'user', content: [{ type: 'tool-result', toolCallId, content, isError }] }
    })
    expect(compare(messages)).toBeNull()
  })

  it('may differ in what the model is said to have said', () => {
    const messages = messagesOf(script, 1).filter(({ role }) => role !== 'assistant')
    expect(compare(messages)).toBeNull()
  })

  it('on level prompt is one with the same prompts, whatever the tools and plugins said', () => {
    expect(compare([user('List the pantry.')], 'prompt')).toBeNull()
    expect(compare([user('List the pantry.')])).not.toBeNull()
  })
})

/** A tool's result and the prompt behind it as one result that holds the prompt. */
function joined(messages: readonly LlmMessage[]): LlmMessage[] {
  const [result, prompt] = messages
  const [said] = prompt?.role === 'user' ? prompt.content : []
  if (result?.role !== 'tool' || said?.type !== 'text') throw new Error('the kitchen is another')
  const text = `${liveResult}\nuser: ${said.text}`
  return [{ ...result, content: [{ type: 'text', text }] }]
}

describe('another request', () => {
  const changed: [what: string, messages: LlmMessage[]][] = [
    ['another prompt', [user('List the cellar.'), ...liveMessages().slice(1)]],
    ['one prompt more', [...liveMessages(), user('Quick!')]],
    ['one message less', liveMessages().slice(0, -1)],
    [
      'the last two messages in one, with the words that stand between them',
      [...liveMessages().slice(0, -2), ...joined(liveMessages().slice(-2))],
    ],
    ['another result', liveMessages((text) => text.replace('salt', 'pepper'))],
    [
      'a result that points elsewhere',
      liveMessages((text) => text.replace('/work/run 7/salt', '/work/run 8/salt')),
    ],
    [
      'a result that failed',
      liveMessages().map((message) =>
        message.role === 'tool' ? { ...message, isError: true } : message,
      ),
    ],
    [
      'a result of another call',
      liveMessages().map((message) =>
        message.role === 'tool' ? { ...message, callId: 'call_2' } : message,
      ),
    ],
  ]

  it.each(changed)('is %s', (_what, messages) => {
    expect(compare(messages)).not.toBeNull()
  })

  it.each(changed.slice(0, 2))('also on level prompt is %s', (_what, messages) => {
    expect(
      compare(
        messages.filter((message) => message.role !== 'tool'),
        'prompt',
      ),
    ).not.toBeNull()
  })

  it('is shown as a diff of what was recorded and what was sent', async () => {
    const replay = createReplay({ scripts: [script], startAt: 1 })
    const sent = collect(
      replay,
      liveMessages((text) => text.replace('salt', 'pepper')),
    )
    await expect(sent).rejects.toThrow(
      expect.objectContaining({
        code: 'request-mismatch',
        call: 1,
        diff: [
          '--- recorded',
          '+++ sent',
          '@@ -1,5 +1,5 @@',
          ' user: List the pantry.',
          ' result of call_1: {{cwd}}/flour',
          '-  {{cwd}}/salt',
          '+  {{cwd}}/pepper',
          '   batch {{id:1}} of {{time}}',
          ' user: Keep it short.',
        ].join('\n'),
        message: expect.stringMatching(
          /kitchen\/session\.jsonl: call 2 of 3 \(turn 1, step 2\): the request is not the recorded one\n--- recorded[^]*\nIf the change is meant, record the scenario again: npx runproof record .*kitchen$/,
        ),
      }),
    )
  })

  it('is shown in part when it is long, and by size when it has nothing in common', async () => {
    expect(await missOf(lines(100, 'flour'))).toMatch(/… \d+ more lines/)
    expect(await missOf(lines(5000, 'salt'))).toMatch(/23 characters recorded, \d+ sent/)
  })
})

describe('normalising', () => {
  it.each([
    [
      'the folder, not its longer siblings',
      '/a/b /a/b/c /a/b.d /a/bc /a/b.',
      '{{cwd}} {{cwd}}/c /a/b.d /a/bc {{cwd}}.',
    ],
    [
      'ids, equal ones alike',
      '11111111-1111-4111-8111-111111111111 22222222-2222-4222-8222-222222222222 11111111-1111-4111-8111-111111111111',
      '{{id:1}} {{id:2}} {{id:1}}',
    ],
    [
      'times, not dates or small numbers',
      '2026-01-02T03:04Z 2026-01-02 03:04:05 1790000000000 2026-01-02 17900',
      '{{time}} {{time}} {{time}} 2026-01-02 17900',
    ],
  ])('replaces %s', (_what, text, normalised) => {
    expect(normaliseText(text, { cwd: '/a/b' })).toBe(normalised)
    expect(normaliseText(normalised, { cwd: '/a/b' })).toBe(normalised)
  })

  it('leaves folders alone that would match everywhere', () => {
    expect(normaliseText('/a/b', { cwd: '/' })).toBe('/a/b')
    expect(normaliseText('a/b', { cwd: 'a' })).toBe('a/b')
    expect(normaliseText('/a/b', {})).toBe('/a/b')
  })

  it('knows Windows folders', () => {
    expect(normaliseText('C:\\a\\b\\c', { cwd: 'C:\\a\\b\\' })).toBe('{{cwd}}\\c')
  })

  it('makes all ids one, for logs that were scrubbed so', () => {
    const scrubbed = fixtureScript('kitchen')
    const events = scrubbed.events.map((event) =>
      event.type === 'user/message'
        ? {
            ...event,
            data: {
              ...event.data,
              content: [{ type: 'text', text: 'Is {{sessionId}} {{sessionId}}?' }],
            },
          }
        : event,
    )
    const call = scrubbed.recorded[0]
    if (call === undefined) throw new Error('the kitchen has a first call')
    const sent = [
      user('Is 11111111-1111-4111-8111-111111111111 22222222-2222-4222-8222-222222222222?'),
    ]
    expect(compareRequest({ ...scrubbed, events }, call, sent, { level: 'strict' })).toBeNull()
  })
})
