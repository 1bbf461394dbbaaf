/** One question at a time: what a message in a given place makes of a claim. */
import { createAdapter, drainMsDefault } from '@runproof/progress/acp'
import { describe, expect, it } from 'vitest'
import { claimsOf, envelopesOf, storyOf } from './judge.ts'
import {
  allow,
  ask,
  call,
  callUpdate,
  cancel,
  dismiss,
  failure,
  notify,
  prompt,
  refuse,
  request,
  result,
  say,
  stop,
  toAgent,
  toClient,
  twoSided,
  update,
  type Line,
} from './wire.ts'

type Options = Partial<Parameters<typeof createAdapter>[0]>
const adapterOf = (options: Options = {}) => createAdapter({ run: 'p', ...options })
const judge = (lines: readonly unknown[], options?: Options): string[] =>
  claimsOf(envelopesOf(adapterOf(options), lines, {}))
const story = (lines: readonly unknown[], options?: Options): string[] =>
  storyOf(envelopesOf(adapterOf(options), lines, {}))

describe('the end of a turn', () => {
  it.each([
    ['end_turn', 'checking "a"'],
    ['max_tokens', 'incomplete'],
    ['max_turn_requests', 'incomplete'],
    ['refusal', 'failed'],
    ['cancelled', 'cancelled'],
    ['finished', 'unknown'],
    [null, 'unknown'],
  ])('stop reason %s', (reason, claim) => {
    expect(judge(twoSided(prompt(1), say('a'), stop(1, reason)))).toEqual([claim])
  })

  it.each([
    ['an error is a failure', failure(1, -32603), 'failed'],
    ['a cancelled request is a cancel', failure(1, -32800), 'cancelled'],
    ['a result without a stop reason is no end', result(1, null), 'unknown'],
  ])('%s', (_, answer, claim) => {
    expect(judge(twoSided(prompt(1), answer))).toEqual([claim])
  })

  it('is not there without an answer, but the prompt is', () => {
    expect(story(twoSided(prompt(1)))).toEqual(['[p-1/1]', 'text.delta'])
    expect(judge(twoSided(prompt(1)))).toEqual(['unknown'])
  })

  it('is a failure when the host knows the agent dead', () => {
    const adapter = adapterOf()
    const lines = twoSided(prompt(1), say('a'))
    expect(claimsOf(envelopesOf(adapter, lines, { runtimeFailed: true }))).toEqual(['failed'])
    expect(adapter.finish({ runtimeFailed: true })).toEqual([])
  })

  it('comes once: a second answer withdraws the claim', () => {
    expect(judge(twoSided(prompt(1), say('a'), stop(1), stop(1)))).toEqual(['unknown "a"'])
    expect(judge(twoSided(prompt(1), stop(1), request(1, 'session/list'), result(1, {})))).toEqual([
      'checking ""',
    ])
  })
})

describe('the final text', () => {
  it('is what follows the last tool event', () => {
    const lines = twoSided(
      prompt(1),
      say('before'),
      call('c', 'in_progress'),
      say('while'),
      callUpdate('c', 'completed'),
      say('af'),
      callUpdate('c', null, { title: 'says nothing new' }),
      say('ter'),
      stop(1),
    )
    expect(judge(lines)).toEqual(['checking "after"'])
  })

  it('goes on over an approval that belongs to no call', () => {
    const lines = twoSided(prompt(1), say('a'), ask(7), allow(7), say('b'), stop(1))
    expect(judge(lines)).toEqual(['checking "ab"'])
  })

  it('has text only; other content is neither text nor a fault', () => {
    const image = update('agent_message_chunk', { content: { type: 'image', data: '' } })
    expect(judge(twoSided(prompt(1), image, say('a'), stop(1)))).toEqual(['checking "a"'])
  })
})

