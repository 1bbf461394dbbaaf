/** The secrets of a run that is recorded: the key, whatever it looks like, and what the configuration holds. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentFile, createProject, script, type Project } from '../project.ts'

const token = 'crew-of-the-dory'

async function startProvider(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

/** A provider that says each of these pieces. */
const saying =
  (piecesOf: (key: string) => readonly string[]): RequestListener =>
  ({ headers }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const pieces = piecesOf(String(headers.authorization).replace('Bearer ', ''))
    const deltas = pieces.map((content) => ({ delta: { content } }))
    for (const choice of [...deltas, { delta: {}, finish_reason: 'stop' }]) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  }

/** An agent whose settings, and so its system prompt, hold its key and a token. */
async function projectWith(answer: RequestListener): Promise<Project> {
  const agent = {
    command: ['{node}', agentFile('asks-model')],
    files: { '.asks-model/settings.json': `{"greeting": "{key} is for the ${token}."}` },
    env: { BASE_URL: '{provider}/v1', API_KEY: '{key}', TEAM_TOKEN: token },
    quietMs: 50,
    provider: { wire: 'openai-chat', upstream: await startProvider(answer), key: 'SMALL' },
  }
  return createProject({
    'runproof.yml': JSON.stringify({ version: 1, agents: { small: agent } }),
    'scenarios/small/boat/input.json': script({ op: 'prompt', text: 'Hi' }),
  })
}

const keys = ['dory-9x7q', '/dory/9x7q-by-path', 'auto-dory-9x7q', 'none-of-the-dories']

describe.each(keys)('the key %s', (key) => {
  it('stands in no recording, which replays with another one', async () => {
    const made = await projectWith(saying(() => ['Fine.']))
    const { stdout, code } = await made.record([], {}, { SMALL: key })
    expect(stdout).toMatch(/; replays\n$/)
    expect(code).toBe(0)
    const recording = readFileSync(join(made.root, 'scenarios/small/boat/recording.jsonl'), 'utf8')
    expect(recording).toContain('{{secret:1}} is for the {{secret:2}}.')
    expect(recording).not.toContain(key)
    expect(recording).not.toContain(token)
    expect((await made.test()).code).toBe(0)
  })

  it('stands in no golden, and on no screen', async () => {
    const made = await projectWith(saying((given) => ['It is ', ...given.split(''), '.']))
    const { stdout, stderr } = await made.record([], {}, { SMALL: key })
    expect(stdout).toContain('not written, stdout.golden.jsonl:')
    expect(stdout + stderr).not.toContain(key)
    expect(readdirSync(join(made.root, 'scenarios/small/boat'))).toEqual(['input.json'])
    expect(existsSync(join(made.root, '.runproof'))).toBe(false)
  })
})
