/**
 * A throw-away project with agents and scenarios, and the command line run in
 * it. Agents are the fixture programs of `fixtures/agents`.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../src/cli.ts'
import { runTest, type TestOptions } from '../src/run/command.ts'

export const agentFile = (name: string): string =>
  join(import.meta.dirname, 'fixtures', 'agents', `${name}.mjs`)

export type Project = {
  root: string
  /** Runs `runproof test` in the project. */
  test(wanted?: string[], options?: TestOptions): Promise<Ran>
  /** Runs any command line with the project as the working folder of nothing. */
  remove(): void
}

export type Ran = { code: number; stdout: string; stderr: string }

/** Files by path, text or JSON. */
export function createProject(
  files: Record<string, unknown>,
  env: Record<string, string> = {},
): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'project-')))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const terminal = () => ({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: { PATH: process.env['PATH'], ...env },
  })
  return {
    root,
    async test(wanted = [], options = {}) {
      const streams = terminal()
      const code = await runTest(wanted, options, streams, root)
      return finish(streams, code)
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export async function runMain(argv: string[]): Promise<Ran> {
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  }
  return finish(streams, await main(argv, streams))
}

async function finish(
  { stdout, stderr }: { stdout: PassThrough; stderr: PassThrough },
  code: number,
): Promise<Ran> {
  stdout.end()
  stderr.end()
  return { code, stdout: await text(stdout), stderr: await text(stderr) }
}

/** `runproof.yml` with the named fixture programs as agents. */
export function configFor(
  agents: string[],
  extra: Record<string, Record<string, unknown>> = {},
): string {
  const entries = agents.map((name) => [
    name,
    { command: ['{node}', agentFile(name)], ...extra[name] },
  ])
  return JSON.stringify({ version: 1, agents: Object.fromEntries(entries) })
}
