// Makes a checkout ready: dependencies as locked, then the build. Quick when
// nothing changed. Runs on the machine's own Node, whatever its age, without
// dependencies; the caller goes on with `npm run -s …`, a new shell that finds
// the project's Node in node_modules/.bin.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stampFile = join(root, 'node_modules', '.runproof-setup')

/** What node_modules depends on: the lock file and every manifest. */
function digestManifests() {
  const rooms = readdirSync(join(root, 'packages')).map((room) => join('packages', room))
  const files = ['', 'bench', ...rooms].map((folder) => join(folder, 'package.json'))
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', ...files]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

function npm(...args) {
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    // stdout belongs to the command that comes after the set-up.
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) {
    process.stderr.write(`set-up: npm ${args.join(' ')} failed (exit ${status})\n`)
    process.exit(status ?? 1)
  }
}

const digest = digestManifests()
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== digest) {
  process.stderr.write('set-up: installing dependencies (once)\n')
  npm('ci', '--no-audit', '--no-fund', '--loglevel=error')
  writeFileSync(stampFile, digest)
}
npm('run', '-s', 'build')
