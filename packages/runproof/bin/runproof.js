#!/usr/bin/env node
// Written so that any Node since 14 can read it: it checks the version first,
// says what to do, and only then loads the program.
import process from 'node:process'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `runproof: needs Node.js 22.12 or newer, this is ${process.versions.node}.\n` +
      'Install a current Node.js, or run it with one from npm: npx -p node@24 -p runproof runproof --help\n',
  )
  process.exitCode = 3
} else {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  const { main } = await import('../dist/cli.js')
  process.exitCode = await main(process.argv.slice(2), process)
}
