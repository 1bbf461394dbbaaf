/** The steps of a script, against real little agents: what is said, and what the screen may claim. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configFor, createProject, resultsOf, script } from '../project.ts'

type Case = {
  agent: string
  steps: object[]
  answers?: string[]
  config?: Record<string, unknown>
  env?: Record<string, string>
}

/** Runs one script and gives the texts the agent said, its stop reasons, and the claims. */
async function drive({ agent, steps, answers, config = {}, env }: Case) {
  const permissionAnswers = answers?.map((kind) => ({ kind }))
  const project = createProject(
    {
      'runproof.yml': configFor([agent], { [agent]: config }),
      [`scenarios/${agent}/one/input.json`]: { ...script(...steps), permissionAnswers, env },
    },
    { SECRET_KEY: 'sk-parent' },
  )
  const { stdout } = await project.test([], { json: true, out: 'out' })
  const result = JSON.parse(stdout.split('\n')[0] ?? '')
  const kept = (name: string): string =>
    readFileSync(join(project.root, 'out', 'one', name), 'utf8')
  const messages = kept('stdout.actual.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return {
    claims: result.claims,
    codes: result.failures.map(({ code }: { code: string }) => code),
    said: messages.flatMap(({ params }) => params?.update?.content?.text ?? []).join(''),
    stopReasons: messages.flatMap(({ result: answer }) => answer?.stopReason ?? []),
    sent: kept('transcript.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ dir }) => dir === '>')
      .map(({ m }) => m),
  }
}

const prompt = { op: 'prompt', text: 'x' }

describe('permission', () => {
  it.each([
    ['the first answer', ['allow_once'], 'decided: yes', []],
    ['a rejection', ['reject_once'], 'decided: no', []],
    ['nobody', undefined, 'decided: cancelled', []],
    ['a kind not offered', ['allow_always'], 'decided: cancelled', ['permission-not-offered']],
    ['one too many', ['allow_once', 'reject_once'], 'decided: yes', ['permission-unused']],
  ])('is answered by %s', async (_what, answers, said, codes) => {
    const run = await drive({
      agent: 'asks',
      steps: [prompt],
      ...(answers && { answers }),
      config: { rulesOff: ['R5'] },
    })
    expect(run.said).toBe(said)
    expect(run.codes.filter((code: string) => code.startsWith('permission'))).toEqual(codes)
    expect(run.claims).toEqual(['checking'])
  })

  it('that is asked for outside of a turn counts too', async () => {
    const { codes } = await drive({
      agent: 'asks-late',
      steps: [prompt, { op: 'waitFor', message: { method: 'session/request_permission' } }],
      answers: ['allow_always'],
    })
    expect(codes).toEqual(['permission-not-offered'])
  })

  it('is answered cancelled when the turn is cancelled while it is open', async () => {
    const run = await drive({
      agent: 'asks',
      steps: [{ op: 'promptAndCancel', text: 'x', when: 'permission' }],
      answers: ['allow_once'],
    })
    const cancel = run.sent.findIndex(({ method }) => method === 'session/cancel')
    expect(run.sent[cancel + 1]).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } })
    expect(run.stopReasons).toEqual(['cancelled'])
    expect(run.claims).toEqual(['cancelled'])
  })
})

describe('cancelling', () => {
  it.each([
    ['a file', { waitFor: { file: 'started' } }],
    ['at once', 'sent'],
  ])('waits for %s', async (_what, when) => {
    const run = await drive({
      agent: 'writes',
      steps: [{ op: 'promptAndCancel', text: 'wait', when }],
    })
    expect(run.stopReasons).toEqual(['cancelled'])
    expect(run.claims).toEqual(['cancelled'])
  })

  it('needs a turn that is still there', async () => {
    const run = await drive({
      agent: 'talks',
      steps: [{ op: 'promptAndCancel', text: 'hi', when: { waitFor: { update: 'plan' } } }],
    })
    expect(run.codes).toEqual(['nothing-to-cancel'])
  })
})

it('a script has its time as a whole', async () => {
  const { codes } = await drive({
    agent: 'late',
    steps: [prompt, prompt],
    config: { quietMs: 300, limits: { totalMs: 250, stepMs: 5000 }, rulesOff: ['R2'] },
  })
  expect(codes).toEqual(['step-timeout'])
})

