#!/usr/bin/env node
// Plain JavaScript that any Node can parse: it must be able to say that the
// Node is too old. It also makes the start fast; everything else is in dist.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `runproof-agent needs Node 22.12 or newer; this is ${process.version} (${process.execPath}).\n` +
      'Install a newer Node, or start it with one: /path/to/node node_modules/.bin/runproof-agent\n',
  )
  process.exit(3)
}
const { enableCompileCache, registerHooks } = await import('node:module')
enableCompileCache()
// The ACP SDK checks messages with zod, and zod's entry loads its error texts
// in sixty languages. Nobody reads them here; without them the agent starts a
// quarter faster. (registerHooks came with Node 22.15; before, it is slower.)
registerHooks?.({
  load: (url, context, next) =>
    url.endsWith('/zod/v4/locales/index.js')
      ? { format: 'module', source: 'export {}', shortCircuit: true }
      : next(url, context),
})
const { main } = await import('../dist/main.js')
await main(process.argv.slice(2))
