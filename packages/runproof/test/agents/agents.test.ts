/**
 * Real agents, from npm: `npm run test:agents` (vitest's mode `agents`). Each is
 * replayed without a key and without a network, every changed word is noticed,
 * and the order in which calls were recorded does not matter. Agents without
 * scenarios in this repository are recorded first.
 *
 * RUNPROOF_TEST_AGENTS: `all`, or names; else those that are quick to install
 * and to start. RUNPROOF_TEST_REPLAYS: how often each scenario is replayed.
 * RUNPROOF_AGENTS: where agents are installed; else below `node_modules/.cache`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { parseRecording, serializeRecording, type Recording } from '@runproof/replay'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listPresets } from '../../src/presets/preset.ts'
import { repository } from '../own.ts'
import { createProject, resultsOf, script, type Project } from '../project.ts'
import { provideAgent } from './install.ts'
import { scriptScenarios, scriptText, toldOverTheProtocol, tools } from './scripts.ts'

/** Three wires, with scenarios in this repository. */
const quick = ['codex-acp-rust', 'gemini-cli', 'pi']

const { MODE, RUNPROOF_TEST_AGENTS: named = '', RUNPROOF_TEST_REPLAYS: replays = '1' } = process.env
const chosen = named === 'all' ? listPresets() : named === '' ? quick : named.split(',')
const replayCount = Number(replays)
const testMsMax = 240_000

const { RUNPROOF_AGENTS = join(repository, 'node_modules', '.cache', 'agents') } = process.env

/** What finds the agents, and no key of this environment. */
const env = { RUNPROOF_AGENTS }

/** Texts by path below a scenario's folder. */
type Files = Record<string, string>

/** The project of one agent; `scenarios` by name, `more` beside its preset. */
function projectOf(
  agent: string,
  scenarios: Record<string, Record<string, unknown>>,
  more: object = {},
): Project {
  const placed = Object.entries(scenarios).flatMap(([name, files]) =>
    Object.entries(files).map(([path, content]): [string, unknown] => [
      `scenarios/${agent}/${name}/${path}`,
      content,
    ]),
  )
  const config = JSON.stringify({ version: 1, agents: { [agent]: { preset: agent, ...more } } })
  return createProject({ 'runproof.yml': config, ...Object.fromEntries(placed) }, env)
}

/** Its scenarios with recordings and goldens: those of the repository, or made now from scripts. */
async function recordedScenarios(agent: string): Promise<Record<string, Files>> {
  const folder = join(repository, 'scenarios', agent)
  if (existsSync(folder)) return readScenarios(folder)
  const own = tools[agent]
  if (own === undefined) throw new Error(`${agent} has no scenarios, and scripts.ts no tools of it`)
  const project = projectOf(agent, scriptScenarios(own))
  const { code, stdout } = await project.record()
  expect(code, stdout).toBe(0)
  return readScenarios(join(project.root, 'scenarios', agent))
}

function readScenarios(folder: string): Record<string, Files> {
  const names = readdirSync(folder)
  return Object.fromEntries(names.map((name) => [name, readFolder(join(folder, name))]))
}

function readFolder(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  )
}

/** What a replay complains of, by scenario; nothing where it passed. */
async function replay(project: Project): Promise<Record<string, string>> {
  const { stdout } = await project.test([], { json: true })
  const complaints = resultsOf(stdout).map(({ scenario, failures }): [string, string] => [
    scenario,
    failures.flatMap(({ message, details }) => [message, ...details]).join('\n'),
  ])
  expect(complaints.length).toBeGreaterThan(0)
  return Object.fromEntries(complaints)
}

function edit(files: Files, path: string, change: (text: string) => string): Files {
  const before = files[path] ?? ''
  const after = change(before)
  expect(after, path).not.toBe(before)
  return { ...files, [path]: after }
}

const editRecording = (files: Files, change: (recording: Recording) => Recording): Files =>
  edit(files, 'recording.jsonl', (text) => {
    const { recording } = parseRecording(text)
    if (recording === null) throw new Error('no recording')
    return serializeRecording(change(recording))
  })

/** A word of the system prompt, wherever the wire keeps it, as if it had been another one then. */
function otherSystemPrompt(recording: Recording): Recording {
  const text = JSON.stringify(recording.exchanges.map(({ request }) => request.body))
  const changed: unknown[] = JSON.parse(text.replaceAll('You are ', 'You were '))
  return {
    ...recording,
    // Its keys are no longer those of its requests.
    source: 'authored',
    exchanges: recording.exchanges.map((exchange, index) => ({
      ...exchange,
      request: { ...exchange.request, body: changed[index] },
    })),
  }
}

