/**
 * A composition either starts as written or stops the start with a message
 * that names the entry: through the real bin, since every one of these
 * mistakes once passed a suite that called `apply` directly.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { initializeParams, startDriver } from './driver.ts'
import { temporaryFolder } from './scenario.ts'

const plugins = fileURLToPath(new URL('plugins/', import.meta.url))
const builtIn = fileURLToPath(new URL('../cordis.yml', import.meta.url))
const include = '@deepseek-ai/cordis-plugin-include'

function writeComposition(text: string): string {
  const file = join(temporaryFolder('composition'), 'cordis.yml')
  writeFileSync(file, text)
  return file
}

/** The whole agent, patched. */
function patched(...patches: object[]): string {
  const config = { path: builtIn, patches }
  return JSON.stringify([{ id: 'base', name: include, config }])
}

function withPlugin(file: string, config?: object): string {
  return patched({
    insert: [{ id: 'guest', name: join(plugins, file), ...(config && { config }) }],
  })
}

type Failure = { title: string; composition: string; says: (string | RegExp)[] }

const failures: Failure[] = [
  {
    title: 'code in a configuration, spelt as data',
    composition: withPlugin('chatty.js', { deep: [{ __jsExpr: 'process.exit(0)' }] }),
    says: ['entry "guest"', '__jsExpr'],
  },
  {
    title: 'a package that is not installed',
    composition: patched({ insert: [{ id: 'guest', name: 'no-such-package' }] }),
    says: ['entry "guest"', 'no-such-package'],
  },
  {
    title: 'a file that does not exist',
    composition: withPlugin('missing.js'),
    says: ['entry "guest"', 'missing.js'],
  },
  {
    title: 'a module whose own import fails',
    composition: withPlugin('broken-import.js'),
    says: ['entry "guest"', 'nowhere-to-be-found.js'],
  },
  {
    title: 'a plugin that throws',
    composition: withPlugin('throws.js'),
    says: ['entry "guest" failed to start', 'the disk is on fire'],
  },
  {
    title: 'a plugin that throws later',
    composition: withPlugin('throws-later.js'),
    says: ['entry "guest" failed to start', 'the network is away'],
  },
  {
    title: 'a default export that loses inject',
    composition: withPlugin('loses-inject.js'),
    says: ['entry "guest"', 'loses the module\'s "inject"'],
  },
  {
    title: 'a plugin that uses a service it does not ask for',
    composition: withPlugin('undeclared.js'),
    says: ['entry "guest" failed to start', '"backend" without inject'],
  },
  {
    title: 'a service that never appears',
    composition: withPlugin('waits.js'),
    says: ['entry "guest" waits for the service "teleporter"'],
  },
  {
    title: 'a built-in service that was taken out',
    composition: patched({ id: 'backend', disabled: true }),
    says: ['entry "permissions" waits for the service "backend"', 'entry "loop"'],
  },
  {
    title: 'a module that is no plugin',
    composition: withPlugin('not-a-plugin.js'),
    says: ['entry "guest"', 'exports no plugin'],
  },
  {
    title: 'a configuration that its schema refuses',
    composition: withPlugin('strict.js', { size: 'large' }),
    says: ['entry "guest" failed to start', 'size'],
  },
  {
    title: 'an option that a built-in entry does not have',
    composition: patched({ id: 'acp', config: { graceMS: 3 } }),
    says: ['entry "acp" failed to start', 'graceMS'],
  },
  {
    title: 'a patch whose id matches nothing',
    composition: patched({ id: 'provder', disabled: true }),
    says: ['"provder" not found'],
  },
  {
    title: 'a patch that expects another module',
    composition: patched({ id: 'provider', name: '@runproof/agent/plugins/llm', disabled: true }),
    says: ['name mismatch for "provider"'],
  },
  {
    title: 'a patch with a misspelt key',
    composition: patched({ id: 'provider', confg: { wire: 'anthropic' } }),
    says: ['after its patches', '"confg"'],
  },
  {
    title: 'a patch with a value of the wrong kind',
    composition: patched({ id: 'provider', disabled: 'yes' }),
    says: ['after its patches', 'disabled'],
  },
  {
    title: 'two entries with one id',
    composition: patched({ insert: [{ id: 'acp', name: join(plugins, 'chatty.js') }] }),
    says: ['two entries have the id "acp"'],
  },
  {
    title: 'an entry without an id',
    composition: `- name: '@runproof/agent/plugins/tools'`,
    says: ['[0].id'],
  },
  {
    title: 'a misspelt key of an entry',
    composition: `- { id: a, name: '@runproof/agent/plugins/tools', confg: {} }`,
    says: ['"confg"'],
  },
  {
    title: 'code in the file',
    composition: `- { id: a, name: '@runproof/agent/plugins/tools', config: !!js process.exit() }`,
    says: ['unknown', 'js'],
  },
  {
    title: 'a file that is no list',
    composition: 'id: a',
    says: ['list of entries'],
  },
  {
    title: 'a file that is no YAML',
    composition: '- {',
    says: ['composition'],
  },
  {
    title: 'an include of a file that does not exist',
    composition: JSON.stringify([{ id: 'base', name: include, config: { path: './gone.yml' } }]),
    says: ['gone.yml'],
  },
]

