/** What `--out` keeps of a recording: everything that was said, for its owner alone, and no secret; of runs that break off, too. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentFile, configFor, createProject, script, type Project } from '../project.ts'

const prompt = { op: 'prompt', text: 'Hi', accept: [{ matches: '.' }] }

const small = (env = { MODEL_ANSWER: 'forty-two' }): Project =>
  createProject(
    {
      'runproof.yml': configFor(['logs'], { logs: { record: { passEnv: ['MODEL_ANSWER'] } } }),
      'scenarios/logs/one/input.json': script(prompt),
    },
    env,
  )

function keptIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}

/** A provider that refuses, and repeats with what. */
async function startRefusing(): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.writeHead(401).end(`wrong key: ${headers.authorization?.slice(7)}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

describe('record --out', () => {
  it('keeps no secret of providers/set, however short, nor one that the configuration holds', async () => {
    const key = 'dory-9x7q'
    const team = 'crew-of-the-dory'
    const headers = { 'x-key': '{key}', 'x-team-token': team }
    const set = { id: 'main', apiType: 'openai', baseUrl: '{provider}/v1', headers }
    const agent = {
      command: ['{node}', agentFile('asks-model')],
      files: { '.asks-model/settings.json': '{"greeting": "Be brief."}' },
      env: { BASE_URL: '', API_KEY: '', SETTABLE: '1', TELLS_ERRORS: '1' },
      quietMs: 50,
      provider: { wire: 'openai-chat', upstream: await startRefusing(), key: 'SMALL', set },
    }
    const project = createProject({
      'runproof.yml': JSON.stringify({ version: 1, agents: { small: agent } }),
      'scenarios/small/boat/input.json': script(prompt),
    })
    const { stdout } = await project.record([], { out: 'kept' }, { SMALL: key })
    expect(stdout).toContain('wrong key: {{secret:')
    const kept = keptIn(join(project.root, 'kept', 'boat'))
    expect(kept).toContain('providers/set')
    expect(kept).toContain('wrong key: {{secret:')
    expect(kept).not.toContain(key)
    expect(kept).not.toContain(team)
  })

  it.skipIf(process.platform === 'win32')(
    'keeps it for its owner alone, whatever was there before',
    async () => {
      const project = small()
      const { root } = project
      const [kept, other] = [join(root, 'kept', 'one'), join(root, 'other.txt')]
      mkdirSync(kept, { recursive: true })
      writeFileSync(join(kept, 'transcript.jsonl'), 'of old\n', { mode: 0o644 })
      writeFileSync(other, 'mine\n')
      symlinkSync(other, join(kept, 'stderr.txt'))
      await project.record([], { out: 'kept' })
      const modes = readdirSync(kept).map((name) => statSync(join(kept, name)).mode & 0o777)
      expect(modes).toEqual([0o600, 0o600])
      expect(readFileSync(join(kept, 'transcript.jsonl'), 'utf8')).not.toContain('of old')
      expect(readFileSync(other, 'utf8')).toBe('mine\n')
    },
  )

  it('says what is in the way before the agent is started', async () => {
    const project = small()
    const { root } = project
    project.write('kept/one', 'a file')
    const refusal = {
      code: 'usage',
      message: expect.stringMatching(/kept.one cannot be used: it is no folder$/),
    }
    await expect(project.record([], { out: 'kept' })).rejects.toMatchObject(refusal)
    expect(readdirSync(join(root, 'scenarios', 'logs', 'one'))).toEqual(['input.json'])
  })

  it('says so too when a folder stands where a file belongs', async () => {
    const project = small()
    project.write('kept/one/stderr.txt/inside', '')
    await expect(project.record([], { out: 'kept' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^--out .*stderr\.txt cannot be used: /),
    })
  })

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'says so too when the folder is write-protected',
    async () => {
      const project = small()
      const { root } = project
      mkdirSync(join(root, 'kept'))
      chmodSync(join(root, 'kept'), 0o555)
      await expect(project.record([], { out: 'kept' })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/kept cannot be used: permission denied$/),
      })
    },
  )
})

/** Removes itself when it is started: a second time it is not there. */
const vanishing = (meanwhile = ''): string => `#!${process.execPath}
require('node:fs').unlinkSync(__filename)
${meanwhile}
process.stderr.write('here once\\n')
import(${JSON.stringify(agentFile('talks'))})
`

describe.skipIf(process.platform === 'win32')('a run that breaks off', () => {
  const started = (meanwhile?: string): Project => {
    const project = createProject({
      'runproof.yml': configFor(['gone'], { gone: { command: ['{root}/agent'] } }),
      agent: vanishing(meanwhile),
      'scenarios/gone/one/input.json': script(
        { op: 'prompt', text: 'Hi' },
        { op: 'loadSession', restart: true },
      ),
      'kept/one/stdout.actual.jsonl': 'of an earlier run\n',
    })
    chmodSync(join(project.root, 'agent'), 0o755)
    return project
  }
  const expectKept = ({ root }: Project): void => {
    const kept = join(root, 'kept', 'one')
    expect(readdirSync(kept).toSorted()).toEqual(['stderr.txt', 'transcript.jsonl'])
    expect(readFileSync(join(kept, 'stderr.txt'), 'utf8')).toBe('here once\n')
    const [last, exit] = readFileSync(join(kept, 'transcript.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-2)
    expect(last).toContain('"stopReason":"end_turn"')
    expect(exit).toContain('"exit"')
  }

  it('is kept up to there by record', async () => {
    const project = started()
    await expect(project.record([], { out: 'kept' })).rejects.toMatchObject({ code: 'environment' })
    expectKept(project)
  })

  it('is kept up to there by test', async () => {
    const project = started()
    expect(await project.test([], { out: 'kept' })).toMatchObject({ code: 3 })
    expectKept(project)
  })

  it('is told with its own cause when nothing can be kept any more', async () => {
    const project = started(
      `require('node:fs').mkdirSync(__dirname + '/kept/one/transcript.jsonl')`,
    )
    await expect(project.record([], { out: 'kept' })).rejects.toMatchObject({ code: 'environment' })
  })
})
