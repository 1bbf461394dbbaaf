/**
 * Real agents, from npm: `npm run test:agents` (vitest's mode `agents`). Each is
 * replayed without a key and without a network, and every changed word is
 * noticed. Agents without scenarios in this repository are recorded first.
 *
 * RUNPROOF_TEST_AGENTS: `all`, or names; else those that are quick to install
 * and to start. RUNPROOF_TEST_REPLAYS: how often each scenario is replayed.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseRecording, serializeRecording, type Recording } from '@runproof/replay'
import { describe, expect, it } from 'vitest'
import { listPresets } from '../../src/presets/preset.ts'
import { repository } from '../own.ts'
import { createProject, resultsOf, type Project } from '../project.ts'
import { provideAgent } from './install.ts'
import { scriptScenarios, tools } from './scripts.ts'

/** One of each wire but DeepSeek's. */
const quick = ['claude-agent-acp', 'codex-acp-rust', 'gemini-cli', 'pi']

const { MODE, RUNPROOF_TEST_AGENTS: named = '', RUNPROOF_TEST_REPLAYS: replays = '1' } = process.env
const chosen = named === 'all' ? listPresets() : named === '' ? quick : named.split(',')
const replayCount = Number(replays)
const replayMsMax = 240_000

type Files = Record<string, unknown>

/** The scenarios of an agent by path: those of the repository, or scripts that are to be recorded. */
function scenariosOf(name: string): { files: Files; isRecorded: boolean } {
  const folder = join(repository, 'scenarios', name)
  const own = tools[name]
  const files: Files = existsSync(folder)
    ? readFolder(folder)
    : own === undefined
      ? {}
      : scriptScenarios(own)
  const placed = Object.entries(files).map(([path, content]): [string, unknown] => [
    `scenarios/${name}/${path}`,
    content,
  ])
  return { files: Object.fromEntries(placed), isRecorded: existsSync(folder) }
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

/** Only what finds the cache; no key of this environment. */
const { RUNPROOF_AGENTS, HOME, XDG_CACHE_HOME, LOCALAPPDATA } = process.env
const env = Object.fromEntries(
  Object.entries({ RUNPROOF_AGENTS, HOME, XDG_CACHE_HOME, LOCALAPPDATA }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  ),
)

/** A project with the agent's scenarios, or with one of them, recorded and accepted. */
async function prepare(name: string, only = ''): Promise<Project> {
  const { files, isRecorded } = scenariosOf(name)
  const wanted = Object.entries(files).filter(([path]) => path.includes(`${only}/`))
  const config = JSON.stringify({ version: 1, agents: { [name]: { preset: name } } })
  const project = createProject({ 'runproof.yml': config, ...Object.fromEntries(wanted) }, env)
  if (isRecorded) return project
  const { code, stdout } = await project.record()
  expect(code, stdout).toBe(0)
  return project
}

/** Path of the only file of that name. */
function find({ root }: Project, name: string): string {
  const path = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((one) =>
    one.endsWith(name),
  )
  if (path === undefined) throw new Error(`no ${name}`)
  return join(root, path)
}

const edit = (project: Project, name: string, change: (text: string) => string): void => {
  const path = find(project, name)
  const before = readFileSync(path, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

function editRecording(project: Project, change: (recording: Recording) => Recording): void {
  edit(project, 'recording.jsonl', (text) => {
    const { recording } = parseRecording(text)
    if (recording === null) throw new Error('no recording')
    return serializeRecording(change(recording))
  })
}

/** The text of the failures of a replay, none when it passed. */
async function replay(project: Project): Promise<string> {
  const { stdout } = await project.test([], { json: true })
  const results = resultsOf(stdout)
  expect(results.length).toBeGreaterThan(0)
  return results
    .flatMap(({ scenario, failures }) =>
      failures.map(({ message, details }) => [`${scenario}: ${message}`, ...details].join('\n')),
    )
    .join('\n')
}

/** A word of the system prompt, wherever the wire keeps it, as if it had been another one then. */
function otherSystemPrompt(recording: Recording): Recording {
  const text = JSON.stringify(recording.exchanges.map(({ request }) => request.body))
  const changed: unknown[] = JSON.parse(text.replaceAll('You are ', 'You were '))
  return {
    ...recording,
    exchanges: recording.exchanges.map((exchange, index) => ({
      ...exchange,
      request: { ...exchange.request, body: changed[index] },
    })),
  }
}

const changes: [what: string, change: (project: Project) => void, words: [string, string]][] = [
  [
    'the prompt',
    (project) => edit(project, 'input.json', (text) => text.replace('What colour', 'Which colour')),
    ['What colour', 'Which colour'],
  ],
  [
    'the result of a tool',
    (project) => edit(project, 'workspace/notes.txt', (text) => text.replace('green', 'black')),
    ['boat is green', 'boat is black'],
  ],
  [
    'the system prompt',
    (project) => editRecording(project, otherSystemPrompt),
    ['You were', 'You are'],
  ],
]

for (const name of chosen) {
  const reason = MODE === 'agents' ? await provideAgent(name) : 'npm run test:agents runs it'
  const isSkipped = reason !== null
  describe.skipIf(isSkipped)(isSkipped ? `${name} (skipped: ${reason})` : name, () => {
    it(
      `replays ${replayCount} times with equal goldens`,
      { timeout: replayCount * replayMsMax },
      async () => {
        const project = await prepare(name)
        for (let count = 0; count < replayCount; count++) expect(await replay(project)).toBe('')
      },
    )

    it.each(changes)(
      'reports one changed word of %s',
      { timeout: replayMsMax },
      async (_, change, words) => {
        const project = await prepare(name, 'tool')
        change(project)
        const said = await replay(project)
        expect(said).toMatch(
          /no recorded request is the same\. The nearest is exchange \d+ of recording\.jsonl/,
        )
        const [recorded, sent] = words
        expect(said).toMatch(new RegExp(`recorded: .*${recorded}[^]*sent: .*${sent}`))
      },
    )

    it('replays right whatever the order of its recording', { timeout: replayMsMax }, async () => {
      const project = await prepare(name, 'tool')
      editRecording(project, (recording) => ({
        ...recording,
        exchanges: recording.exchanges
          .toReversed()
          .map((exchange, index) => ({ ...exchange, n: index + 1 })),
      }))
      expect(await replay(project)).toBe('')
    })
  })
}