describe('calls', () => {
  it.each([
    ['announced with its end', [call('c', 'completed')], 'checking'],
    ['announced without a status', [call('c'), callUpdate('c', 'completed')], 'checking'],
    ['announced twice', [call('c'), call('c', 'completed')], 'checking'],
    ['told the same state again', [call('c', 'failed'), callUpdate('c', 'failed')], 'checking'],
    [
      'back to pending',
      [call('c', 'in_progress'), callUpdate('c', 'pending'), callUpdate('c', 'completed')],
      'checking',
    ],
    ['open at the end', [call('c')], 'unknown'],
    ['reopened', [call('c', 'completed'), callUpdate('c', 'in_progress')], 'unknown'],
    ['announced again after its end', [call('c', 'completed'), call('c')], 'unknown'],
    ['both completed and failed', [call('c', 'completed'), callUpdate('c', 'failed')], 'unknown'],
    ['never announced', [callUpdate('c', 'completed')], 'unknown'],
    ['in a status of another version', [call('c', 'cancelled')], 'unknown'],
    [
      'in the background',
      [call('c', 'pending', { rawInput: { is_background: true } }), callUpdate('c', 'completed')],
      'unknown',
    ],
    [
      'failed at launch',
      [call('c', 'pending', { rawInput: { run_in_background: true } }), callUpdate('c', 'failed')],
      'checking',
    ],
  ])('%s', (_, messages, claim) => {
    const [judged] = judge(twoSided(prompt(1), ...messages, stop(1)))
    expect(judged?.split(' ')[0]).toBe(claim)
  })

  it('of the turn before count there, not in the next one', () => {
    const lines = twoSided(
      prompt(1),
      call('c', 'completed'),
      stop(1),
      prompt(2),
      callUpdate('c', 'completed'),
      say('b'),
      stop(2),
    )
    expect(judge(lines)).toEqual(['unknown ""', 'checking "b"'])
  })
})

const twoInOne = {
  toolCall: { toolCallId: 'c' },
  options: [
    { optionId: 'no', kind: 'reject_once' },
    { optionId: 'no', kind: 'allow_once' },
  ],
}

