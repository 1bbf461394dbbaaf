/**
 * Agents that are replayed at their provider, with a small one that really asks
 * a provider: recorded once, replayed, and every change noticed.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { parseRecording, serializeRecording, type Recording } from '@runproof/replay'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { agentFile, createProject, resultsOf, script, type Project } from '../project.ts'

type Chunk = Record<string, unknown>
const usage: Chunk = { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } }
const text = (...words: string[]): Chunk[] => [
  { type: 'block-start', index: 0, blockType: 'text' },
  ...words.map((one) => ({ type: 'text-delta', index: 0, text: one })),
  { type: 'block-end', index: 0, block: { type: 'text', text: words.join('') } },
]
const say = (...words: string[]): object => ({
  kind: 'chunks',
  chunks: [...text(...words), usage, { type: 'finish', reason: { kind: 'stop' } }],
})
const args = JSON.stringify({ path: 'notes.txt' })
const readNotes: object = {
  kind: 'chunks',
  chunks: [
    { type: 'block-start', index: 0, blockType: 'tool-call' },
    { type: 'tool-call-delta', index: 0, id: 'call_1', name: 'read', argumentsDelta: args },
    {
      type: 'block-end',
      index: 0,
      block: { type: 'tool-call', id: 'call_1', name: 'read', arguments: args },
    },
    usage,
    { type: 'finish', reason: { kind: 'tool-calls' } },
  ],
}

type Agent = { env?: Record<string, string>; provider?: object; files?: object; quietMs?: number }

const configText = ({ env, provider, files, quietMs = 50 }: Agent = {}): string =>
  JSON.stringify({
    version: 1,
    agents: {
      small: {
        command: ['{node}', agentFile('asks-model')],
        env: { BASE_URL: '{provider}/v1', API_KEY: '{key}', ...env },
        files: { '.asks-model/settings.json': '{"greeting": "Be brief."}', ...files },
        provider: { wire: 'openai-chat', ...provider },
        quietMs,
      },
    },
  })

const folder = 'scenarios/small/boat'
const prompt = { op: 'prompt', text: 'Which colour has the boat?' }
const boat = {
  [`${folder}/input.json`]: {
    ...script({ ...prompt, accept: [{ equals: 'It is green.' }] }),
    overridden: true,
    expect: { status: 'done' },
  },
  [`${folder}/replay.override.json`]: [readNotes, say('It is ', 'green.')],
  [`${folder}/workspace/notes.txt`]: 'The boat is green.\n',
}

const file = ({ root }: Project, name: string): string => join(root, folder, name)

function readRecording(project: Project): Recording {
  const { recording, issues } = parseRecording(
    readFileSync(file(project, 'recording.jsonl'), 'utf8'),
  )
  expect(issues).toEqual([])
  if (recording === null) throw new Error('no recording')
  return recording
}

async function recorded(agent?: Agent, files: Record<string, unknown> = boat): Promise<Project> {
  const project = createProject({ 'runproof.yml': configText(agent), ...files })
  const { code, stdout, stderr } = await project.record()
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  return project
}

/** The failures of a replay: code, message and details of each. */
async function failures(project: Project): Promise<string[]> {
  const { stdout } = await project.test([], { json: true })
  return resultsOf(stdout).flatMap(({ failures: all }) =>
    all.map(({ code, message, details }) => [`${code}: ${message}`, ...details].join('\n')),
  )
}

