/** The rules R1–R8, R12 and R13 over shipped, reported and real transcripts. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { briefly, check, fixture, hasShared, rulesWith, shared, sharedSuite } from './check.ts'

const authored: Record<string, string[]> = {
  'agent-side': ['R5 5 session/request_permission'],
  approval: [],
  'cancel-while-asking': [],
  'failed-prompt': [],
  load: [],
  'r1-agent-exited': ['R1 5 session/prompt'],
  'r1-client-left': ['R1? 5 session/prompt', 'R12? 7 session/request_permission'],
  'r1-never-answered': ['R1 5 session/prompt'],
  'r1-second-answer': ['R1 8 response 2'],
  'r12-methods': ['R12 6 kettle/steam', 'R12 8 fs/read_text_file'],
  'r13-egress': ['R13 7 egress'],
  'r2-banner': ['R2 5 agent_message_chunk'],
  'r2-late-update': ['R2 8 tool_call', 'R2 9 tool_call_update', 'R2 10 agent_message_chunk'],
  'r3-orphan-update': ['R3 6 tool_call_update'],
  'r4-background': ['R4? 9 response 2'],
  'r4-open-call': ['R4 9 response 2'],
  'r4-refused': ['R4 10 response 2'],
  'r5-not-pending': ['R5 7 session/request_permission'],
  'r5-refused-completed': ['R5? 9 tool_call_update'],
  'r5-refused': ['R5 6 session/request_permission'],
  'r5-unannounced': ['R5 6 session/request_permission'],
  'r5-went-on': ['R5 8 tool_call_update'],
  'r6-cancel-ignored': ['R6 8 response 2'],
  'r6-nobody-cancelled': ['R6? 6 response 2'],
  'r7-noise': ['R7 1 line', 'R7 8 response 7'],
  'r8-early-update': ['R8 4 available_commands_update'],
  rejection: [],
  'two-prompts': [],
  'two-sessions': [],
}

const negative: Record<string, string[]> = {
  cut: ['R7 7 line', 'R1 5 session/prompt'],
  hostile: [
    'R3 8 tool_call_update',
    'R7 9 line',
    'R12 10 evil/\u001b[2J\u001b]0;owned\u0007\u202egnp.exe',
    'R4 12 response 2',
  ],
  misshapen: [
    'R8 6 session/update',
    'R5 16 session/request_permission',
    'R12 16 session/request_permission',
  ],
  'not-messages': [
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14].map((line) => `R7 ${line} line`),
    'R7 15 error 1',
  ],
  'not-utf8': ['R7 6 line'],
}

describe.each([
  ['acp/authored', authored],
  ['acp/negative', negative],
])('fixtures/%s', (folder, expected) => {
  it('has an expectation for each file', () => {
    const files = readdirSync(fixture(folder)).map((name) => name.replace('.jsonl', ''))
    expect(Object.keys(expected).toSorted()).toEqual(files.toSorted())
  })

  it.each(Object.entries(expected))('%s', async (name, violations) => {
    const args = [fixture(`${folder}/${name}.jsonl`), '--from', 'acp']
    const checked = await check(args)
    expect(briefly(checked.violations)).toEqual(violations)
    const errors = violations.filter((violation) => !violation.includes('?'))
    expect(checked.exitCode).toBe(errors.length > 0 ? 1 : 0)
    const violated = new Set(errors.map((error) => error.split(' ')[0]))
    expect(new Set(rulesWith(checked, 'violated').split(' ').filter(Boolean))).toEqual(violated)
  })
})

it('a client that left is no fault of the agent, and proves nothing either', async () => {
  const checked = await check([fixture('acp/authored/r1-client-left.jsonl')])
  expect(checked.violations.map(({ message }) => message)).toEqual([
    'the prompt had no answer when the client left at line 8, 5.0 s later: the last update is tool_call at line 6, still open: c1',
    "the agent's request had no answer when the client left at line 8",
  ])
  expect(checked.reports[0]?.reasons).toMatchObject({
    R1: 'the client left before all was answered',
    R12: 'the client left before all was answered',
  })
})

it.each([
  ['refused', ['no'], 'completed', 1],
  ['refused twice', ['no', 'no'], 'completed', 1],
  ['refused, then failed', ['no'], 'failed', 0],
  ['refused, then in progress', ['no'], 'in_progress', 0],
  ['refused, then allowed', ['no', 'yes'], 'completed', 0],
  ['allowed, then refused', ['yes', 'no'], 'completed', 0],
])('of a call that was %s the end is judged', async (_, answers, status, warnings) => {
  const params = { sessionId: 's' }
  const update = (fields: object): object => ({
    t: 0,
    dir: '<',
    m: { jsonrpc: '2.0', method: 'session/update', params: { ...params, update: fields } },
  })
  const options = ['allow_once', 'reject_once'].map((kind, at) => ({
    optionId: at === 0 ? 'yes' : 'no',
    name: kind,
    kind,
  }))
  const ask = { ...params, toolCall: { toolCallId: 'c' }, options }
  const asked = answers.flatMap((optionId, id) => [
    {
      t: 0,
      dir: '<',
      m: { jsonrpc: '2.0', id, method: 'session/request_permission', params: ask },
    },
    {
      t: 0,
      dir: '>',
      m: { jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId } } },
    },
  ])
  const lines = [
    request('session/prompt'),
    update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'c', status: 'pending' }),
    ...asked,
    // Told twice, as agents do: said once.
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status }),
    update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status }),
  ]
  const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const { violations } = await check(['-', '--from', 'acp'], { stdin })
  expect(violations.filter(({ rule }) => rule === 'R5')).toHaveLength(warnings)
})

const request = (method: string): object => ({
  t: 0,
  dir: '>',
  m: { jsonrpc: '2.0', id: 1, method, params: { sessionId: 's' } },
})
const answer = { t: 0, dir: '<', m: { jsonrpc: '2.0', id: 1, result: {} } }

describe('evidence', () => {
  it('of both sides lets every rule for one file be judged', async () => {
    const checked = await check([fixture('acp/authored/two-prompts.jsonl')])
    expect(rulesWith(checked, 'held')).toBe('R1 R2 R3 R4 R5 R6 R7 R8 R12')
    expect(rulesWith(checked, 'not-evaluated')).toBe('R9 R10 R11 R13')
  })

  it("of the agent's side alone leaves out what it cannot show", async () => {
    const checked = await check([fixture('acp/authored/agent-side.jsonl')])
    expect(rulesWith(checked, 'not-evaluated')).toBe('R1 R6 R8 R9 R10 R11 R12 R13')
    expect(checked.reports[0]?.reasons['R1']).toBe("the file holds the agent's side only")
  })

  it.each([
    ['no session is created', 'R8', [request('session/prompt'), answer]],
    ['no turn ends', 'R4', [request('session/prompt')]],
    ["the client's side only", 'R7', [request('initialize')]],
  ])('%s: %s is not evaluated', async (reason, rule, lines) => {
    const checked = await check(['-'], {
      stdin: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(checked.reports[0]?.rules[rule]).toBe('not-evaluated')
    expect(checked.reports[0]?.reasons[rule]).toContain(reason)
  })
})

/** Messages as bare JSON-RPC lines: the agent's, unless only a client can send them. */
async function bare(...messages: readonly object[]): Promise<string[]> {
  const stdin = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
  return briefly((await check(['-'], { stdin: stdin.join('\n') })).violations)
}