describe('permission', () => {
  it('waits while the question is open, whoever ends the turn', () => {
    expect(judge(twoSided(prompt(1), call('c'), ask(7, 'c')))).toEqual(['waiting'])
    expect(
      judge(twoSided(prompt(1), call('c'), ask(7, 'c'), callUpdate('c', 'completed'), stop(1))),
    ).toEqual(['unknown'])
    expect(judge(twoSided(prompt(1), ask(7, 'c'), stop(1, 'cancelled')))).toEqual(['cancelled'])
  })

  it('names its call, if nobody did, when it is answered', () => {
    expect(story(twoSided(prompt(1), ask(7, 'c'), allow(7)))).toEqual([
      '[p-1/1]',
      'text.delta',
      'approval.wait',
      'tool.requested c',
      'run.ended paused',
      '[p-1/2]',
      'tool.requested c',
    ])
  })

  it('that was refused leaves no call behind that nobody announced', () => {
    expect(story(twoSided(prompt(1), ask(7, 'c'), refuse(7), say('a')))).toEqual([
      '[p-1/1]',
      'text.delta',
      'approval.wait',
      'run.ended paused',
      '[p-1/2]',
      'text.delta',
      'text.delta a',
    ])
  })

  it.each<[string, Line[], string]>([
    ['refused, and not heard of again', [toAgent(refuse(7))], 'checking "a"'],
    ['dismissed', [toAgent(dismiss(7))], 'checking "a"'],
    [
      'refused and told as failed',
      [toAgent(refuse(7)), toClient(callUpdate('c', 'failed'))],
      'checking "a"',
    ],
    [
      'refused and going on',
      [toAgent(refuse(7)), toClient(callUpdate('c', 'in_progress'))],
      'unknown',
    ],
    ['allowed, and not heard of again', [toAgent(allow(7))], 'unknown'],
    ['answered by an option that was not offered', [toAgent(allow(7, 'other'))], 'unknown'],
    ['answered by an error', [toAgent(failure(7, -32603))], 'unknown'],
    ['not answered', [], 'unknown'],
    [
      'refused, asked again and refused',
      [toAgent(refuse(7)), toClient(ask(8, 'c')), toAgent(refuse(8))],
      'checking "a"',
    ],
    [
      'refused, asked again and allowed',
      [toAgent(refuse(7)), toClient(ask(8, 'c')), toAgent(allow(8))],
      'unknown',
    ],
    [
      'asked twice at once, refused and allowed',
      [toClient(ask(8, 'c')), toAgent(refuse(7)), toAgent(allow(8))],
      'unknown',
    ],
    [
      'asked twice at once, allowed and refused',
      [toClient(ask(8, 'c')), toAgent(allow(7)), toAgent(refuse(8))],
      'unknown',
    ],
    [
      'asked twice at once, refused and not answered',
      [toClient(ask(8, 'c')), toAgent(refuse(7))],
      'unknown',
    ],
    ['answered under another id', [toAgent(refuse(9))], 'unknown'],
    [
      'asked for as running, and refused',
      [toAgent(refuse(7)), toClient(ask(8, 'c', { status: 'in_progress' })), toAgent(refuse(8))],
      'unknown',
    ],
    [
      'refused by an option that shares its id with a yes',
      [
        toClient(request(8, 'session/request_permission', { ...twoInOne, sessionId: 's' })),
        toAgent(refuse(7)),
        toAgent(refuse(8)),
      ],
      'unknown',
    ],
    ['refused twice', [toAgent(refuse(7)), toAgent(refuse(7))], 'checking "a"'],
    [
      'refused, run and told as done',
      [toAgent(refuse(7)), toClient(callUpdate('c', 'completed'))],
      'checking "a"',
    ],
  ])('for a call that nobody announced: %s', (_, lines, claim) => {
    const asked = twoSided(prompt(1), say('I will.'), ask(7, 'c'))
    expect(judge([...asked, ...lines, toClient(say('a')), toClient(stop(1))])).toEqual([claim])
  })

  it('that was refused is remembered when the turn is over', () => {
    const refused = twoSided(prompt(1), ask(7, 'c'), refuse(7), say('a'), stop(1), prompt(2))
    const ran = toClient(callUpdate('c', 'completed'))
    expect(judge([...refused, ran, toClient(stop(2))])).toEqual(['unknown "a"', 'checking ""'])
  })

  it('is of its own turn, whoever used the id of its call before', () => {
    const first = twoSided(prompt(1), call('c', 'completed'), stop(1), prompt(2), ask(7, 'c'))
    const goesOn = [toClient(callUpdate('c', 'in_progress')), toAgent(refuse(7))]
    expect(judge([...first, ...goesOn, toClient(stop(2))])).toEqual(['checking ""', 'unknown'])
    const ends = [toAgent(refuse(7)), toClient(callUpdate('c', 'failed')), toClient(say('b'))]
    expect(judge([...first, ...ends, toClient(stop(2))])).toEqual(['checking ""', 'checking "b"'])
  })

  it('that was refused leaves an announced call open', () => {
    expect(judge(twoSided(prompt(1), call('c'), ask(7, 'c'), refuse(7), stop(1)))).toEqual([
      'unknown',
    ])
  })

  it('takes two questions one after the other', () => {
    const lines = twoSided(
      prompt(1),
      call('a'),
      call('b'),
      ask(7, 'a'),
      ask(8, 'b'),
      allow(7),
      allow(8),
    )
    expect(story(lines).slice(-8)).toEqual([
      '[p-1/2]',
      'tool.requested a',
      'tool.requested b',
      'approval.wait',
      'run.ended paused',
      '[p-1/3]',
      'tool.requested a',
      'tool.requested b',
    ])
  })

  it('is any question to a person, and any answer ends the wait', () => {
    const form = request(7, 'elicitation/create', { sessionId: 's', mode: 'form' })
    expect(judge(twoSided(prompt(1), form))).toEqual(['waiting'])
    const refused = [...twoSided(prompt(1), form), toAgent(failure(7, -32601)), toClient(stop(1))]
    expect(judge(refused)).toEqual(['checking ""'])
  })

  it('carries a cancel into the next run', () => {
    const lines = twoSided(
      prompt(1),
      call('c'),
      ask(7, 'c'),
      cancel(),
      allow(7),
      callUpdate('c', 'failed'),
    )
    expect(judge([...lines, ...twoSided(stop(1))])).toEqual(['unknown'])
    expect(judge([...lines, ...twoSided(stop(1, 'cancelled'))])).toEqual(['cancelled'])
  })
})

