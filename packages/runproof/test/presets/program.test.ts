/** Finding a program where a package manager puts it, on a file system made for it. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { locateAgent } from '../../src/presets/locate.ts'
import {
  cacheFolder,
  findProgram,
  isNodeNewEnough,
  packageName,
} from '../../src/presets/program.ts'

const program = { packages: ['@scope/tool@1.2.3', 'other@4.5.6'], bin: 'tool', nodeMin: '20' }
const script = '#!/usr/bin/env node\n'
const cacheName = '@scope-tool@1.2.3+other@4.5.6'

/** Files by path below a new folder; a value of null is a link to the tool of the project. */
function createFiles(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'program-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, 0o755)
  }
  return root
}

const installed = (folder: string, bin: unknown, text = script): Record<string, string> => ({
  [`${folder}/node_modules/@scope/tool/package.json`]: JSON.stringify({ bin, version: '1.2.4' }),
  [`${folder}/node_modules/@scope/tool/bin/tool.js`]: text,
})

describe('a program', () => {
  it.each<[what: string, bin: unknown]>([
    ['by its name', { tool: 'bin/tool.js', more: 'x.js' }],
    ['as the only one', 'bin/tool.js'],
  ])('of the project is found %s, and started by this Node.js', async (_, bin) => {
    const root = createFiles(installed('p', bin))
    const modules = join(root, 'p', 'node_modules')
    expect(await findProgram(program, join(root, 'p', 'deep', 'down'), {})).toEqual({
      words: [process.execPath, join(modules, '@scope', 'tool', 'bin', 'tool.js')],
      binFolder: join(modules, '.bin'),
      modules,
      version: '1.2.4',
      where: 'project',
    })
  })

  it('that is no script starts itself', async () => {
    const root = createFiles(installed('p', { tool: 'bin/tool.js' }, '\u007fELF'))
    const found = await findProgram(program, join(root, 'p'), {})
    expect(found?.words).toEqual([join(root, 'p/node_modules/@scope/tool/bin/tool.js')])
  })

  it('of a package that does not name it is the file of that name', async () => {
    const root = createFiles({
      'p/node_modules/@scope/tool/package.json': '{}',
      'p/node_modules/@scope/tool/bin/tool': script,
    })
    const found = await findProgram(program, join(root, 'p'), {})
    expect(found?.words[1]).toBe(join(root, 'p/node_modules/@scope/tool/bin/tool'))
  })

  it('is looked for in the project, then in the cache, then on the PATH', async () => {
    const root = createFiles({
      ...installed(`cache/${cacheName}`, { tool: 'bin/tool.js' }),
      'lib/node_modules/@scope/tool/package.json': JSON.stringify({ version: '1.2.5' }),
      'lib/node_modules/@scope/tool/tool.js': script,
    })
    mkdirSync(join(root, 'bin'))
    symlinkSync('../lib/node_modules/@scope/tool/tool.js', join(root, 'bin', 'tool'))
    const PATH = [join(root, 'none'), join(root, 'bin')].join(delimiter)
    const env = { PATH, RUNPROOF_AGENTS: join(root, 'cache') }
    expect(await findProgram(program, join(root, 'p'), env)).toMatchObject({ where: 'cache' })
    rmSync(join(root, 'cache'), { recursive: true })
    expect(await findProgram(program, join(root, 'p'), env)).toEqual({
      words: [process.execPath, join(root, 'lib/node_modules/@scope/tool/tool.js')],
      binFolder: join(root, 'bin'),
      modules: join(root, 'lib', 'node_modules'),
      version: '1.2.5',
      where: 'path',
    })
    rmSync(join(root, 'bin'), { recursive: true })
    expect(await findProgram(program, join(root, 'p'), env)).toBe(null)
  })
})

describe('the cache', () => {
  it.each([
    [{ RUNPROOF_AGENTS: '/a' }, '/a'],
    [{ XDG_CACHE_HOME: '/c', HOME: '/h' }, '/c/runproof/agents'],
    [{ RUNPROOF_AGENTS: '', HOME: '/h' }, '/h/.cache/runproof/agents'],
  ])('%j', (env, folder) => {
    expect(cacheFolder(program, env)).toBe(join(folder, cacheName))
  })

  it.each([
    ['@scope/tool@1.2.3', '@scope/tool'],
    ['tool@1.2.3', 'tool'],
    ['tool', 'tool'],
  ])('the package of %s is %s', (spec, name) => {
    expect(packageName(spec)).toBe(name)
  })
})

describe('an agent that cannot be started', () => {
  it.each([
    ['22.19', '22.18.9', false],
    ['22.19', '22.19.0', true],
    ['22.19', '24.0.0', true],
    ['20', '18.20.0', false],
  ])('needs Node.js %s: %s', (nodeMin, version, isEnough) => {
    expect(isNodeNewEnough({ nodeMin }, version)).toBe(isEnough)
  })

  it.each<[what: string, nodeMin: string, missing: string]>([
    [
      'is not installed',
      '20',
      'mine is not installed: npm install --save-dev @scope/tool@1.2.3 other@4.5.6',
    ],
    [
      'is too new for this Node.js',
      '99.1',
      `mine needs Node.js 99.1 or newer, this is ${process.versions.node}`,
    ],
  ])('%s', async (_, nodeMin, missing) => {
    const root = createFiles({})
    const agent = { name: 'mine', program: { ...program, nodeMin } }
    expect(await locateAgent(agent, root, { RUNPROOF_AGENTS: root })).toEqual({ missing })
  })
})
