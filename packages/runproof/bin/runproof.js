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
  const { enableCompileCache, registerHooks } = await import('node:module')
  enableCompileCache()
  // zod's entry loads its error texts in sixty languages, a file each; none is
  // shown. (registerHooks came with Node 22.15; before, the start is slower.)
  registerHooks?.({
    load: (url, context, next) =>
      url.endsWith('/zod/v4/locales/index.js')
        ? { format: 'module', source: 'export {}', shortCircuit: true }
        : next(url, context),
  })
  // A message that nobody reads: there is nobody left to tell.
  process.stderr.on('error', () => {})
  const { main } = await import('../dist/cli.js')
  process.exitCode = await main(process.argv.slice(2), process)
}