describe('an agent recorded with a scripted model', () => {
  it('replays, and leaves a recording without anything of its run or of a key', async () => {
    const project = await recorded()
    expect(await failures(project)).toEqual([])
    const recording = readRecording(project)
    const cwd: unknown = expect.stringMatching(/runproof-record\/workspace$/)
    expect(recording).toMatchObject({
      source: 'emulated',
      wire: 'openai-chat',
      provenance: { cwd, program: { name: 'fixture' } },
    })
    expect(recording.exchanges.map(({ events, end }) => [events.length > 0, end])).toEqual([
      [true, { kind: 'eof' }],
      [true, { kind: 'eof' }],
    ])
    const all = readFileSync(file(project, 'recording.jsonl'), 'utf8')
    expect(all).not.toMatch(/no-key-is-needed|127\.0\.0\.1|runproof-(?!record)\w{6}\//)
  })

  it('is the same file when it is recorded again', async () => {
    const project = await recorded()
    const before = readFileSync(file(project, 'recording.jsonl'), 'utf8')
    const { stdout } = await project.record()
    expect(stdout).toBe('boat: scripted by its override; nothing changed; replays\n')
    expect(readFileSync(file(project, 'recording.jsonl'), 'utf8')).toBe(before)
  })
})

describe('an agent that takes its provider over the protocol', () => {
  const set = {
    id: 'main',
    apiType: 'openai',
    baseUrl: '{provider}/v1',
    headers: { 'x-key': '{key}' },
  }
  const env = { BASE_URL: '', API_KEY: '' }

  it('is recorded and replayed like any other', async () => {
    const project = await recorded({ env: { ...env, SETTABLE: '1' }, provider: { set } })
    expect(await failures(project)).toEqual([])
    expect(readFileSync(file(project, 'recording.jsonl'), 'utf8')).not.toMatch(/127\.0\.0\.1/)
  })

  it('fails with its own answer when it refuses', async () => {
    const provider = { set: { ...set, id: 'other' } }
    const project = createProject({
      'runproof.yml': configText({ env: { ...env, SETTABLE: '1' }, provider }),
      ...boat,
    })
    const { code, stdout } = await project.record()
    expect(code).toBe(1)
    expect(stdout).toMatch(/step 1 \(initialize\): providers\/set was answered with an error/)
    expect(stdout).toContain('no such provider')
  })

  it('is told so when it offers no such thing', async () => {
    const project = createProject({
      'runproof.yml': configText({ env, provider: { set } }),
      ...boat,
    })
    const { code, stdout } = await project.record()
    expect(code).toBe(1)
    expect(stdout).toContain('its capabilities have no "providers"')
  })
})

describe('one changed word is reported as that difference:', () => {
  it.each<[what: string, change: (project: Project) => void, difference: RegExp]>([
    [
      'in the prompt',
      (project) => {
        const path = file(project, 'input.json')
        writeFileSync(path, readFileSync(path, 'utf8').replace('Which colour', 'What colour'))
      },
      /1 field differs:\n +body\.messages\[1\]\.content\n +recorded: "Which colour has the boat\?"\n +sent: +"What colour has the boat\?"/,
    ],
    [
      'in the result of a tool',
      (project) => writeFileSync(file(project, 'workspace/notes.txt'), 'The boat is blue.\n'),
      /1 field differs:\n +body\.messages\[3\]\.content\n +recorded: "The boat is green\.\\n"\n +sent: +"The boat is blue\.\\n"/,
    ],
    [
      'in the system prompt',
      (project) =>
        writeFileSync(
          join(project.root, 'runproof.yml'),
          configText({ files: { '.asks-model/settings.json': '{"greeting": "Be kind."}' } }),
        ),
      /1 field differs:\n +body\.messages\[0\]\.content\n +recorded: "Be brief\. You work in \{\{cwd\}\}\."\n +sent: +"Be kind\. You work in \{\{cwd\}\}\."/,
    ],
  ])('%s', async (_, change, difference) => {
    const project = await recorded()
    change(project)
    const [first] = await failures(project)
    expect(first).toMatch(
      /^replay-miss: POST \/v1\/chat\/completions: no recorded request is the same/,
    )
    expect(first).toMatch(difference)
    expect(first).toMatch(/record the scenario again: npx runproof record \S*boat$/m)
  })
})

describe('a miss', () => {
  it('of another version of the agent says so first', async () => {
    const project = await recorded()
    const recording = readRecording(project)
    const provenance = { ...recording.provenance, program: { name: 'fixture', version: '0.9' } }
    writeFileSync(
      file(project, 'recording.jsonl'),
      serializeRecording({ ...recording, provenance }),
    )
    expect(await failures(project)).toEqual([])
    writeFileSync(file(project, 'workspace/notes.txt'), 'The boat is blue.\n')
    const [first] = await failures(project)
    expect(first).toMatch(/^replay-miss: .*\nrecorded with version 0\.9 of the agent, this is 1\n/)
  })
})

describe('a miss on a machine', () => {
  it('with files above the working folder names them', async () => {
    const project = await recorded()
    writeFileSync(file(project, 'workspace/notes.txt'), 'The boat is blue.\n')
    vi.stubEnv('TMPDIR', project.root)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await failures(project))[0]).not.toContain('AGENTS.md')
    writeFileSync(join(project.root, 'AGENTS.md'), 'Be kind.\n')
    const [first] = await failures(project)
    expect(first).toContain(`there is ${join(project.root, 'AGENTS.md')}; set TMPDIR`)
  })
})