const otherOrder = (recording: Recording): Recording => ({
  ...recording,
  exchanges: recording.exchanges
    .toReversed()
    .map((exchange, index) => ({ ...exchange, n: index + 1 })),
})

/** A provider that refuses everything, and what came with each request that asks for something. */
async function startRefusing(): Promise<{ upstream: string; seen: string[] }> {
  const seen: string[] = []
  const server = createServer(({ method, url = '', rawHeaders }, response) => {
    if (method === 'POST') seen.push([url, ...rawHeaders].join('\n'))
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { upstream: `http://127.0.0.1:${address.port}`, seen }
}

/** Changes of a scenario in which a file is read, and what was recorded and sent then. */
const changes: Record<string, { change: (files: Files) => Files; words: [string, string] }> = {
  'another-prompt': {
    change: (files) =>
      edit(files, 'input.json', (text) => text.replace('What colour', 'Which colour')),
    words: ['What colour', 'Which colour'],
  },
  'another-result': {
    change: (files) => edit(files, 'workspace/notes.txt', (text) => text.replace('green', 'black')),
    words: ['boat is green', 'boat is black'],
  },
  'another-system-prompt': {
    change: (files) => editRecording(files, otherSystemPrompt),
    words: ['You were', 'You are'],
  },
}

for (const agent of chosen) {
  const reason = MODE === 'agents' ? await provideAgent(agent, env) : 'npm run test:agents runs it'
  const isSkipped = reason !== null
  describe.skipIf(isSkipped)(isSkipped ? `${agent} (skipped: ${reason})` : agent, () => {
    let made: Promise<Record<string, Files>> | null = null
    const scenarios = (): Promise<Record<string, Files>> => (made ??= recordedScenarios(agent))

    it(
      `replays ${replayCount} times with equal goldens`,
      { timeout: replayCount * testMsMax },
      async () => {
        const recorded = await scenarios()
        const project = projectOf(agent, recorded)
        const passed = Object.fromEntries(Object.keys(recorded).map((name) => [name, '']))
        for (let count = 0; count < replayCount; count++)
          expect(await replay(project)).toEqual(passed)
      },
    )

    it(
      'tells one changed word of a prompt, a result or the system prompt, and takes its recording in any order',
      { timeout: testMsMax },
      async () => {
        const recorded = await scenarios()
        const tool = Object.entries(recorded).find(([name]) => name.endsWith('tool'))?.[1] ?? {}
        const changed = Object.entries(changes).map(([name, { change }]) => [name, change(tool)])
        const complaints = await replay(
          projectOf(agent, {
            ...Object.fromEntries(changed),
            'another-order': editRecording(tool, otherOrder),
          }),
        )
        for (const [name, { words }] of Object.entries(changes)) {
          const [then, now] = words
          expect(complaints[name], name).toMatch(
            /no recorded request is the same\. The nearest is exchange \d+ of recording\.jsonl/,
          )
          // The field, and both words.
          expect(complaints[name], name).toMatch(
            new RegExp(`^ *body\\.\\S+\\n *recorded: .*${then}.*\\n *sent: .*${now}`, 'm'),
          )
        }
        expect(complaints['another-order']).toBe('')
      },
    )

    it('gives a real provider the key of the environment', { timeout: testMsMax }, async () => {
      const { upstream, seen } = await startRefusing()
      const key = 'hk-0a91b7cc1e77ff42aa'
      const input = script({ op: 'prompt', text: 'What is a recording?' })
      const provider = { upstream, key: 'HARBOUR_KEY' }
      const project = projectOf(agent, { refused: { 'input.json': input } }, { provider })
      const { stdout } = await project.record([], {}, { ...env, HARBOUR_KEY: key })
      expect(seen, stdout).not.toEqual([])
      for (const request of seen) expect(request).toContain(key)
      expect(stdout).not.toContain(key)
    })

    const setting = toldOverTheProtocol[agent]
    it.skipIf(setting === undefined)(
      setting === undefined
        ? 'is told its provider over the protocol (skipped: it does not offer providers/set)'
        : 'is told its provider over the protocol',
      { timeout: testMsMax },
      async () => {
        const project = projectOf(agent, { told: scriptText() }, setting)
        const { code, stdout } = await project.record()
        expect(code, stdout).toBe(0)
        expect(await replay(project)).toEqual({ told: '' })
      },
    )
  })
}