const update = (sessionUpdate: string, fields: object = {}): object => ({
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate, ...fields } },
})
const endTurn = (id: number): object => ({ id, result: { stopReason: 'end_turn' } })
const refusal = (code: number): object => ({ id: 1, error: { code, message: '' } })
const replay = (method: string): Promise<string[]> =>
  bare(
    { id: 1, method, params: { sessionId: 's' } },
    {
      method: 'session/update',
      params: { sessionId: 's', update: { sessionUpdate: 'user_message_chunk' } },
    },
    { id: 1, result: {} },
  )

describe("the agent's side alone", () => {
  const say = update('agent_message_chunk')

  it('shows updates after the last end', async () => {
    expect(await bare(say, endTurn(3), say, say)).toEqual(['R2 3 agent_message_chunk'])
    expect(await bare(say, endTurn(3), update('usage_update'))).toEqual([])
    expect(
      await bare(say, endTurn(3), say, { id: 4, error: { code: -32603, message: '' } }),
    ).toEqual([])
    expect(await bare(say, say)).toEqual([])
  })

  it('shows open calls of the one turn that ends', async () => {
    const call = update('tool_call', { toolCallId: 'c' })
    const other = {
      method: 'session/update',
      params: { sessionId: 'o', update: { sessionUpdate: 'plan' } },
    }
    expect(await bare(call, endTurn(3))).toEqual(['R4 2 response 3'])
    expect(await bare(call, other, endTurn(3))).toEqual([])
  })

  it('takes no history for a turn', async () => {
    const history = [update('user_message_chunk'), say, { id: 2, result: { configOptions: [] } }]
    expect(await bare(say, endTurn(1), ...history)).toEqual([])
  })
})