describe('misses', () => {
  it('that follow from one another are explained no more than three times', async () => {
    const project = await recorded({ env: { STUBBORN: '1' } })
    writeFileSync(file(project, 'workspace/notes.txt'), 'The boat is blue.\n')
    const told = (await failures(project)).filter((one) => one.startsWith('replay-miss'))
    expect(told.map((one) => one.includes('sent: '))).toEqual([true, true, true, false, false])
  })
})

describe('calls side by side', () => {
  it('replay right in whatever order they were recorded', async () => {
    const project = await recorded({ env: { TITLE: '1' } })
    const recording = readRecording(project)
    expect(recording.exchanges).toHaveLength(3)
    const turned = recording.exchanges.toReversed().map((one, index) => ({ ...one, n: index + 1 }))
    writeFileSync(
      file(project, 'recording.jsonl'),
      serializeRecording({ ...recording, exchanges: turned }),
    )
    expect(await failures(project)).toEqual([])
  })

  it('that a replay does not make are named', async () => {
    const project = await recorded({ env: { TITLE: '1' } })
    writeFileSync(join(project.root, 'runproof.yml'), configText({ env: { TITLE: '0' } }))
    const [first] = await failures(project)
    expect(first).toMatch(
      /^replay-unused: the agent made 2 of the 3 recorded model calls\nnot made: exchange \d, POST \/v1\/chat\/completions$/,
    )
  })

  it('without tools are the turn itself where the agent never offers any', async () => {
    const project = await recorded(
      { env: { TOOLLESS: '1' } },
      { ...boat, [`${folder}/replay.override.json`]: [say('It is green.')] },
    )
    expect(readRecording(project).exchanges).toHaveLength(1)
    expect(await failures(project)).toEqual([])
  })

  it('that look like calls beside the turn are named when the script was not asked', async () => {
    const project = createProject({
      'runproof.yml': configText({ env: { TOOLLESS: '1', ONCE: '{root}/asked' } }),
      ...boat,
      [`${folder}/replay.override.json`]: [say('It is green.')],
    })
    const named =
      '    answered beside the script, for it offers no tools or wants a schema: POST /v1/chat/completions'
    expect((await project.record()).stdout).toContain(
      [
        '  the agent made 0 of the 1 recorded model calls',
        '    not made: call 1 of the script',
        named,
        named,
      ].join('\n'),
    )
  })

  it('that came by chance are optional once the proof has not made them', async () => {
    const project = createProject({
      'runproof.yml': configText({ env: { ONCE: '{root}/asked' } }),
      ...boat,
    })
    expect((await project.record()).stdout).toMatch(
      /; optional, not asked for again: 3; replays\n$/,
    )
    expect(readRecording(project).exchanges.map(({ end }) => end.optional ?? false)).toEqual([
      false,
      false,
      true,
    ])
    expect(await failures(project)).toEqual([])
  })

  it.each([
    ['says that it offers no tools', { tools: false }],
    ['looks at its last message', { lastMessage: 'A title for: ' }],
    ['says all of it', { tools: false, schema: false, lastMessage: 'A title' }],
  ])('are optional where the configuration %s', async (_, call) => {
    const provider = { optional: [call] }
    const project = await recorded({ env: { TITLE: '1' }, provider })
    writeFileSync(join(project.root, 'runproof.yml'), configText({ env: { TITLE: '0' }, provider }))
    const found = await failures(project)
    expect(found).toEqual([expect.stringMatching(/^difference: stdout\.golden\.jsonl/)])
  })

  it.each([
    ['another last message', { tools: false, lastMessage: 'A suggestion' }],
    ['a schema that the call does not have', { tools: false, schema: true }],
  ])('stay required where the configuration names %s', async (_, call) => {
    const project = await recorded({ env: { TITLE: '1' }, provider: { optional: [call] } })
    const { exchanges } = readRecording(project)
    expect(exchanges.map(({ end }) => end.optional ?? false)).toEqual([false, false, false])
  })
})

