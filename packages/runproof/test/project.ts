/**
 * A throw-away project with agents and scenarios, and the command line run in
 * it. Agents are the fixture programs of `fixtures/agents`.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { runRecord, type RecordCommandOptions } from '../src/record/command.ts'
import { runTest, type TestOptions } from '../src/run/command.ts'
import type { ScenarioResult } from '../src/run/scenario.ts'

export const agentFile = (name: string): string =>
  join(import.meta.dirname, 'fixtures', 'agents', `${name}.mjs`)

export type Project = {
  root: string
  /** Writes a file, text or JSON. */
  write(path: string, content: unknown): void
  /** Runs `runproof test` in the project; `env` instead of the project's. */
  test(wanted?: string[], options?: TestOptions, env?: Environment): Promise<Ran>
  /** Runs `runproof record` in it. */
  record(wanted?: string[], options?: RecordCommandOptions, env?: Environment): Promise<Ran>
}

type Environment = Record<string, string>

export type Ran = { code: number; stdout: string; stderr: string }

/** Files by path, text or JSON; gone when the test has finished. */
export function createProject(files: Record<string, unknown>, env: Environment = {}): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'project-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, content: unknown): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  for (const [path, content] of Object.entries(files)) write(path, content)
  const run = async (
    command: (terminal: Streams) => Promise<number>,
    variables: Environment = env,
  ): Promise<Ran> => {
    const streams = createStreams({ PATH: process.env['PATH'], ...variables })
    return finish(streams, await command(streams))
  }
  return {
    root,
    write,
    test: (wanted = [], options = {}, variables) =>
      run((terminal) => runTest(wanted, options, terminal, root), variables),
    record: (wanted = [], options = {}, variables) =>
      run((terminal) => runRecord(wanted, options, terminal, root), variables),
  }
}

type Streams = ReturnType<typeof createStreams>

const createStreams = (env: Record<string, string | undefined>) => ({
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env,
})

async function finish(
  { stdout, stderr }: { stdout: PassThrough; stderr: PassThrough },
  code: number,
): Promise<Ran> {
  stdout.end()
  stderr.end()
  return { code, stdout: await text(stdout), stderr: await text(stderr) }
}

/** `runproof.yml` with the named fixture programs as agents; only `logs` has a model to replay. */
export function configFor(
  agents: string[],
  extra: Record<string, Record<string, unknown>> = {},
  scenarios: string[] = ['scenarios'],
): string {
  const entries = agents.map((name) => {
    const seam = name === 'logs' ? 'session' : 'none'
    return [name, { command: ['{node}', agentFile(name)], seam, ...extra[name] }]
  })
  return JSON.stringify({ version: 1, scenarios, agents: Object.fromEntries(entries) })
}

/** The results of `--json`, without the last line. */
export function resultsOf(stdout: string): ScenarioResult[] {
  const lines = stdout.trimEnd().split('\n').slice(0, -1)
  return lines.map((line) => {
    const result: ScenarioResult = JSON.parse(line)
    return result
  })
}

/** A script that opens a session first. */
export const script = (...steps: object[]): { version: 1; steps: object[] } => ({
  version: 1,
  steps: [{ op: 'initialize' }, { op: 'newSession' }, ...steps],
})