describe('both sides', () => {
  const prompt = { id: 1, method: 'session/prompt', params: { sessionId: 's', prompt: [] } }
  const stop = { id: 1, result: { stopReason: 'cancelled' } }

  it('a request may be cancelled by its id', async () => {
    const cancel = {
      dir: '>',
      m: { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 1 } },
    }
    expect(await bare(prompt, cancel, refusal(-32800))).toEqual([])
    expect(await bare(prompt, cancel, refusal(-32603))).toEqual(['R6 3 error 1'])
    expect(await bare(prompt, stop)).toEqual(['R6? 2 response 1'])
  })

  it('an answer needs a request, and a slow one is worth a look', async () => {
    expect(await bare(prompt, stop, { id: 9, result: { stopReason: 'end_turn' } })).toEqual([
      'R6? 2 response 1',
      'R1 3 response 9',
    ])
    const timed = [
      { t: 0, dir: '>', m: { jsonrpc: '2.0', ...prompt } },
      {
        t: 31 * 60_000,
        dir: '<',
        m: { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } },
      },
    ]
    const { violations } = await check(['-'], {
      stdin: timed.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(violations.map(({ message }) => message)).toEqual([
      'prompt 1 of line 1 is answered only after 1860.0 s',
    ])
  })

  it('history may be replayed by a load, not by a resume', async () => {
    expect(await replay('session/load')).toEqual([])
    expect(await replay('session/resume')).toEqual(['R2 2 user_message_chunk'])
  })

  it('a client that calls what the protocol has not is named too', async () => {
    const line = { t: 0, dir: '>', m: { jsonrpc: '2.0', id: 1, method: 'kettle/boil' } }
    const { violations } = await check(['-'], { stdin: JSON.stringify(line) })
    expect(briefly(violations)).toEqual(['R12 1 kettle/boil'])
  })
})

// Each public report, with the rule that its first line asks for.
const reported: Record<string, string[]> = {
  '01-background-work-after-end_turn': ['R2 7', 'R2 8', 'R2 9'],
  '02-response-before-updates': ['R4 5', 'R2 6', 'R2 7'],
  '04-version-banner-out-of-turn': ['R2 5'],
  '05-cancel-reported-as-end_turn': ['R4 5', 'R6 5'],
  '07-permission-without-tool_call': ['R5 4'],
  '09-tool-started-never-completed': ['R4 6'],
  '10-update-before-session-new-response': ['R8 3', 'R8 4'],
  '11-prompt-never-answered': ['R1 2'],
  '12-stdout-pollution': ['R7 2', 'R7 3', 'R7 4'],
  '13-duplicate-user-message': ['R2 7', 'R2 8'],
  '16-background-task-completed-at-launch': ['R4? 6'],
  // Only the model's stream could show it (R10).
  '17-failed-turn-as-success': [],
}

const observed: Record<string, string[]> = {
  'claude-basic-1': [],
  'codex-basic-1': [],
  'gemini-perm-1': ['R5 8'],
  'opencode-basic-1': [],
  'qwen-basic-1': ['R12 12', 'R12 20'],
}

describe.skipIf(!hasShared)(sharedSuite('public reports and real agents'), () => {
  it.each([
    ...Object.entries(reported).map(([name, found]) => [`acp-cases/${name}`, found] as const),
    ...Object.entries(observed).map(([name, found]) => [`acp-observed/${name}`, found] as const),
  ])('%s', async (name, found) => {
    const { violations } = await check([shared(`conformance/${name}.jsonl`)])
    expect(briefly(violations).map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual(found)
  })

  it('goldens of another project: only its known habit', async () => {
    const root = shared('recordings/deepseek-harness')
    const files = readdirSync(root).map((folder) => `${root}/${folder}/stdout.golden.jsonl`)
    const { violations, reports } = await check(files)
    expect(reports).toHaveLength(files.length)
    // It announces a call as in_progress before it asks for permission.
    expect(briefly(violations)).toEqual(['R5 33 session/request_permission'])
  })
})