describe('cancel', () => {
  it.each([
    ['confirmed', [cancel(), stop(1, 'cancelled')], 'cancelled'],
    ['answered as a success', [cancel(), stop(1)], 'unknown'],
    ['of the request', [notify('$/cancel_request', { requestId: 1 }), stop(1)], 'unknown'],
    ['of another request', [notify('$/cancel_request', { requestId: 2 }), stop(1)], 'checking ""'],
    ['after the end', [stop(1), cancel()], 'checking ""'],
    ['of another session', [cancel('other'), stop(1)], 'checking ""'],
  ])('%s', (_, messages, claim) => {
    expect(judge(twoSided(prompt(1), ...messages))).toEqual([claim])
  })
})

describe('outside a turn', () => {
  const housekeeping = update('usage_update', { used: 1, size: 2 })

  it('housekeeping is allowed, before and after', () => {
    const lines = twoSided(housekeeping, prompt(1), housekeeping, say('a'), stop(1), housekeeping)
    expect(judge(lines)).toEqual(['checking "a"'])
  })

  it.each(['agent_thought_chunk', 'plan', 'agent_message_chunk', 'tool_call', 'brand_new'])(
    '%s after the end withdraws the claim',
    (kind) => {
      expect(judge(twoSided(prompt(1), say('a'), stop(1), update(kind)))).toEqual(['unknown "a"'])
    },
  )

  it('a question after the end withdraws it too', () => {
    expect(judge(twoSided(prompt(1), stop(1), ask(7, 'c')))).toEqual(['unknown ""'])
  })

  it('what comes before any prompt belongs to none', () => {
    expect(judge(twoSided(say('banner'), ask(7, 'c'), prompt(1), say('a'), stop(1)))).toEqual([
      'checking "a"',
    ])
  })

  it('the host may name further kinds that are harmless', () => {
    const lines = twoSided(prompt(1), update('brand_new'), stop(1), update('brand_new'))
    expect(judge(lines)).toEqual(['unknown ""'])
    expect(judge(lines, { housekeeping: ['brand_new'] })).toEqual(['checking ""'])
  })

  it('history is no turn, whether loaded or resumed', () => {
    for (const method of ['session/load', 'session/resume']) {
      const load = request(1, method, { sessionId: 's' })
      const lines = twoSided(load, say('old'), result(1, {}), prompt(2), say('new'), stop(2))
      expect(judge(lines)).toEqual(['checking "new"'])
    }
  })
})

/** An answer with an open call, which ends this much later. */
const timed = (lateMs: number): Line[] => [
  toAgent(prompt(1), 0),
  toClient(call('c', 'in_progress'), 10),
  toClient(stop(1), 100),
  toClient(callUpdate('c', 'completed'), 100 + lateMs),
  toClient(say('after'), 100 + lateMs),
]

describe('a load that overlaps a turn', () => {
  const load = request(9, 'session/load', { sessionId: 's' })

  it('hides nothing of a turn that is open, or begins before its answer', () => {
    expect(judge(twoSided(prompt(1), load, call('c'), stop(1)))).toEqual(['unknown'])
    expect(judge(twoSided(load, prompt(1), call('c'), stop(1)))).toEqual(['unknown'])
  })
})

describe('late updates and the drain', () => {
  it.each([
    [0, 'checking "after"'],
    [drainMsDefault, 'checking "after"'],
    [drainMsDefault + 1, 'unknown'],
  ])('%i ms after the answer', (lateMs, claim) => {
    expect(judge(timed(lateMs))).toEqual([claim])
  })

  it('have no grace without times, with none asked for, or with a prompt in line', () => {
    const withoutTimes = timed(5).map(({ dir, m }) => ({ dir, m }))
    expect(judge(withoutTimes)).toEqual(['unknown'])
    expect(judge(timed(5), { drainMs: 0 })).toEqual(['unknown'])
    const queued = [toAgent(prompt(1), 0), toAgent(prompt(2), 1), toClient(stop(1), 5)]
    expect(judge([...queued, toClient(say('b'), 6), toClient(stop(2), 7)])).toEqual([
      'checking ""',
      'checking "b"',
    ])
  })

  it('are over when any later line, the next prompt or the host says so', () => {
    const answered = [toAgent(prompt(1), 0), toClient(stop(1), 10)]
    for (const next of [{ t: 1000, dir: 'x', m: {} }, toAgent(prompt(2), 11)]) {
      const adapter = adapterOf()
      for (const line of answered) adapter.push(line)
      expect(storyOf(adapter.push(next))).toContain('run.ended succeeded')
    }
    const adapter = adapterOf()
    for (const line of answered) adapter.push(line)
    expect(storyOf(adapter.finish({}))).toContain('run.ended succeeded')
    expect(storyOf(adapter.push(toAgent(prompt(2), 2000)))).toEqual(['[p-2/1]', 'text.delta'])
  })

  it('may be waited for without a limit, until the host says so', () => {
    expect(judge(timed(60_000), { drainMs: Infinity })).toEqual(['checking "after"'])
  })

  it('end with a second answer', () => {
    expect(judge([...timed(5).slice(0, 3), toClient(stop(1), 110)])).toEqual(['unknown'])
  })
})

