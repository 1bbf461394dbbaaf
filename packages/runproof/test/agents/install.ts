/** Real agents for tests: installed from npm into the cache, in the versions of their presets. */
import { spawn } from 'node:child_process'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { readPreset } from '../../src/presets/preset.ts'
import {
  cacheFolder,
  findProgram,
  isNodeNewEnough,
  type Program,
} from '../../src/presets/program.ts'

/** A slow line should not look like a broken one. */
const installMsMax = 5 * 60_000

/** npm would wait for more than a minute before it believes that there is no line at all. */
const retries = [
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=2000',
  '--fetch-retry-maxtimeout=8000',
]

/** @returns null when the agent is there, or why it is not. */
export async function provideAgent(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const program = readPreset(name)?.agent.program
  if (program === undefined) return 'there is no such preset'
  if (!isNodeNewEnough(program, process.versions.node)) return `it needs Node.js ${program.nodeMin}`
  const folder = cacheFolder(program, env)
  // The cache alone: what else there is on the machine may be of another version.
  const isThere = async (): Promise<boolean> =>
    (await findProgram(program, folder, {}))?.modules === join(folder, 'node_modules')
  if (await isThere()) return null
  const problem = await install(program, folder)
  return problem ?? ((await isThere()) ? null : 'its package holds no such program')
}

/** Whole or not at all: another test run may look at the same folder. */
async function install({ packages }: Program, folder: string): Promise<string | null> {
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  await writeFile(join(draft, 'package.json'), '{"private":true}\n')
  const problem = await runNpm(
    ['install', '--no-audit', '--no-fund', ...retries, ...packages],
    draft,
  )
  if (problem === null) await rename(draft, folder).catch(() => null)
  await rm(draft, { recursive: true, force: true })
  return problem
}

async function runNpm(args: string[], cwd: string): Promise<string | null> {
  const child = spawn('npm', [...args, '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
    timeout: installMsMax,
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(`npm cannot be started: ${message}`))
    child.once('close', (code, signal) => {
      const [first = ''] = stderr.trim().split('\n')
      const cause = first.replace(/^npm (?:error|ERR!) (?:code )?/, '').slice(0, 200)
      resolve(
        code === 0 ? null : `npm does not install it: ${cause || `ended with ${signal ?? code}`}`,
      )
    })
  })
}