describe('what differs from run to run', () => {
  it('is a miss, until a mask says that it means nothing', async () => {
    const env = { SAYS_PID: '1' }
    const unmasked = createProject({ 'runproof.yml': configText({ env }), ...boat })
    const { code, stdout } = await unmasked.record()
    expect(code).toBe(1)
    expect(stdout).toMatch(/the replay fails[^]*body\.messages\[0\]\.content[^]*wants a mask/)
    const provider = { mask: [{ match: 'Process (\\d+)', token: 'process' }] }
    expect(await failures(await recorded({ env, provider }))).toEqual([])
  })
})

describe('a turn that is cancelled while the model speaks', () => {
  it('replays: the stream stays open until the agent leaves', async () => {
    const when = { waitFor: { update: 'agent_message_chunk' } }
    const project = await recorded(
      {},
      {
        [`${folder}/input.json`]: {
          ...script({ op: 'promptAndCancel', text: 'Count.', when }),
          overridden: true,
          expect: { status: 'cancelled' },
        },
        [`${folder}/replay.override.json`]: [
          { kind: 'hang', chunks: text('One. Two.').slice(0, -1) },
        ],
      },
    )
    expect(readRecording(project).exchanges.map(({ end }) => end)).toEqual([{ kind: 'aborted' }])
    expect(await failures(project)).toEqual([])
  })
})

describe('an agent that is not there', () => {
  it('is told as such, fence or no fence', async () => {
    const config = configText().replace('"{node}"', '"no-such-agent"')
    const project = createProject({ 'runproof.yml': config, ...boat })
    await expect(project.record()).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringMatching(
        /^cannot start the agent's command no-such-agent: /,
      ) as unknown,
    })
  })
})

describe('an agent that tries to leave', () => {
  const env = { LEAVES: 'updates.example' }

  it('fails, and the transcript tells where to', async () => {
    const project = createProject({ 'runproof.yml': configText({ env }), ...boat })
    const { stdout } = await project.record()
    expect(stdout).toMatch(
      /the agent tried to reach updates\.example; a replay reaches nothing but the recording/,
    )
    expect(stdout).toMatch(/"provider: \{allowHosts: \[updates\.example\]\}" in runproof\.yml/)
  })

  it('passes when the project puts up with it', async () => {
    const project = await recorded({ env, provider: { allowHosts: ['*.example'] } })
    expect(await failures(project)).toEqual([])
  })
})

describe('a recording that cannot be replayed', () => {
  it.each<[what: string, change: (text: string) => string, message: RegExp]>([
    [
      'is cut off',
      (all) => all.slice(0, -40),
      /^guard: recording\.jsonl:\d+: cannot be replayed: /,
    ],
    ['is empty', () => '', /^guard: recording\.jsonl:1: cannot be replayed: /],
  ])('%s', async (_, change, message) => {
    const project = await recorded()
    const path = file(project, 'recording.jsonl')
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    const [first] = await failures(project)
    expect(first).toMatch(message)
  })

  it('is missing', async () => {
    const project = createProject({ 'runproof.yml': configText(), ...boat })
    expect(await failures(project)).toEqual([
      'guard: recording.jsonl: is missing; run: runproof record boat',
    ])
  })
})

/** A provider that answers from what another recording holds, and notes the keys it was given. */
async function startProvider(
  connection: 'ends' | 'stays' = 'ends',
): Promise<{ url: string; keys: unknown[] }> {
  const { exchanges } = readRecording(await recorded())
  const keys: unknown[] = []
  let next = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(404).end('no such list')
      return
    }
    keys.push(request.headers.authorization)
    const { events = [] } = exchanges[next++] ?? {}
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const { data } of events) response.write(`data: ${data}\n\n`)
      if (connection === 'ends') response.end()
    })
  })
  return { url: await listen(server), keys }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