describe("the agent's side alone", () => {
  it('infers turns from their updates and stop reasons', () => {
    expect(judge([say('a'), stop(3), say('b'), stop(4, 'cancelled'), stop(5)])).toEqual([
      'checking "a"',
      'cancelled',
      'checking ""',
    ])
  })

  it('takes an error as the end of the one open turn, and of nothing else', () => {
    expect(judge([say('a'), failure(3, -32603)])).toEqual(['failed'])
    expect(judge([failure(3, -32603)])).toEqual([])
    expect(judge([say('a', 's1'), say('b', 's2'), failure(3, -32603)])).toEqual([
      'unknown',
      'unknown',
    ])
  })

  it('claims no end when it cannot tell whose it is', () => {
    expect(judge([say('a', 's1'), say('b', 's2'), stop(3)])).toEqual(['unknown', 'unknown'])
  })

  it('infers an answer from progress of the call, and from nothing less', () => {
    const asked = [call('c'), ask(1, 'c')]
    expect(judge([...asked, callUpdate('c', 'completed'), stop(3)])).toEqual(['checking ""'])
    expect(judge([...asked, callUpdate('c', null), stop(3)])).toEqual(['unknown'])
    expect(judge([call('d'), ...asked, callUpdate('d', 'completed'), stop(3)])).toEqual(['unknown'])
    const ofOther = update('tool_call', { toolCallId: 'c', status: 'completed' }, 'other')
    expect(story([...asked, ofOther])).not.toContain('run.ended paused')
  })

  it('takes no history for a turn', () => {
    const history = [update('user_message_chunk', {}), say('old')]
    expect(judge([...history, result(2, { configOptions: [] }), say('new'), stop(3)])).toEqual([
      'checking "new"',
    ])
    // With a stop reason it was no history after all, and nobody saw its events.
    expect(judge([...history, stop(3)])).toEqual(['unknown ""'])
  })

  it('sees a repeated response, and a late update of a call', () => {
    expect(judge([say('a'), stop(3), stop(3)])).toEqual(['unknown "a"'])
    const late = [call('c', 'completed'), stop(3), callUpdate('c', 'completed')]
    expect(judge(late)).toEqual(['unknown ""'])
  })

  it('forgets an inferred turn once the client is seen to prompt', () => {
    expect(judge([toClient(say('cut')), ...twoSided(prompt(1), say('a'), stop(1))])).toEqual([
      'unknown',
      'checking "a"',
    ])
  })
})

describe('what cannot be read', () => {
  it.each([
    ['a raw line', { dir: '<', raw: 'warming up' }],
    ['a scalar', 42],
    ['an unknown direction', { dir: '^', m: say('a') }],
    ['an object that is no message', { level: 'info' }],
  ])('%s makes an open turn unknown, and no other', (_, line) => {
    const before = twoSided(prompt(1), say('a'), stop(1))
    expect(judge([...before, line, ...twoSided(prompt(2), say('b'), stop(2))])).toEqual([
      'checking "a"',
      'checking "b"',
    ])
    expect(judge([...before, ...twoSided(prompt(2)), line, ...twoSided(stop(2))])).toEqual([
      'checking "a"',
      'unknown ""',
    ])
  })

  it.each([
    ['no run', { run: '' }],
    ['a drain that is no time', { drainMs: -1 }],
    ['a drain that is no number', { drainMs: Number.NaN }],
  ])('createAdapter throws on %s', (_, options) => {
    expect(() => adapterOf(options)).toThrow(TypeError)
  })
})