describe('the client', () => {
  it('answers what it does not offer with -32601', async () => {
    const run = await drive({ agent: 'calls-back', steps: [prompt] })
    expect(run.said).toBe('-32601')
  })

  it('offers neither files nor a terminal, and passes terminalOutput on', async () => {
    const { sent } = await drive({ agent: 'talks', steps: [] })
    expect(sent[0]).toMatchObject({
      method: 'initialize',
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
    })
  })

  it('waits out the quiet period, so that an afterthought belongs to its turn', async () => {
    const steps = [prompt, prompt]
    const patient = await drive({
      agent: 'late',
      steps,
      config: { quietMs: 200, rulesOff: ['R2'] },
    })
    expect(patient.claims).toEqual(['checking', 'checking'])
    expect(patient.said).toBe('the answer, and an afterthought'.repeat(2))
  })
})

it.each([
  ['noise is told of a few times, and looked at in no time', 'noise', 'stdout-not-json', 20],
  ['a message too deep for any stack is told', 'depth', 'stdout-not-json', 1],
  ['a flood is read to its end, and not kept', 'words', 'stdout-flood', 1],
])('stdout: %s', async (_what, text, code, count) => {
  const project = createProject({
    'runproof.yml': configFor(['floods']),
    'scenarios/floods/one/input.json': script({ op: 'prompt', text }),
  })
  const { stdout } = await project.test([], { json: true })
  const codes = resultsOf(stdout).flatMap(({ failures }) => failures.map((one) => one.code))
  expect(codes).toEqual(Array.from({ length: count }, () => code))
})

describe('other steps', () => {
  it('expect an error and get one', async () => {
    const { codes } = await drive({
      agent: 'talks',
      steps: [
        { op: 'newSessionExpectError', additionalDirectories: ['/x'] },
        { op: 'setConfigOption', configId: 'a', value: 'good' },
        { op: 'setConfigOptionExpectError', configId: 'a', value: 'bad' },
        { op: 'setMode', modeId: 'good' },
        { op: 'setModeExpectError', modeId: 'bad' },
      ],
    })
    expect(codes).toEqual(['missing-golden'])
  })

  it.each([
    ['a result instead of an error', { op: 'promptExpectError', text: 'x' }, 'expected-error'],
    [
      'an error instead of a result',
      { op: 'setConfigOption', configId: 'a', value: 'bad' },
      'unexpected-error',
    ],
    ['a mode that the agent does not have', { op: 'setMode', modeId: 'bad' }, 'unexpected-error'],
    ['a step of another protocol', { op: 'send', message: {} }, 'bad-scenario'],
    ['a file that never comes', { op: 'waitFor', file: 'no', timeoutMs: 30 }, 'step-timeout'],
  ])('fail on %s', async (_what, step, code) => {
    expect((await drive({ agent: 'talks', steps: [step] })).codes).toEqual([code])
  })

  it('need a session', async () => {
    const project = createProject({
      'runproof.yml': configFor(['talks']),
      'scenarios/talks/one/input.json': { version: 1, steps: [{ op: 'initialize' }, prompt] },
    })
    expect((await project.test()).stdout).toMatch(/step 2 \(prompt\): .* needs a session/)
  })

  it('need an answer that names the session', async () => {
    const agent = `process.stdin.on('data', (line) => {
      const { id } = JSON.parse(line)
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }))
    })`
    const project = createProject({
      'runproof.yml': {
        version: 1,
        agents: { odd: { command: ['{node}', '-e', agent], seam: 'none' } },
      },
      'scenarios/odd/one/input.json': script(),
    })
    expect((await project.test()).stdout).toMatch(/step 2 \(newSession\): .* has no "sessionId"/)
  })

  it('restart the agent in the same folders', async () => {
    const run = await drive({
      agent: 'writes',
      steps: [
        { op: 'prompt', text: 'write kept.txt here' },
        { op: 'loadSession', restart: true },
        { op: 'waitFor', file: 'kept.txt' },
        { op: 'waitFor', message: { result: {} } },
      ],
    })
    expect(run.codes).toEqual(['missing-golden', 'missing-golden'])
    expect(run.sent.map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      'initialize',
      'session/load',
    ])
  })
})

it('no key of the parent reaches the agent; the variables of the scenario do', async () => {
  const steps = ['SECRET_KEY', 'EXTRA'].map((name) => ({ op: 'prompt', text: `env ${name}` }))
  const run = await drive({
    agent: 'writes',
    steps,
    env: { EXTRA: '{cwd}!' },
  })
  expect(run.said).toBe('undefined{{cwd}}!')
})