describe('an agent that tells its model a secret', () => {
  const saying = (token: string): Agent => ({
    files: { '.asks-model/settings.json': JSON.stringify({ greeting: `Be brief. Use ${token}.` }) },
  })
  const tell = (project: Project, token: string): void =>
    writeFileSync(join(project.root, 'runproof.yml'), configText(saying(token)))
  const replay = async (project: Project, env: Record<string, string>): Promise<string> => {
    const { stdout } = await project.test([], { json: true }, env)
    return JSON.stringify(resultsOf(stdout).map(({ failures: all }) => all))
  }

  it('replays with the secret of today, and never tells one', async () => {
    const [then, today] = ['tide-7f3a9c20b1e8', 'ebbs-b8e10c4459aa'] as const
    const project = createProject({ 'runproof.yml': configText(saying(then)), ...boat })
    const { stdout } = await project.record([], {}, { BOAT_TOKEN: then })
    expect(stdout).toMatch(/; replays$/m)
    const all = readFileSync(file(project, 'recording.jsonl'), 'utf8')
    expect(all).toContain('Be brief. Use {{secret:1}}.')
    expect(all).not.toContain(then)

    tell(project, today)
    expect(await replay(project, { BOAT_TOKEN: today })).toBe('[[]]')

    const input = file(project, 'input.json')
    writeFileSync(input, readFileSync(input, 'utf8').replace('Which colour', 'What colour'))
    const missed = await replay(project, { BOAT_TOKEN: today })
    expect(missed).toContain('What colour')
    expect(missed).not.toContain(today)
  })

  it('tells none where the recording has none, either', async () => {
    const project = await recorded()
    const token = 'tide-7f3a9c20b1e8'
    tell(project, token)
    const missed = await replay(project, { BOAT_TOKEN: token })
    expect(missed).toContain('Be brief. Use {{secret}}.')
    expect(missed).not.toContain(token)
  })
})

