#!/usr/bin/env node
// Plain JavaScript that any Node can parse: it must be able to say that the
// Node is too old. Everything else is in dist.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `runproof-agent needs Node 22.12 or newer; this is ${process.version} (${process.execPath}).\n` +
      'Install a newer Node, or start it with one: /path/to/node node_modules/.bin/runproof-agent\n',
  )
  process.exit(3)
}
const { enableCompileCache } = await import('node:module')
enableCompileCache()
const { main } = await import('../dist/main.js')
await main(process.argv.slice(2))