describe('a composition that cannot start', () => {
  it.each(failures)('$title', async ({ composition, says }) => {
    const file = writeComposition(composition)
    const driver = startDriver({ args: ['--config', file] })
    // An eager client is not served by half an agent.
    void driver.call('initialize', initializeParams).catch(() => undefined)
    const { code } = await driver.exited

    expect(code).toBe(2)
    expect(driver.lines).toEqual([])
    for (const part of says) expect(driver.stderr()).toMatch(part)
    // Never written back.
    expect(readFileSync(file, 'utf8')).toBe(composition)
  })

  it('includes itself', async () => {
    const file = writeComposition('')
    writeFileSync(file, JSON.stringify([{ id: 'a', name: include, config: { path: file } }]))
    const driver = startDriver({ args: ['--config', file] })
    expect((await driver.exited).code).toBe(2)
    expect(driver.stderr()).toContain('includes itself')
  })

  it('says what is wrong with an unknown mode', async () => {
    const driver = startDriver({ env: { RUNPROOF_MODE: 'reply' } })
    expect((await driver.exited).code).toBe(2)
    expect(driver.stderr()).toContain('RUNPROOF_MODE is record or replay')
  })

  it('never starts a replay with a provider in it', async () => {
    const driver = startDriver({
      args: ['--config', builtIn],
      env: { RUNPROOF_MODE: 'replay', DEEPSEEK_API_KEY: 'sk-unused' },
    })
    expect((await driver.exited).code).toBe(2)
    expect(driver.stderr()).toContain('entry "provider" failed to start: a replay never talks')
  })

  it('never starts a replay without its log', async () => {
    const driver = startDriver({ env: { RUNPROOF_MODE: 'replay' } })
    expect((await driver.exited).code).toBe(2)
    expect(driver.stderr()).toContain('entry "llm-replay" failed to start')
    expect(driver.stderr()).toContain('RUNPROOF_SESSION_FILE')
  })
})

describe('a composition that starts', () => {
  it('may be patched by a file of the user, whose prints stay off stdout', async () => {
    const driver = startDriver({ args: ['--config', writeComposition(withPlugin('chatty.js'))] })
    const answer = await driver.call('initialize', initializeParams)
    const { code } = await driver.close()

    expect(answer.result).toMatchObject({ protocolVersion: 1 })
    expect(code).toBe(0)
    expect(driver.lines).toHaveLength(1)
    expect(driver.stderr()).toContain('hello from a plugin')
  })

  it('is left in the end by a process whose plugin never lets go', async () => {
    const driver = startDriver({ args: ['--config', writeComposition(withPlugin('clings.js'))] })
    await driver.call('initialize', initializeParams)
    expect(await driver.close()).toMatchObject({ code: 1 })
    expect(driver.stderr()).toContain('leaving')
  })

  it('takes provider and model from the command line', async () => {
    const driver = startDriver({ args: ['--provider', 'anthropic', '--model', 'claude-x'] })
    expect((await driver.call('initialize', initializeParams)).error).toBeUndefined()
    expect((await driver.close()).code).toBe(0)
  })

  it('refuses a provider it does not know, naming the entry', async () => {
    const driver = startDriver({ args: ['--provider', 'clippy', '--model', 'paperclip'] })
    expect((await driver.exited).code).toBe(2)
    expect(driver.stderr()).toContain('entry "provider" failed to start')
  })
})