describe('recording from a provider', () => {
  const live = {
    [`${folder}/input.json`]: script({ ...prompt, accept: [{ equals: 'It is green.' }] }),
    [`${folder}/workspace/notes.txt`]: 'The boat is green.\n',
  }

  it('gives the agent the key, and nobody else', async () => {
    const { url, keys } = await startProvider()
    const key = 'sk-live-5b1c7d20e9f84a63'
    const agent = { provider: { upstream: url, key: 'SMALL_KEY' } }
    const project = createProject({ 'runproof.yml': configText(agent), ...live })
    const { stdout } = await project.record([], {}, { SMALL_KEY: key })
    expect(stdout).toMatch(/^boat: recorded from the provider; wrote recording\.jsonl.*; replays$/m)
    expect(keys).toEqual([`Bearer ${key}`, `Bearer ${key}`])
    const all = readFileSync(file(project, 'recording.jsonl'), 'utf8')
    expect(all).not.toContain(key)
    expect(readRecording(project)).toMatchObject({ source: 'live', provenance: { upstream: url } })
    expect(await failures(project)).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('is for its owner alone', async () => {
    const project = await recorded()
    expect(statSync(file(project, 'recording.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('writes nothing when an exchange is not in it', async () => {
    const agent = { provider: { upstream: 'http://127.0.0.1:9', key: 'SMALL_KEY' } }
    const files = { [`${folder}/input.json`]: script({ op: 'promptExpectError', text: 'Hello?' }) }
    const project = createProject({ 'runproof.yml': configText(agent), ...files })
    const { code, stdout } = await project.record([], {}, { SMALL_KEY: 'not-a-real-key-at-all' })
    expect(code).toBe(1)
    expect(stdout).toContain(
      'not written, for the recording is not whole: exchange 1: http://127.0.0.1:9 cannot be reached (ECONNREFUSED)',
    )
    expect(existsSync(file(project, 'recording.jsonl'))).toBe(false)
  })

  it('tells what the provider refused, and no key that it repeats', async () => {
    const key = 'not-of-any-known-shape'
    const server = createServer(({ headers }, response) => {
      response.writeHead(401).end(`wrong key: ${headers.authorization?.slice(7)}`)
    })
    const url = await listen(server)
    const agent = { provider: { upstream: url, key: 'SMALL' } }
    const project = createProject({ 'runproof.yml': configText(agent), ...live })
    const { code, stdout } = await project.record([], {}, { SMALL: key })
    expect(code).toBe(1)
    expect(stdout).toContain('the provider did not answer as it should')
    expect(stdout).toContain(
      `POST ${url}/v1/chat/completions was answered 401: wrong key: {{secret:1}} (exchange 1)`,
    )
    const json = await project.record([], { json: true }, { SMALL: key })
    expect(stdout + json.stdout).not.toContain(key)
    expect(existsSync(file(project, 'recording.jsonl'))).toBe(false)
  })

  it('keeps what was, when the agent tells the refusal as its answer', async () => {
    const project = await recorded()
    const before = readFileSync(file(project, 'recording.jsonl'), 'utf8')
    const url = await listen(createServer((_, response) => void response.writeHead(429).end()))
    const env = { TELLS_ERRORS: '1' }
    project.write('runproof.yml', configText({ env, provider: { upstream: url } }))
    for (const [path, content] of Object.entries(live)) project.write(path, content)
    rmSync(file(project, 'replay.override.json'))
    const { code, stdout } = await project.record()
    expect(code).toBe(1)
    expect(stdout).toMatch(/was answered 429 \(exchange 1\)[^]*"rejected", expected "done"/)
    expect(readFileSync(file(project, 'recording.jsonl'), 'utf8')).toBe(before)
  })

  it('holds a connection that broke off before an answer came, and says so', async () => {
    const url = await listen(createServer(({ socket }) => void socket.destroy()))
    const agent = { env: { TELLS_ERRORS: '1' }, provider: { upstream: url } }
    const project = createProject({
      'runproof.yml': configText(agent),
      ...live,
      [`${folder}/input.json`]: script(prompt),
    })
    const { stdout } = await project.record()
    expect(stdout).toMatch(/^boat: recorded from the provider; .*; replays$/m)
    expect(stdout).toContain(`  note: POST ${url}/v1/chat/completions got no answer (exchange 1)\n`)
    expect(readRecording(project).exchanges).toMatchObject([
      { response: null, end: { kind: 'reset' } },
    ])
  })

  it('says nothing of an agent that leaves when it has the whole answer', async () => {
    const { url } = await startProvider('stays')
    const agent = { env: { HASTY: '1' }, provider: { upstream: url } }
    const project = createProject({ 'runproof.yml': configText(agent), ...live })
    const { stdout } = await project.record()
    expect(stdout).toMatch(/^boat: recorded from the provider; .*; replays\n$/)
    expect(readRecording(project).exchanges.map(({ end }) => end.kind)).toEqual([
      'aborted',
      'aborted',
    ])
  })

  it.each([
    ['the right answer', 'It is green.', 0],
    ['another answer than expected', 'It is red.', 1],
  ])('writes %s where only a list of models was refused, and says so', async (_, equals, code) => {
    const { url } = await startProvider()
    const agent = { env: { LISTS: '1' }, provider: { upstream: url } }
    const project = createProject({
      'runproof.yml': configText(agent),
      ...live,
      [`${folder}/input.json`]: script({ ...prompt, accept: [{ equals }] }),
    })
    const ran = await project.record()
    expect(ran.code).toBe(code)
    expect(ran.stdout).toMatch(/^boat: recorded from the provider; wrote recording\.jsonl/)
    expect(ran.stdout).toContain(
      `  note: beside the model, GET ${url}/v1/models was answered 404: no such list (exchange 1)\n`,
    )
    expect(ran.stdout).not.toContain('the provider did not answer as it should')
    expect(readRecording(project).exchanges).toHaveLength(3)
  })

  it('names another reason than a refused list of models where it has one', async () => {
    const { url } = await startProvider()
    const project = createProject({
      'runproof.yml': configText({ env: { LISTS: '1' }, provider: { upstream: url } }),
      ...live,
      [`${folder}/input.json`]: {
        ...script(prompt),
        permissionAnswers: [{ kind: 'allow_once' }],
      },
    })
    const { stdout } = await project.record()
    expect(stdout).toContain('  note: beside the model, GET ')
    expect(stdout).toContain('asked for permission too rarely')
    expect(stdout).not.toContain('the provider did not answer as it should')
    expect(existsSync(file(project, 'recording.jsonl'))).toBe(false)
  })

  it.each<[what: string, provider: object, message: RegExp]>([
    [
      'without its key',
      { upstream: 'http://127.0.0.1:9', key: 'SMALL_KEY' },
      /needs a key: set SMALL_KEY/,
    ],
    ['without an address', {}, /say where its provider is: "provider: \{upstream: https:/],
  ])('%s says what to do', async (_, provider, message) => {
    const project = createProject({ 'runproof.yml': configText({ provider }), ...live })
    await expect(project.record()).rejects.toThrow(message)
  })
})
