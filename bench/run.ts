/** `npm run bench -- NAME …`: builds, then runs the named measurements one after the other. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const shared = ['run.ts', 'rounds.ts', 'sse-workloads.ts']
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !shared.includes(file))
  .map((file) => file.slice(0, -'.ts'.length))

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
if (wanted.length === 0 || wanted.some((name) => !names.includes(name))) {
  process.stderr.write(`usage: npm run bench -- NAME…   one or more of: ${names.join(', ')}\n`)
  process.exit(2)
}
for (const [command, ...args] of [
  ['tsc', '-b'],
  ...wanted.map((name) => [process.execPath, join(import.meta.dirname, `${name}.ts`), ...options]),
]) {
  const { status, error } = spawnSync(command ?? '', args, { stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}
