/**
 * What a user gets: packs every package, installs the archives into an empty
 * project beside the oldest vitest that is supported, and uses them there.
 * Finds what no look at the repository shows: a file that is not in the
 * archive, a dependency that only the workspace has.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Manifest = { name: string; exports?: Record<string, unknown> }

const root = join(import.meta.dirname, '..')
const project = mkdtempSync(join(tmpdir(), 'runproof-install-'))
const archives = join(project, 'archives')

/** Runs a command to its end and returns its stdout. */
function run(cwd: string, command: string, ...args: string[]): string {
  const shown = [command, ...args].join(' ').slice(0, 200)
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    // A person's machine: with CI set no golden is written.
    env: { ...process.env, CI: '' },
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${shown} exited with ${status}\n${stdout}`)
  return stdout
}

const rooms = readdirSync(join(root, 'packages')).map((room) => join(root, 'packages', room))
const manifests = rooms.map((room): Manifest => {
  const text = readFileSync(join(room, 'package.json'), 'utf8')
  return JSON.parse(text)
})

/** Import specifiers of all entries that are code and need no test runner around them. */
const entries = manifests.flatMap(({ name, exports = {} }) =>
  Object.keys(exports)
    .filter((key) => !/[*]|\.yml$|^\.\/vitest$/.test(key))
    .map((key) => name + key.slice(1)),
)

try {
  mkdirSync(archives)
  run(root, 'npm', 'pack', '--loglevel=error', '--pack-destination', archives, ...rooms)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  const files = readdirSync(archives).map((file) => join(archives, file))
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  run(project, 'npm', 'install', ...quiet, ...files, 'vitest@3')

  writeFileSync(
    join(project, 'import.js'),
    entries.map((entry) => `await import('${entry}')\n`).join(''),
  )
  run(project, process.execPath, 'import.js')

  // The agent under the harness, both as installed.
  writeFileSync(
    join(project, 'runproof.yml'),
    `version: 1
agents:
  runproof-agent:
    command: ['{node}', '{root}/node_modules/@runproof/agent/bin/runproof-agent.js']
`,
  )
  for (const name of ['text', 'tool-edit']) {
    const folder = join('scenarios', 'runproof-agent', name)
    cpSync(join(root, folder), join(project, folder), { recursive: true })
  }
  const bin = join('node_modules', 'runproof', 'bin', 'runproof.js')
  const told = run(project, process.execPath, bin, 'test', '--json')
  if (!told.includes('"passed":2,"failed":0')) throw new Error(`not both passed:\n${told}`)

  // Under the project's own vitest: `-u` brings back a golden that says another end.
  writeFileSync(
    join(project, 'scenarios.test.js'),
    "import { defineScenarios } from 'runproof/vitest'\nawait defineScenarios()\n",
  )
  const golden = join(project, 'scenarios', 'runproof-agent', 'text', 'stdout.golden.jsonl')
  const whole = readFileSync(golden, 'utf8')
  writeFileSync(golden, whole.replace('end_turn', 'max_tokens'))
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  run(project, process.execPath, vitest, 'run', '-u')
  if (readFileSync(golden, 'utf8') !== whole) throw new Error('vitest -u did not write the golden')
  process.stdout.write(
    `${files.length} packages installed, ${entries.length} entries imported, 2 scenarios passed\n`,
  )
} finally {
  rmSync(project, { recursive: true, force: true })
}
