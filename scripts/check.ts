/**
 * Every check but the tests, in one table; `npm run check` runs all, and
 * `npm run check -- lint house` some. Each prints its own findings; the end
 * says which failed.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const published = readdirSync(join(root, 'packages')).map((room) => join('packages', room))

/** Entries that are data: nothing to resolve types for. */
const notCode = ['--exclude-entrypoints', 'cordis.yml', 'cordis.snapshot.yml', '--']

/** Command lines by check, run in order from the root of the repository. */
const checks: Record<string, string[][]> = {
  types: [['tsc', '-b']],
  lint: [['oxlint']],
  format: [['oxfmt', '--check']],
  dead: [['knip']],
  house: [['vitest', 'run', 'test/house.test.ts']],
  packages: published.flatMap((folder) => [
    ['publint', '--strict', folder],
    ['attw', '--pack', '--profile', 'esm-only', '--format', 'ascii', ...notCode, folder],
  ]),
  install: [['node', 'scripts/install.ts']],
  fuzz: [['node', 'packages/sse/test/fuzz.ts']],
  coverage: [['vitest', 'run', '--coverage', '--project', 'rooms']],
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(checks, name))
if (unknown.length > 0) {
  process.stderr.write(
    `check: no such check: ${unknown.join(', ')}; there are: ${Object.keys(checks).join(', ')}\n`,
  )
  process.exit(2)
}

const env = {
  ...process.env,
  PATH: [join(root, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
}
const failed = Object.entries(checks)
  .filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .filter(([name, commands]) => {
    process.stdout.write(`\n── ${name}\n`)
    return commands.some(([command = '', ...args]) => {
      const { status } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
      return status !== 0
    })
  })
  .map(([name]) => name)

process.stdout.write(
  failed.length === 0 ? '\nall checks hold\n' : `\nfailed: ${failed.join(', ')}\n`,
)
process.exitCode = failed.length === 0 ? 0 : 1
